"""Kinds of values: how Slurm reads and writes a yes or no. A text that is none of a kind reads as None."""

from __future__ import annotations

BOOLEANS = {"YES": True, "TRUE": True, "UP": True, "1": True, "NO": False, "FALSE": False, "DOWN": False, "0": False}
"""What a yes/no key of ``slurm.conf`` takes, in any case. Source: ``_handle_boolean`` of src/common/parse_config.c."""


def boolean(text: str) -> bool | None:
    """Return the value of a yes/no key of ``slurm.conf``."""
    return BOOLEANS.get(text.strip().upper())


def yes_no(text: str, *, whole: bool = False) -> bool | None:
    """Return the yes or no of a command's argument, in any case, and perhaps cut short unless ``whole``."""
    for word, answer in (("yes", True), ("no", False)):
        if text.lower() == word or (text and not whole and word.startswith(text.lower())):
            return answer
    return None


def yes_or_no(value: object) -> str:
    """Return ``YES`` or ``NO``, as records show a flag."""
    return "YES" if value else "NO"

"""Kinds of values: how Slurm reads and writes a yes or no. A text that is not of the kind reads as None."""

from __future__ import annotations

BOOLEANS = {"YES": True, "TRUE": True, "UP": True, "1": True, "NO": False, "FALSE": False, "DOWN": False, "0": False}
"""What a yes/no key of ``slurm.conf`` takes, in any case. Source: ``_handle_boolean`` of src/common/parse_config.c."""


def boolean(text: str) -> bool | None:
    """Return the value of a yes/no key of ``slurm.conf``."""
    return BOOLEANS.get(text.strip().upper())


def yes_no(text: str, *, whole: bool = False) -> bool | None:
    """Return the yes or no of a command's argument, in any case, and abbreviated unless ``whole``."""
    for word, answer in (("yes", True), ("no", False)):
        if text.lower() == word or (text and not whole and word.startswith(text.lower())):
            return answer
    return None


def yes_or_no(value: object) -> str:
    """Return ``YES`` or ``NO``, as records show a flag."""
    return "YES" if value else "NO"


MAIL_EVENTS = (
    *("ARRAY_TASKS", "INVALID_DEPEND", "BEGIN", "END", "FAIL", "REQUEUE", "STAGE_OUT"),
    *("TIME_LIMIT_50", "TIME_LIMIT_80", "TIME_LIMIT_90", "TIME_LIMIT"),
)
"""The mail events, in the order in which Slurm lists them."""
ALL_MAIL = MAIL_EVENTS[1:7]


def mail_events(text: str) -> str | None:
    """Return a list of mail events as Slurm lists them; unknown words are ignored beside a known one."""
    words = text.upper().split(",")
    if "NONE" in words:
        return "NONE"
    found = {event for word in words for event in (ALL_MAIL if word == "ALL" else (word,))}
    return ",".join(event for event in MAIL_EVENTS if event in found) or None

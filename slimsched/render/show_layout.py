"""The layout of ``scontrol show``: lines of ``Key=value``, or a whole record on one line (``-o``)."""

from __future__ import annotations

from collections.abc import Iterable


def record(lines: Iterable[str | None], *, oneliner: bool = False) -> str:
    """Return one record, with the empty line that follows it, or as a line; None stands for a line left out."""
    kept = [line for line in lines if line is not None]
    if oneliner:
        return " ".join(line.lstrip() for line in kept)
    return "\n   ".join(kept) + "\n"


def given(key: str, value: object) -> str | None:
    """Return ``key=value``, or None (no line) if there is no value."""
    return f"{key}={value}" if value else None

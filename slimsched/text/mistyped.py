"""Times that were mistyped: how they are written, and what was probably meant.

Imported by refusals only.
"""

from __future__ import annotations

from slimsched.errors import SyntaxFault
from slimsched.text import alike, times

LIMITS = "a time is MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS or UNLIMITED"
INSTANTS = "a time is 16:30, 2026-01-31, 2026-01-31T16:30, {}, midnight or noon"
_WORDS = ("now", "today", "tomorrow", "midnight", "noon", "fika", "teatime", "elevenses")


def limit(text: str) -> str:
    """Return the note on a length of time: ``1h is written 1:00:00: ...``."""
    try:
        seconds = times.duration(text.replace(" ", "").lower())
    except SyntaxFault:
        return LIMITS
    return f"{text} is written {times.limit(-(-seconds // 60))}: {LIMITS}"


def instant(text: str, *, past: bool = False) -> str:
    """Return the note on an instant; ``past``: it is one that was, as for ``sacct -S``."""
    if near := alike.near(text, _WORDS):
        return f"did you mean {near[0]}?"
    return INSTANTS.format("now-1hour, now-7days" if past else "now+1hour, now+90minutes")

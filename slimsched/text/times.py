"""Spans of time as Slurm writes them, and how instants are shown.

    span     = digits [ ":" digits [ ":" digits ] ]                 minutes[:seconds], hours:minutes:seconds
             | digits "-" [ digits [ ":" digits [ ":" digits ] ] ]  days-hours[:minutes[:seconds]]
             | "UNLIMITED" | "INFINITE" | "-1"                      in any case
    duration = span | digits unit { digits unit }                   unit: s, m, h, d

Instants are whole seconds since 1970 and are shown in the zone in use (`slimsched.text.zone`). Instants to be read
(``--begin``) are in `slimsched.text.moments`.
Source: sbatch(1) ``--time``; recorded scenario time_and_count_values.
"""

from __future__ import annotations

import time

from slimsched.errors import SyntaxFault
from slimsched.text import zone

INFINITE = 0xFFFFFFFF
"""A limit without end (Slurm's ``INFINITE``)."""

YEAR = 365 * 24 * 3600
"""Seconds for which Slurm plans what has no limit (``YEAR_SECONDS``); longer spans it does not write out."""

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

_ENDLESS = {"-1", "infinite", "unlimited"}
_MAX_TEXT = 40  # far longer than any span that makes sense; keeps numbers small
_MAX_MINUTES = 0x7FFFFFFF  # Slurm keeps minutes in 32 bits and takes the upper half for negative
_WEIGHTS = {  # days given?, number of further fields -> seconds of each
    (False, 1): (60,),
    (False, 2): (60, 1),
    (False, 3): (3600, 60, 1),
    (True, 1): (3600,),
    (True, 2): (3600, 60),
    (True, 3): (3600, 60, 1),
}


def span(text: str) -> int:
    """Return the seconds of a Slurm time, or INFINITE.

    A negative number of days is possible (``-5``), as in Slurm. Raises SyntaxFault.
    """
    if text.lower() in _ENDLESS:
        return INFINITE
    days, dash, rest = text.partition("-")
    if not dash:
        days, rest = "0", text
    elif _digits(days) and not rest:
        rest = "0"
    elif not days and _digits(rest):  # "-5": Slurm reads five days, negative
        days, rest = f"-{rest}", "0"
    fields = rest.split(":")
    weights = _WEIGHTS.get((bool(dash), len(fields)))
    if weights is None or not _digits(days.removeprefix("-")) or not all(map(_digits, fields)) or len(text) > _MAX_TEXT:
        raise _fault(text)
    return int(days) * UNITS["d"] + sum(int(f) * w for f, w in zip(fields, weights, strict=True))


def minutes(text: str) -> int:
    """Return the minutes of a Slurm time, rounded up; INFINITE for one without end. Raises SyntaxFault.

    A negative one becomes a number of the upper half of 32 bits, which `limit` shows as ``INVALID``.
    """
    seconds = span(text)
    if seconds == INFINITE:
        return INFINITE
    whole = -(-seconds // 60)
    if abs(whole) > _MAX_MINUTES:
        raise _fault(text)
    return whole & 0xFFFFFFFF


def time_limit(text: str) -> int:
    """Return the minutes of ``--time``: as `minutes`, and 0 means no limit."""
    return minutes(text) or INFINITE


def duration(text: str) -> int:
    """Return the seconds of a span or of numbers with units (``10m``, ``1h30m``). Raises SyntaxFault."""
    try:
        return _duration(text)
    except SyntaxFault as fault:
        fault.hint = "write 90s, 10m, 2h or 1d, or a Slurm time: 5:30, 1-0"
        raise


def _duration(text: str) -> int:
    if text[-1:] not in UNITS:
        seconds = span(text)
        if seconds == INFINITE or seconds < 0:
            raise _fault(text)
        return seconds
    total, number = 0, ""
    for char in text[:_MAX_TEXT]:
        if char not in UNITS:
            number += char
        elif _digits(number):
            total, number = total + int(number) * UNITS[char], ""
        else:
            number += char
    if number or len(text) > _MAX_TEXT:
        raise _fault(text)
    return total


def elapsed(seconds: int, *, full: bool = False) -> str:
    """Return a span as squeue shows it (``0:03``, ``1:02:03``, ``2-01:02:03``); ``full`` as scontrol and sacct do."""
    if seconds < 0:
        return "INVALID"
    rest, s = divmod(seconds, 60)
    rest, m = divmod(rest, 60)
    days, h = divmod(rest, 24)
    if days:
        return f"{days}-{h:02}:{m:02}:{s:02}"
    if full:
        return f"{h:02}:{m:02}:{s:02}"
    return f"{h}:{m:02}:{s:02}" if h else f"{m}:{s:02}"


def limit(count: int, *, full: bool = False) -> str:
    """Return a limit of ``count`` minutes as squeue shows it (``30:00``, ``UNLIMITED``); ``full``: ``00:30:00``."""
    if count == INFINITE:
        return "UNLIMITED"
    return "INVALID" if count > _MAX_MINUTES else elapsed(count * 60, full=full)


def instant(seconds: int) -> str:
    """Return an instant as ``2026-01-01T00:00:00``, in the zone in use."""
    t = time.gmtime(zone.civil(seconds))
    return f"{t.tm_year:04}-{t.tm_mon:02}-{t.tm_mday:02}T{t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02}"


def styled_instant(seconds: int, style: str, now: int) -> str:
    """Return an instant as ``SLURM_TIME_FORMAT=style`` asks: ``standard``, ``relative`` or a strftime format."""
    if style in ("", "standard"):
        return instant(seconds)
    pattern = _relative(seconds, now) if style == "relative" else style
    try:
        return time.strftime(_fixed_to_zone(pattern, seconds), time.gmtime(zone.civil(seconds)))
    except ValueError:  # a format that this platform's strftime refuses
        return instant(seconds)


def _relative(seconds: int, now: int) -> str:
    """Choose a format by the days between ``now`` and the instant."""
    day = UNITS["d"]
    distance = zone.civil(seconds) // day - zone.civil(now) // day
    near = {-1: "Ystday %H:%M", 0: "%H:%M:%S", 1: "Tomorr %H:%M"}
    if distance in near:
        return near[distance]
    if abs(distance) > 365:
        return "%-d %b %Y"
    return "%a %H:%M" if 1 < distance < 7 else "%-d %b %H:%M"


def _fixed_to_zone(pattern: str, seconds: int) -> str:
    """Replace the directives that strftime would read from the machine's time zone."""
    hours, minutes = divmod(abs(zone.offset(seconds)) // 60, 60)
    shift = f"{'-' if zone.offset(seconds) < 0 else '+'}{hours:02}{minutes:02}"
    pieces = pattern.split("%%")
    for code, value in {"%s": str(seconds), "%Z": zone.abbreviation(seconds), "%z": shift}.items():
        pieces = [piece.replace(code, value) for piece in pieces]
    return "%%".join(pieces)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _fault(text: str) -> SyntaxFault:
    return SyntaxFault("Invalid time", text, (0, len(text)))

"""Times of reservations: how one that recurs moves on, and whether two of them ever meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.text import zone
from slimsched.text.zone import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.reservation import Reservation

    Span = tuple[int, int]  # start and end, in seconds since 1970

HOUR = 3600
WEEK = 7 * DAY

DISTANCES = {
    "WEEKDAY": tuple(days * DAY for days in (1, 1, 1, 1, 3, 2, 1)),
    "WEEKEND": tuple(days * DAY for days in (5, 4, 3, 2, 1, 1, 6)),
    "WEEKLY": (WEEK,) * 7,
    "DAILY": (DAY,) * 7,
    "HOURLY": (HOUR,) * 7,
}
"""Flag -> how far a reservation that begins on a day of the week (0: Monday) moves on, in seconds.

From a Sunday the weekend is six days off: of one that begins on a Sunday only the Saturday of the week comes next.
"""

FORESIGHT = WEEK
"""Maintenance further ahead than this, in seconds, does not conflict with a recurring reservation."""


def distance(flags: Iterable[str], start: int) -> int:
    """Return the seconds from ``start`` to a reservation's next time; 0 if it is held only once."""
    given = set(flags)
    days = next((days for flag, days in DISTANCES.items() if flag in given), None)
    return days[(zone.civil(start) // DAY + 3) % 7] if days else 0


def meet(first: Reservation, second: Reservation, now: int) -> bool:
    """Whether two reservations are ever held at the same time, all their recurrences included.

    They are compared as slurmctld does: the one that ends earlier is moved to the other, then past it, and then the
    other one, if it recurs too, is moved after it.
    """
    early, late = sorted((first, second), key=lambda resv: resv.end_time)
    one, two = (early.start_time, early.end_time), (late.start_time, late.end_time)
    if _touch(one, two):
        return True
    if not distance(early.flags, one[0]):
        return False
    if "MAINT" in late.flags and not distance(late.flags, two[0]) and two[0] - max(now, one[0]) > FORESIGHT:
        return False
    one = _last_before(one, early.flags, two[1])
    after = _moved(one, early.flags)
    if _touch(one, two) or _touch(after, two):
        return True
    return bool(distance(late.flags, two[0])) and _touch(after, _last_before(two, late.flags, after[1]))


def _touch(one: Span, two: Span) -> bool:
    return one[0] < two[1] and two[0] < one[1]


def _moved(span: Span, flags: Iterable[str]) -> Span:
    by = distance(flags, span[0])
    return span[0] + by, span[1] + by


def _last_before(span: Span, flags: Iterable[str], until: int) -> Span:
    """Return the last time a recurring reservation is held that begins before ``until``; weeks are passed over."""
    weeks = max(0, until - span[0] - 1) // WEEK * WEEK
    span = span[0] + weeks, span[1] + weeks
    while (following := _moved(span, flags))[0] < until:
        span = following
    return span

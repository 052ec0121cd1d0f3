"""When an entry of a crontab is due.

    spec  = minute hour day-of-month month day-of-week | "@" word
    field = part { "," part }
    part  = ( "*" | value [ "-" value ] ) [ "/" step ]

Months and days of the week have names of three letters; 0 and 7 are Sunday. Where both kinds of days are restricted,
either will do. Source: scrontab(1), crontab(5).
"""

from __future__ import annotations

import time
from typing import NamedTuple

from slimsched.errors import SyntaxFault
from slimsched.text import zone

WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
    "@elevenses": "0 11 * * *",
    "@noon": "0 12 * * *",
    "@fika": "0 15 * * *",
    "@teatime": "0 16 * * *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
FIELDS = len(RANGES)
MINUTE, HOUR = 60, 3600
HORIZON = 366 * 8 + 1  # days in which every date comes, 29 February too


class Spec(NamedTuple):
    """The minutes, hours, days of the month, months and days of the week (0: Sunday) of an entry."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool  # of the two kinds of days

    def after(self, instant: int) -> int:
        """Return the first instant behind another at which it is due, 0 for never."""
        civil = zone.civil(instant)
        civil += MINUTE - civil % MINUTE
        for _ in range(HORIZON):
            midnight = civil - civil % zone.DAY
            if self._on(time.gmtime(midnight)):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        due = midnight + hour * HOUR + minute * MINUTE
                        if due >= civil and (found := zone.instant(due)) > instant:
                            return found
            civil = midnight + zone.DAY
        return 0

    def _on(self, day: time.struct_time) -> bool:
        """Whether it is due on a day."""
        if day.tm_mon not in self.months:
            return False
        found = day.tm_mday in self.days, (day.tm_wday + 1) % 7 in self.weekdays
        return any(found) if self.either else all(found)


def parse(text: str) -> Spec:
    """Read a spec. Raises `SyntaxFault`."""
    fields = WORDS.get(text.strip().lower(), text).split()
    if len(fields) != FIELDS:
        raise SyntaxFault(f"{len(fields)} fields for {FIELDS}", text, (0, len(text)))
    minutes, hours, days, months, weekdays = (
        _field(field, low, high) for field, (low, high) in zip(fields, RANGES, strict=True)
    )
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    return Spec(minutes, hours, days, months, frozenset(day % 7 for day in weekdays), either)


def _field(text: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in text.lower().split(","):
        span, slash, step = part.partition("/")
        if slash and not (step.isdecimal() and int(step)):
            raise SyntaxFault(f"{part!r} has no step", text, (0, len(text)))
        first, dash, last = span.partition("-")
        if span == "*":
            begin, end = low, high
        else:
            begin = _value(first, low, high)
            end = _value(last, low, high) if dash else high if slash else begin
        if begin > end:
            raise SyntaxFault(f"{part!r} goes down", text, (0, len(text)))
        found.update(range(begin, end + 1, int(step) if slash else 1))
    return frozenset(found)


def _value(text: str, low: int, high: int) -> int:
    names = {12: MONTHS, 7: DAYS}.get(high, ())
    value = names.index(text) + low if text in names else int(text) if text.isdecimal() else -1
    if not low <= value <= high:
        raise SyntaxFault(f"{text!r} is not between {low} and {high}", text, (0, len(text)))
    return value

"""Instants as people write them for ``--begin``, ``starttime=`` and ``sacct -S``.

    moment  = part { part }                    blanks, "-" and "T" may stand between
    part    = "now" [ ("+" | "-") count ] | day | hour | clock | date
    count   = digits [ unit ]                  seconds, minutes, hours, days, weeks, each also without its "s"
    day     = "today" | "tomorrow"
    hour    = "midnight" | "elevenses" | "noon" | "fika" | "teatime"
    clock   = HH ":" MM [ ":" SS ] [ "AM" | "PM" ]
    date    = YYYY "-" MM "-" DD | MM [sep] DD [ [sep] YY ]      sep: "/" or "."
    or      = "uts" digits

A clock without a date is the next one, a date without a year likewise, a date without a clock starts
the day. Everything is relative to a ``now`` that the caller gives, in the zone in use.
Source: sbatch(1) ``--begin``; recorded scenario time_and_count_values.
"""

from __future__ import annotations

import time
from collections.abc import Container

from slimsched.errors import SyntaxFault
from slimsched.text import zone
from slimsched.text.zone import DAY

MAX_MOMENT = 253_402_300_799  # the last second of the year 9999

_BLANKS = frozenset(" \t")
_BETWEEN = frozenset(" \t-")
_DIGITS = frozenset("0123456789")
_MAX_DIGITS = 12  # of a count; more than enough to leave the calendar
_HOURS = {"midnight": 0, "elevenses": 11, "noon": 12, "fika": 15, "teatime": 16}
_DAYS = {"today": 0, "tomorrow": 1}
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": DAY, "week": 7 * DAY}
_MIN_UTS = 1_000_000  # Slurm refuses smaller numbers as mistakes


def moment(text: str, now: int, *, past: bool = False) -> int:
    """Return the instant in seconds since 1970; ``past`` prefers the last such instant to the next one.

    Raises SyntaxFault with the line that Slurm prints, ``Invalid time specification (pos=4): now+1year``.
    """
    return _Reader(text, now, past=past).read()


class _Reader:
    """One pass over the text; ``pos`` is what Slurm's message names."""

    def __init__(self, text: str, now: int, *, past: bool) -> None:
        self.text = text
        self.pos = 0
        self.present = now
        self.now = zone.civil(now)  # as are clock and date
        self.past = past
        self.exact: int | None = None  # the instant, where it hangs on no clock or calendar
        self.clock: int | None = None  # seconds of the day
        self.date: tuple[int | None, int, int] | None = None  # year, month, day

    def read(self) -> int:
        """Return the instant."""
        if self.word("uts"):
            return self.epoch()
        while not self.done:
            if self.peek() in _BETWEEN or (self.peek() == "T" and not self.peek(skip=1).isalpha()):
                self.pos += 1
            else:
                self.part()
        if self.date is None and self.clock is None:
            raise self.problem(0)
        seconds = zone.instant(self.seconds()) if self.exact is None else self.exact
        if seconds > MAX_MOMENT:
            raise self.problem()
        return max(seconds, 0)

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.pos >= len(self.text)

    def peek(self, count: int = 1, *, skip: int = 0) -> str:
        """Return the next ``count`` characters after ``skip``, fewer at the end of the text."""
        start = self.pos + skip
        return self.text[start : start + count]

    def run(self, characters: Container[str], most: int | None = None) -> str:
        """Take the longest run of ``characters``, at most ``most``."""
        start = end = self.pos
        limit = len(self.text) if most is None else min(len(self.text), start + most)
        while end < limit and self.text[end] in characters:
            end += 1
        self.pos = end
        return self.text[start:end]

    def word(self, *words: str) -> str:
        """Step over the first of ``words`` that comes next, in any case, and return it."""
        for word in words:
            if self.text[self.pos : self.pos + len(word)].lower() == word:
                self.pos += len(word)
                return word
        return ""

    def epoch(self) -> int:
        """``uts`` has been taken: seconds since 1970 to the end of the text."""
        digits = self.run(_DIGITS)
        if not digits or not self.done or len(digits) > _MAX_DIGITS or not _MIN_UTS <= int(digits) <= MAX_MOMENT:
            raise self.problem(0)
        return int(digits)

    def part(self) -> None:
        """Take one part of a moment."""
        self.exact = None
        if day := self.word(*_DAYS):
            self.date = _civil(self.now + _DAYS[day] * DAY)
        elif hour := self.word(*_HOURS):
            self.clock = _HOURS[hour] * 3600
        elif self.word("now"):
            self.relative()
        elif self.peek() not in _DIGITS:
            raise self.problem()
        elif ":" in self.peek(2, skip=1):
            self.time_of_day()
        else:
            self.day()

    def relative(self) -> None:
        """``now`` has been taken: nothing follows, or a signed count with a unit."""
        self.run(_BLANKS)
        sign = self.peek()
        if sign not in {"", "+", "-"}:
            raise self.problem()
        delta = self.count() if sign else 0
        later = max(self.present - delta if sign == "-" else self.present + delta, 0)
        if later > MAX_MOMENT:
            raise self.problem()
        self.exact, civil = later, zone.civil(later)
        self.clock = civil % DAY
        self.date = _civil(civil)

    def count(self) -> int:
        """``+90 seconds``, from its sign on."""
        start = self.pos
        self.pos += 1
        self.run(_BLANKS)
        digits = self.run(_DIGITS, _MAX_DIGITS)
        self.run(_BLANKS)
        unit = self.word(*_UNITS)
        if unit:
            self.word("s")
        elif not self.done:
            raise self.problem(self.pos - 1)  # Slurm's message names the character before the bad one
        if not digits:
            raise self.problem(start)
        return int(digits) * _UNITS.get(unit, 1)

    def time_of_day(self) -> None:
        """``HH:MM[:SS][AM|PM]``"""
        hour = self.number(0, 23, least=1)
        if not self.word(":"):
            raise self.problem()
        minute = self.number(0, 59)
        second = self.number(0, 59) if self.word(":") else 0
        self.run(_BLANKS)
        half = self.word("am", "pm")
        if half:
            if hour > 12:
                raise self.problem()
            hour = hour % 12 + (12 if half == "pm" else 0)
        self.clock = hour * 3600 + minute * 60 + second

    def day(self) -> None:
        """``YYYY-MM-DD`` or ``MM/DD/YY``, the latter also with dots, without separators, without year."""
        if self.peek(skip=4) == "-" and self.peek(skip=7) == "-":
            year = self.number(0, 99) * 100 + self.number(0, 99)
            self.pos += 1
            month = self.number(1, 12)
            self.pos += 1
            self.date = (year, month, self.number(1, 31))
            return
        month = self.number(1, 12, least=1)
        self.run("./", 1)
        day = self.number(1, 31, least=1)
        self.run("./", 1)
        self.date = (2000 + self.number(0, 99) if self.peek() in _DIGITS else None, month, day)

    def number(self, low: int, high: int, *, least: int = 2) -> int:
        """Take two digits, or as few as ``least``."""
        start = self.pos
        digits = self.run(_DIGITS, 2)
        if len(digits) < least:
            raise self.problem()
        if not low <= int(digits) <= high:
            raise self.problem(start)
        return int(digits)

    def seconds(self) -> int:
        """Fill in the missing parts."""
        clock = self.clock or 0
        if self.date is None:
            today, passed = self.now - self.now % DAY, self.now % DAY
            # Slurm compares minutes: at 16:00:30 the text 16:00 means tomorrow
            gone = clock // 60 <= passed // 60
            return today + clock + (DAY if gone and not self.past else 0)
        year, month, day = self.date
        if year is None:
            year, this_month, _ = _civil(self.now)
            if self.past:
                year -= month > this_month
            elif _days(year, month, day) * DAY + clock <= self.now:
                year += 1
        return _days(year, month, day) * DAY + clock

    def problem(self, at: int | None = None) -> SyntaxFault:
        """Return the error for the character ``at``, or for the next one."""
        self.pos = self.pos if at is None else at
        span = (self.pos, min(self.pos + 1, len(self.text)))
        return SyntaxFault(f"Invalid time specification (pos={self.pos}): {self.text}", self.text, span)


def _civil(seconds: int) -> tuple[int, int, int]:
    t = time.gmtime(seconds)
    return t.tm_year, t.tm_mon, t.tm_mday


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970; a day past the month's end runs into the next, as mktime does.

    Works with years that begin in March, so that a leap day is a year's last.
    """
    years = year - (month < 3)
    months = (month - 3) % 12
    leap_days = years // 4 - years // 100 + years // 400
    return years * 365 + leap_days + (153 * months + 2) // 5 + day - 1 - 719468

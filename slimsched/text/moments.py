"""Instants as people write them after ``--begin``, ``starttime=``, ``sacct -S``.

    moment  = part { part }                    blanks, "-" and "T" may stand between
    part    = "now" [ ("+" | "-") count ] | day | hour | clock | date
    count   = digits [ unit ]                  seconds, minutes, hours, days, weeks, each also without its "s"
    day     = "today" | "tomorrow"
    hour    = "midnight" | "elevenses" | "noon" | "fika" | "teatime"
    clock   = HH ":" MM [ ":" SS ] [ "AM" | "PM" ]
    date    = YYYY "-" MM "-" DD | MM [sep] DD [ [sep] YY ]      sep: "/" or "."
    or      = "uts" digits

A clock without a date is the next one, a date without a year likewise, a date without a clock starts
the day. Everything is relative to a ``now`` that the caller gives, in UTC.
Source: sbatch(1) ``--begin``; recorded scenario time_and_count_values.
"""

from __future__ import annotations

import time

from slimsched.errors import SyntaxFault

MAX_MOMENT = 253_402_300_799  # the last second of the year 9999

_DAY = 86400
_HOURS = {"midnight": 0, "elevenses": 11, "noon": 12, "fika": 15, "teatime": 16}
_DAYS = {"today": 0, "tomorrow": 1}
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": _DAY, "week": 7 * _DAY}
_MIN_UTS = 1_000_000  # Slurm takes smaller numbers for a slip


def moment(text: str, now: int, *, past: bool = False) -> int:
    """Return the instant in seconds since 1970; ``past`` prefers the last such instant to the next one.

    Raises SyntaxFault with the line that Slurm prints, ``Invalid time specification (pos=4): now+1year``.
    """
    return _Reader(text, now, past=past).read()


class _Reader:
    """One pass over the text; ``pos`` is what Slurm's message names."""

    def __init__(self, text: str, now: int, *, past: bool) -> None:
        self.text = text
        self.lower = text.lower()
        self.now = now
        self.past = past
        self.pos = 0
        self.clock: int | None = None  # seconds of the day
        self.date: tuple[int | None, int, int] | None = None  # year, month, day

    def read(self) -> int:
        """Return the instant."""
        if self.lower.startswith("uts"):
            return self._epoch()
        while self.pos < len(self.text):
            here, after = self.text[self.pos], self.text[self.pos + 1 : self.pos + 2]
            if here in " \t-" or (here == "T" and not after.isalpha()):
                self.pos += 1
            else:
                self._part()
        if self.date is None and self.clock is None:
            self.pos = 0
            raise self._fault()
        seconds = self._seconds()
        if seconds > MAX_MOMENT:
            raise self._fault()
        return max(seconds, 0)

    def _epoch(self) -> int:
        digits = self.text[3:]
        if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_MOMENT))):
            raise self._fault()
        if not _MIN_UTS <= int(digits) <= MAX_MOMENT:
            raise self._fault()
        return int(digits)

    def _part(self) -> None:
        for words, take in ((_DAYS, self._take_day), (_HOURS, self._take_hour), ({"now": 0}, self._take_now)):
            word = next((w for w in words if self.lower.startswith(w, self.pos)), None)
            if word is not None:
                self.pos += len(word)
                take(words[word])
                return
        if not self._digit():
            raise self._fault()
        if ":" in self.text[self.pos + 1 : self.pos + 3]:
            self._take_clock()
        else:
            self._take_date()

    def _take_day(self, days: int) -> None:
        self.date = _civil(self.now + days * _DAY)

    def _take_hour(self, hour: int) -> None:
        self.clock = hour * 3600

    def _take_now(self, _: int) -> None:
        """Take what follows ``now``: nothing, or a signed count with a unit."""
        self._skip_blanks()
        sign = self.text[self.pos : self.pos + 1]
        delta = 0
        if sign:
            if sign not in "+-":
                raise self._fault()
            delta = self._count() if sign == "+" else -self._count()
        later = max(self.now + delta, 0)
        if later > MAX_MOMENT:
            raise self._fault()
        self.clock = later % _DAY
        self.date = _civil(later)

    def _count(self) -> int:
        """Read ``+90 seconds`` from its sign on."""
        start = self.pos
        self.pos += 1
        self._skip_blanks()
        digits = ""
        while self._digit() and len(digits) < 12:
            digits += self.text[self.pos]
            self.pos += 1
        self._skip_blanks()
        unit = next((u for u in _UNITS if self.lower.startswith(u, self.pos)), "")
        self.pos += len(unit)
        if unit and self.lower.startswith("s", self.pos):
            self.pos += 1
        if not unit and self.pos < len(self.text):
            self.pos -= 1  # Slurm's message names the character before the bad one
            raise self._fault()
        if not digits:
            self.pos = start
            raise self._fault()
        return int(digits) * _UNITS.get(unit, 1)

    def _take_clock(self) -> None:
        hour = self._number(0, 23, optional_second_digit=True)
        minute = self._after(":")
        second = self._after(":") if self.text.startswith(":", self.pos) else 0
        self._skip_blanks()
        half = self.lower[self.pos : self.pos + 2]
        if half in ("am", "pm"):
            if hour > 12:
                raise self._fault()
            hour = hour % 12 + (12 if half == "pm" else 0)
            self.pos += 2
        self.clock = hour * 3600 + minute * 60 + second

    def _after(self, separator: str) -> int:
        if not self.text.startswith(separator, self.pos):
            raise self._fault()
        self.pos += 1
        return self._number(0, 59)

    def _take_date(self) -> None:
        year: int | None = None
        if self.text[self.pos + 4 : self.pos + 5] == "-" and self.text[self.pos + 7 : self.pos + 8] == "-":
            year = self._number(0, 99) * 100 + self._number(0, 99)
            self.pos += 1
            month = self._number(1, 12)
            self.pos += 1
            self.date = (year, month, self._number(1, 31))
            return
        month = self._number(1, 12, optional_second_digit=True)
        self._skip_one("./")
        day = self._number(1, 31, optional_second_digit=True)
        self._skip_one("./")
        if self._digit():
            year = 2000 + self._number(0, 99)
        self.date = (year, month, day)

    def _number(self, low: int, high: int, *, optional_second_digit: bool = False) -> int:
        """Read two digits, or one where that is allowed."""
        start = self.pos
        while self._digit() and self.pos < start + 2:
            self.pos += 1
        if self.pos == start or (self.pos == start + 1 and not optional_second_digit):
            raise self._fault()
        value = int(self.text[start : self.pos])
        if not low <= value <= high:
            self.pos = start
            raise self._fault()
        return value

    def _seconds(self) -> int:
        """Fill in what was not said."""
        today = self.now - self.now % _DAY
        if self.date is None:
            clock = self.clock or 0
            # Slurm compares to the minute: 16:00 said at 16:00:00 is tomorrow's
            gone = clock // 60 <= (self.now - today) // 60
            return today + clock + (_DAY if gone and not self.past else 0)
        year, month, day = self.date
        clock = self.clock or 0
        if year is not None:
            return _days(year, month, day) * _DAY + clock
        this_year = _civil(self.now)[0]
        seconds = _days(this_year, month, day) * _DAY + clock
        if self.past:
            ahead = month > _civil(self.now)[1]
            return _days(this_year - 1, month, day) * _DAY + clock if ahead else seconds
        return seconds if seconds > self.now else _days(this_year + 1, month, day) * _DAY + clock

    def _digit(self) -> bool:
        return self.text[self.pos : self.pos + 1] in set("0123456789")

    def _skip_blanks(self) -> None:
        while self.text[self.pos : self.pos + 1] in {" ", "\t"}:
            self.pos += 1

    def _skip_one(self, characters: str) -> None:
        if self.text[self.pos : self.pos + 1] in set(characters):
            self.pos += 1

    def _fault(self) -> SyntaxFault:
        message = f"Invalid time specification (pos={self.pos}): {self.text}"
        return SyntaxFault(message, self.text, (self.pos, self.pos + 1))


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

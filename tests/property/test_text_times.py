"""Times against Python's own calendar, and what must hold between the notations of one time."""

from __future__ import annotations

import calendar
import datetime
from datetime import timedelta

from hypothesis import assume, given
from hypothesis import strategies as st

from slimsched.errors import SyntaxFault
from slimsched.text import times
from slimsched.text.moments import moment

UTC = datetime.UTC
NOWS = st.integers(1_600_000_000, 2_500_000_000)
DATES = st.dates(datetime.date(1970, 1, 1), datetime.date(9999, 12, 31))
CLOCKS = st.times().map(lambda t: t.replace(microsecond=0))
UNITS = st.sampled_from([("", 1), ("second", 1), ("minutes", 60), ("hour", 3600), ("days", 86400), ("weeks", 604800)])


def at(day: datetime.date, clock: datetime.time = datetime.time()) -> int:
    return calendar.timegm(datetime.datetime.combine(day, clock).timetuple())


@given(DATES, CLOCKS, NOWS, st.sampled_from(["T", " ", "-"]))
def test_a_full_date_is_the_calendars(day, clock, now, between):
    assert moment(f"{day.isoformat()}{between}{clock.isoformat()}", now) == at(day, clock)


@given(DATES, NOWS, st.booleans())
def test_a_date_alone_begins_its_day(day, now, past):
    assert moment(day.isoformat(), now, past=past) == at(day)


@given(st.integers(0, 100_000), UNITS, NOWS, st.sampled_from([1, -1]))
def test_a_distance_from_now(count, unit, now, sign):
    name, seconds = unit

    assert moment(f"now{'+' if sign > 0 else '-'}{count}{name}", now) == max(0, now + sign * count * seconds)


@given(CLOCKS, NOWS)
def test_a_clock_is_the_next_one_to_the_minute(clock, now):
    found = moment(clock.isoformat(), now)

    assert now // 60 < found // 60 <= now // 60 + 24 * 60
    assert datetime.datetime.fromtimestamp(found, UTC).time() == clock


@given(CLOCKS, NOWS)
def test_looking_back_a_clock_is_that_of_today(clock, now):
    today = datetime.datetime.fromtimestamp(now, UTC).date()

    assert moment(clock.isoformat(), now, past=True) == at(today, clock)


@given(st.dates(datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)), NOWS)
def test_a_date_without_a_year_is_the_next_one(day, now):
    assume((day.month, day.day) != (2, 29))
    found = moment(f"{day.month:02}/{day.day:02}", now)
    shown = datetime.datetime.fromtimestamp(found, UTC)

    assert (shown.month, shown.day, shown.hour) == (day.month, day.day, 0)
    assert now < found <= now + 366 * 86400


@given(DATES.filter(lambda day: 2000 <= day.year < 2100), NOWS)
def test_the_american_spellings_are_one_date(day, now):
    spelt = [day.strftime(style) for style in ("%m/%d/%y", "%m.%d.%y", "%m%d%y")]

    assert {moment(text, now) for text in spelt} == {at(day)}


@given(CLOCKS, NOWS)
def test_twelve_hours_and_a_half_of_the_day_are_a_clock_of_twenty_four(clock, now):
    half = f"{clock.hour % 12 or 12:02}:{clock.minute:02}:{clock.second:02}{'pm' if clock.hour > 11 else 'AM'}"

    assert moment(half, now) == moment(clock.isoformat(), now)


@given(st.integers(0, 40 * 86400))
def test_elapsed_is_read_back_as_a_span(seconds):
    """Without days and hours a time of two fields is minutes and seconds; so both notations name the same seconds."""
    assert times.span(times.elapsed(seconds)) == seconds
    assert times.span(times.elapsed(seconds, full=True)) == seconds
    assert timedelta(seconds=times.duration(f"{seconds}s")) == timedelta(seconds=seconds)


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_durations_with_units_add_up(days, hours, minutes, seconds):
    spelt = f"{days}d{hours}h{minutes}m{seconds}s"

    assert times.duration(spelt) == days * 86400 + hours * 3600 + minutes * 60 + seconds


@given(st.text("0123456789:-", max_size=12))
def test_limits_are_minutes_rounded_up(text):
    try:
        seconds = times.span(text)
    except SyntaxFault:
        return
    if 0 <= seconds < times.INFINITE:
        assert times.minutes(text) * 60 - seconds in range(60)

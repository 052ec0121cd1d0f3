"""Recurring reservations: where they move, and whether they meet."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.reservations import times
from slimsched.model.reservation import Reservation

HOUR, DAY, WEEK = times.HOUR, times.DAY, times.WEEK
MONDAY = world.START + 4 * DAY  # 2026-01-05T00:00:00


@pytest.mark.parametrize(
    ("flag", "days"),
    [
        ("WEEKDAY", (1, 1, 1, 1, 3, 2, 1)),
        ("WEEKEND", (5, 4, 3, 2, 1, 1, 6)),
        ("WEEKLY", (7,) * 7),
        ("DAILY", (1,) * 7),
    ],
)
def test_distances_by_the_day_of_the_week(flag, days):
    found = [times.distance(["MAINT", flag], MONDAY + day * DAY + 17 * HOUR) for day in range(7)]

    assert found == [day * DAY for day in days]


def test_distances_without_days():
    assert times.distance(["HOURLY"], MONDAY) == HOUR
    assert times.distance(["MAINT"], MONDAY) == 0


def resv(start, length, *flags):
    return Reservation(name="r", start_time=start, end_time=start + length, flags=list(flags))


QUARTER = 15 * 60
CASES = [
    # start, flag of each; whether they meet
    ((3 * WEEK, "{}"), (WEEK, ""), False),
    ((3 * WEEK, "{}"), (5 * WEEK, ""), True),
    ((3 * WEEK, ""), (WEEK, "{}"), True),
    ((3 * WEEK, ""), (5 * WEEK, "{}"), False),
    ((3 * WEEK, "{}"), (WEEK, "{}"), True),
    ((3 * WEEK, "{}"), (5 * WEEK, "{}"), True),
]


@pytest.mark.parametrize("flag", ["HOURLY", "DAILY", "WEEKLY"])
@pytest.mark.parametrize(("one", "two", "met"), CASES)
def test_weeks_apart(flag, one, two, met):
    first, second = (resv(world.START + start, QUARTER, name.format(flag)) for start, name in (one, two))

    assert times.meet(first, second, world.START) is met
    assert times.meet(second, first, world.START) is met


@pytest.mark.parametrize(
    ("one", "two", "met"),
    [
        (("HOURLY", 3 * WEEK), ("WEEKDAY", WEEK), True),
        (("HOURLY", 3 * WEEK), ("WEEKEND", 5 * WEEK), True),
        (("DAILY", 3 * WEEK), ("WEEKDAY", 5 * WEEK), True),
        (("DAILY", 3 * WEEK), ("WEEKEND", WEEK), True),
        (("WEEKDAY", 3 * WEEK), ("WEEKDAY", WEEK), True),
        (("WEEKEND", 3 * WEEK + 5 * DAY), ("WEEKDAY", WEEK + 3 * DAY), False),
        (("WEEKEND", WEEK + 5 * DAY), ("WEEKDAY", 2 * WEEK + 3 * DAY), False),
        (("WEEKLY", 0), ("HOURLY", DAY + 30 * 60), False),
        (("WEEKLY", 0), ("HOURLY", DAY + 10 * 60), True),
    ],
)
def test_different_days(one, two, met):
    first, second = (resv(MONDAY + start, QUARTER, flag) for flag, start in (one, two))

    assert times.meet(first, second, world.START) is met


@pytest.mark.parametrize(("days", "met"), [(6, True), (8, False)])
def test_far_maintenance_keeps_no_recurring_reservation_off(days, met):
    daily = resv(world.START, HOUR, "DAILY")
    maintenance = resv(world.START + days * DAY, HOUR, "MAINT")

    assert times.meet(daily, maintenance, world.START) is met


def test_years_apart_are_quickly_compared():
    assert times.meet(resv(world.START, QUARTER, "HOURLY"), resv(world.START + 5000 * WEEK, QUARTER), world.START)

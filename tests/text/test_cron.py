"""When entries of a crontab are due."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.errors import SyntaxFault
from slimsched.text import cron, zone

THURSDAY = 1767225600  # 2026-01-01T00:00:00
MINUTE, HOUR, DAY = 60, 3600, 86400


@pytest.mark.parametrize(
    ("spec", "after"),
    [
        ("* * * * *", MINUTE),
        ("*/5 * * * *", 5 * MINUTE),
        ("7-59/20 * * * *", 7 * MINUTE),
        ("0 3 * * *", 3 * HOUR),
        ("30 0,12 * * *", 30 * MINUTE),
        ("0 0 * * *", DAY),
        ("0 0 15 * *", 14 * DAY),
        ("0 0 * * sat", 2 * DAY),
        ("0 0 * * 0", 3 * DAY),
        ("0 0 * * 7", 3 * DAY),
        ("0 0 * * 5-7", DAY),
        ("0 0 15 * mon", 4 * DAY),
        ("0 0 */2 * mon", 4 * DAY),
        ("0 0 1 feb *", 31 * DAY),
        ("0 0 29 2 *", (365 + 365 + 31 + 28) * DAY),
        ("0 0 31 2 *", -THURSDAY),
        ("@hourly", HOUR),
        ("@daily", DAY),
        ("@weekly", 3 * DAY),
        ("@Monthly", 31 * DAY),
        ("@yearly", 365 * DAY),
        ("@noon", 12 * HOUR),
    ],
)
def test_the_next_time(spec: str, after: int) -> None:
    assert cron.parse(spec).after(THURSDAY) == THURSDAY + after


@pytest.mark.parametrize(
    "spec",
    [
        *("", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8"),
        *("5-1 * * * *", "*/0 * * * *", "*/x * * * *", "a * * * *", "1- * * * *", "-1 * * * *", "1,,2 * * * *"),
        *("* * * foo *", "* * jan * *", "@nosuch", "1/ * * * *", "²  * * * *"),
    ],
)
def test_what_is_no_time(spec: str) -> None:
    with pytest.raises(SyntaxFault):
        cron.parse(spec)


def test_the_clock_of_the_zone_counts() -> None:
    zone.use("Europe/Paris")
    try:
        assert cron.parse("30 2 * * *").after(1774738800) == 1774747800  # 2026-03-29, whose 02:30 is 03:30
        assert cron.parse("0 0 * * *").after(THURSDAY) == THURSDAY + 23 * HOUR
    finally:
        zone.use("UTC")


FIELDS = st.tuples(
    *(
        st.one_of(st.just("*"), st.integers(low, high).map(str), st.integers(1, 9).map("*/{}".format))
        for low, high in cron.RANGES
    )
)


@given(FIELDS, st.integers(0, 4_000_000_000))
def test_the_next_time_is_the_first_that_fits(fields: tuple[str, ...], instant: int) -> None:
    spec = cron.parse(" ".join(fields))
    due = spec.after(instant)

    assert not due or (due > instant and due % MINUTE == 0)
    if due and due - instant > MINUTE:
        assert spec.after((instant + due) // 2) == due
        assert spec.after(due - 1) == due

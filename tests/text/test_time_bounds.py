"""Times, sizes and moments on both sides of each of their limits."""

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.text import sizes, times
from slimsched.text.moments import MAX_MOMENT, moment

NOW = 1795247700  # 2026-11-21T07:55:00, a Saturday


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 420),
        ("5:30", 330),
        ("1:2:3", 3723),
        ("0:0:61", 61),
        ("1-", 86400),
        ("1-2", 93600),
        ("1-2:3", 93780),
        ("1-2:3:4", 93784),
        ("-5", -432000),
        ("0" * 39 + "1", 60),
    ],
)
def test_every_form_of_a_span(text, seconds):
    assert times.span(text) == seconds


@pytest.mark.parametrize("text", ["0" * 40 + "1", "a-", "-a", "a-1", "1-a", "1:a", "²-1"])
def test_no_span(text):
    with pytest.raises(SyntaxFault):
        times.span(text)


@pytest.mark.parametrize(("text", "minutes"), [("2147483647", 2147483647), ("-1491308", 0x100000000 - 1491308 * 1440)])
def test_the_largest_minutes(text, minutes):
    assert times.minutes(text) == minutes


@pytest.mark.parametrize("text", ["2147483648", "-1491309", "9999999-0"])
def test_too_many_minutes(text):
    with pytest.raises(SyntaxFault):
        times.minutes(text)


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0x7FFFFFFF, "1491308-02:07:00"), (0x80000000, "INVALID"), (0xFFFFFFFE, "INVALID"), (0xFFFFFFFF, "UNLIMITED")],
)
def test_limits_at_the_ends_of_32_bits(count, shown):
    assert times.limit(count) == shown


def test_the_longest_duration():
    assert times.duration("0" * 38 + "1s") == 1
    with pytest.raises(SyntaxFault):
        times.duration("0" * 39 + "1s")


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (-365, "21 Nov 07:55"),
        (-366, "20 Nov 2025"),
        (-2, "19 Nov 07:55"),
        (-1, "Ystday 07:55"),
        (0, "07:55:00"),
        (1, "Tomorr 07:55"),
        (2, "Mon 07:55"),
        (6, "Fri 07:55"),
        (7, "28 Nov 07:55"),
        (365, "21 Nov 07:55"),
        (366, "22 Nov 2027"),
    ],
)
def test_relative_instants_by_the_distance_in_days(days, text):
    assert times.styled_instant(NOW + days * 86400, "relative", NOW) == text


def test_days_are_counted_from_midnight_to_midnight():
    late, early = NOW - NOW % 86400 + 86399, NOW - NOW % 86400 + 86400
    assert times.styled_instant(early, "relative", late) == "Tomorr 00:00"
    assert times.styled_instant(late, "relative", early) == "Ystday 23:59"


@pytest.mark.parametrize(
    ("text", "mb"), [("9" * 18, 10**18 - 1), ("0" * 18, 0), ("1" + "0" * 17 + "K", 97656250000000), ("1025K", 2)]
)
def test_the_largest_sizes(text, mb):
    assert sizes.memory(text) == mb


@pytest.mark.parametrize("text", ["9" * 19, "0" * 19, "1XB", "1KX", "1Gi", "1GBB", "1iB"])
def test_no_size(text):
    with pytest.raises(SyntaxFault):
        sizes.memory(text)


@pytest.mark.parametrize(
    ("mb", "shown"),
    [
        (511, "511M"),
        (512, "512M"),
        (1023, "1023M"),
        (1024, "1G"),
        (1025, "1025M"),
        (1536, "1.50G"),
        (1 << 20, "1T"),
        (3 << 19, "1.50T"),
        (1 << 40, "1024P"),
        (0.5, "0"),
    ],
)
def test_the_largest_unit_that_is_exact(mb, shown):
    assert sizes.megabytes(mb) == shown


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("uts1000000", "1970-01-12T13:46:40"),
        (f"uts{MAX_MOMENT}", "9999-12-31T23:59:59"),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59"),
        ("now+000000000001", "2026-11-21T07:55:01"),
        ("0000-01-01", "1970-01-01T00:00:00"),
        ("2400-02-29", "2400-02-29T00:00:00"),
        ("2100-02-29", "2100-03-01T00:00:00"),
        ("2028-02-29", "2028-02-29T00:00:00"),
        ("12/31", "2026-12-31T00:00:00"),
        ("123126", "2026-12-31T00:00:00"),
        ("1/2/00", "2000-01-02T00:00:00"),
        ("1/2/99", "2099-01-02T00:00:00"),
        ("23:59:59", "2026-11-21T23:59:59"),
        ("T16:00", "2026-11-21T16:00:00"),
        ("12am", None),
        ("0:00", "2026-11-22T00:00:00"),
    ],
)
def test_moments_at_their_ends(text, instant):
    if instant is None:
        with pytest.raises(SyntaxFault):
            moment(text, NOW)
    else:
        assert times.instant(moment(text, NOW)) == instant


@pytest.mark.parametrize(
    "text",
    [
        "uts999999",
        f"uts{MAX_MOMENT + 1}",
        "uts1000000x",
        "now*5",
        "now5",
        "now+0000000000001",
        "12/32",
        "12/0",
        "0/1",
        "23:59:60",
        "23:59:5",
        "2026/01-01",
        "Txyz",
    ],
)
def test_no_moment(text):
    with pytest.raises(SyntaxFault):
        moment(text, NOW)


def test_the_next_year_may_be_beyond_the_calendar():
    with pytest.raises(SyntaxFault):
        moment("01/02", MAX_MOMENT - 60)
    with pytest.raises(SyntaxFault):
        moment("now+61", MAX_MOMENT - 60)
    assert moment("now+60", MAX_MOMENT - 60) == MAX_MOMENT

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.text import times
from slimsched.text.moments import moment

NOW = 1795247700  # 2026-11-21T07:55:00


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("now", "2026-11-21T07:55:00"),
        ("now+1hour", "2026-11-21T08:55:00"),
        ("NOW+1HOUR", "2026-11-21T08:55:00"),
        ("now + 1 hour", "2026-11-21T08:55:00"),
        ("now+60", "2026-11-21T07:56:00"),
        ("now+1minute", "2026-11-21T07:56:00"),
        ("now+90seconds", "2026-11-21T07:56:30"),
        ("now+2days", "2026-11-23T07:55:00"),
        ("now+1week", "2026-11-28T07:55:00"),
        ("now+1weeks", "2026-11-28T07:55:00"),
        ("now-1hour", "2026-11-21T06:55:00"),
        ("now-999999999weeks", "1970-01-01T00:00:00"),
        ("today", "2026-11-21T00:00:00"),
        ("tomorrow", "2026-11-22T00:00:00"),
        ("Tomorrow 16:00", "2026-11-22T16:00:00"),
        ("midnight", "2026-11-22T00:00:00"),
        ("elevenses", "2026-11-21T11:00:00"),
        ("noon", "2026-11-21T12:00:00"),
        ("fika", "2026-11-21T15:00:00"),
        ("teatime", "2026-11-21T16:00:00"),
        ("16:00", "2026-11-21T16:00:00"),
        ("7:55", "2026-11-22T07:55:00"),
        ("7:56", "2026-11-21T07:56:00"),
        ("16:00:30", "2026-11-21T16:00:30"),
        ("04:00PM", "2026-11-21T16:00:00"),
        ("12:30 am", "2026-11-22T00:30:00"),
        ("12:30pm", "2026-11-21T12:30:00"),
        ("2027-01-01", "2027-01-01T00:00:00"),
        ("2027-01-01T12:34", "2027-01-01T12:34:00"),
        ("2027-01-01T12:34:56", "2027-01-01T12:34:56"),
        ("2027-01-01 12:00", "2027-01-01T12:00:00"),
        ("12:00 2027-01-01", "2027-01-01T12:00:00"),
        ("2020-01-01", "2020-01-01T00:00:00"),
        ("2027-02-30", "2027-03-02T00:00:00"),
        ("01/02/27", "2027-01-02T00:00:00"),
        ("010227", "2027-01-02T00:00:00"),
        ("01.02.27", "2027-01-02T00:00:00"),
        ("01/02", "2027-01-02T00:00:00"),
        ("1/2", "2027-01-02T00:00:00"),
        ("12/25", "2026-12-25T00:00:00"),
        ("11/21-08:00", "2026-11-21T08:00:00"),
        ("11/21-07:00", "2027-11-21T07:00:00"),
        ("12/25/26-08:00", "2026-12-25T08:00:00"),
        ("uts1795300000", "2026-11-21T22:26:40"),
    ],
)
def test_moment(text, instant):
    assert times.instant(moment(text, NOW)) == instant


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("16:00", "2026-11-21T16:00:00"),
        ("01/02", "2026-01-02T00:00:00"),
        ("12/25", "2025-12-25T00:00:00"),
        ("now-1hour", "2026-11-21T06:55:00"),
    ],
)
def test_past(text, instant):
    assert times.instant(moment(text, NOW, past=True)) == instant


@pytest.mark.parametrize(
    ("text", "pos"),
    [
        ("garbage", 0),
        ("monday", 0),
        ("4pm", 1),
        ("now+", 3),
        ("now+1year", 4),
        ("now!", 3),
        ("2027-13-01", 5),
        ("2027-12-32", 8),
        ("2027-1-01", 0),
        ("24:00", 0),
        ("23:60", 3),
        ("23:5", 4),
        ("13:00pm", 7),
        ("13/01/27", 0),
        ("", 0),
        ("   ", 0),
        ("uts5", 0),
        ("uts" + "9" * 5000, 0),
        ("utsx", 0),
    ],
)
def test_refused(text, pos):
    with pytest.raises(SyntaxFault) as caught:
        moment(text, NOW)
    assert caught.value.message == f"Invalid time specification (pos={pos}): {text}"
    assert caught.value.offset == pos


@pytest.mark.parametrize("text", ["now+999999999999weeks", "now+" + "9" * 100_000, "now+253402300799"])
def test_beyond_the_calendar(text):
    with pytest.raises(SyntaxFault):
        moment(text, NOW)


def test_long_blanks_are_read_once():
    assert moment(" " * 1_000_000 + "noon", NOW) == moment("noon", NOW)

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.text import times

NOW = 1795247700  # 2026-11-21T07:55:00, a Saturday


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "UNLIMITED"),
        ("1", "1:00"),
        ("61", "1:01:00"),
        ("5:30", "6:00"),
        ("0:30", "1:00"),
        ("1:00:00", "1:00:00"),
        ("1-0", "1-00:00:00"),
        ("1-", "1-00:00:00"),
        ("1-2:3", "1-02:03:00"),
        ("1-2:3:4", "1-02:04:00"),
        ("-5", "INVALID"),
        ("infinite", "UNLIMITED"),
        ("UNLIMITED", "UNLIMITED"),
        ("-1", "UNLIMITED"),
        ("-0", "UNLIMITED"),
        ("90:00", "1:30:00"),
        ("00:00:30", "1:00"),
        ("100:00:00", "4-04:00:00"),
        ("1440", "1-00:00:00"),
        ("0:0:1", "1:00"),
        ("2-00", "2-00:00:00"),
        ("1:2", "2:00"),
        ("0:3600", "1:00:00"),
        ("1:99:99", "2:41:00"),
    ],
)
def test_time_limit(text, shown):
    assert times.limit(times.time_limit(text)) == shown


REFUSED = ["", "+5", " 5", "5 ", "5:", ":5", "abc", "1.5", "10m", "1:2:3:4", "1-2:", "1-:3", "-", "--5", "-5:30"]


@pytest.mark.parametrize("text", [*REFUSED, "-1-2", "1:2-3", "1-2:3:4:5", "²", "9" * 30, "9" * 100_000, "4294967295"])
def test_refused(text):
    with pytest.raises(SyntaxFault, match="Invalid time"):
        times.time_limit(text)


@pytest.mark.parametrize(
    ("minutes", "short", "full"),
    [
        (30, "30:00", "00:30:00"),
        (120, "2:00:00", "02:00:00"),
        (1440, "1-00:00:00", "1-00:00:00"),
        (times.INFINITE, "UNLIMITED", "UNLIMITED"),
        (times.minutes("-5"), "INVALID", "INVALID"),
    ],
)
def test_limit(minutes, short, full):
    assert (times.limit(minutes), times.limit(minutes, full=True)) == (short, full)


@pytest.mark.parametrize(
    ("seconds", "short", "full"),
    [
        (0, "0:00", "00:00:00"),
        (3, "0:03", "00:00:03"),
        (3723, "1:02:03", "01:02:03"),
        (2 * 86400 + 3723, "2-01:02:03", "2-01:02:03"),
        (-1, "INVALID", "INVALID"),
    ],
)
def test_elapsed(seconds, short, full):
    assert (times.elapsed(seconds), times.elapsed(seconds, full=True)) == (short, full)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10m", 600),
        ("90s", 90),
        ("2h", 7200),
        ("1d", 86400),
        ("1h30m", 5400),
        ("7", 420),
        ("5:30", 330),
        ("1-0", 86400),
        ("0", 0),
    ],
)
def test_duration(text, seconds):
    assert times.duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "m", "1x", "-5", "-1", "unlimited", "10mm", "1.5h", "1 m", "1m30", "1" * 99 + "s"]
)
def test_duration_refuses(text):
    with pytest.raises(SyntaxFault):
        times.duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00"),
        (NOW, "2026-11-21T07:55:00"),
        (951782400, "2000-02-29T00:00:00"),
        (253402300799, "9999-12-31T23:59:59"),
    ],
)
def test_instant(seconds, text):
    assert times.instant(seconds) == text


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (0, "07:55:00"),
        (1, "Tomorr 07:55"),
        (-1, "Ystday 07:55"),
        (3, "Tue 07:55"),
        (9, "30 Nov 07:55"),
        (-3, "18 Nov 07:55"),
        (500, "4 Apr 2028"),
    ],
)
def test_relative_instant(days, text):
    assert times.styled_instant(NOW + days * 86400, "relative", NOW) == text


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("", "2026-11-21T07:55:00"),
        ("standard", "2026-11-21T07:55:00"),
        ("%s", "1795247700"),
        ("%%s %Z %z", "%s UTC +0000"),
        ("%d.%m. %H", "21.11. 07"),
    ],
)
def test_styled_instant_does_not_know_the_machine(style, text, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert times.styled_instant(NOW, style, NOW) == text

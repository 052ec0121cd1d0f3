from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.text import sizes


@pytest.mark.parametrize(
    ("text", "mb", "shown"),
    [
        ("10", 10, "10M"),
        ("10K", 1, "1M"),
        ("10k", 1, "1M"),
        ("1024K", 1, "1M"),
        ("1000000K", 977, "977M"),
        ("100M", 100, "100M"),
        ("100MB", 100, "100M"),
        ("1000", 1000, "1000M"),
        ("1GB", 1024, "1G"),
        ("1g", 1024, "1G"),
        ("1GiB", 1024, "1G"),
        ("1536", 1536, "1.50G"),
        ("64000", 64000, "62.50G"),
        ("2T", 2 << 20, "2T"),
        ("1P", 1 << 30, "1P"),
        ("4096P", 1 << 42, "4096P"),
        ("0", 0, "0"),
    ],
)
def test_memory(text, mb, shown):
    assert (sizes.memory(text), sizes.megabytes(mb)) == (mb, shown)


@pytest.mark.parametrize(
    ("text", "digits", "number"),
    [
        ("0", 9, True),
        ("007", 9, True),
        ("123456789", 9, True),
        ("1234567890", 9, False),
        ("1234567890", 10, True),
        ("", 9, False),
        ("-1", 9, False),
        ("+1", 9, False),
        (" 1", 9, False),
        ("1_0", 9, False),
        ("²", 9, False),
        ("٣", 9, False),
    ],
)
def test_is_number(text, digits, number):
    assert sizes.is_number(text, digits) is number


@pytest.mark.parametrize(
    ("text", "number", "rest"),
    [
        ("12", 12, ""),
        (" \t+7", 7, ""),
        ("-3x", -3, "x"),
        (" -3", -3, ""),
        ("+4", 4, ""),
        ("1k", 1, "k"),
        ("12x", 12, "x"),
        ("007", 7, ""),
        ("", 0, ""),
        ("x", 0, "x"),
        ("x1", 0, "x1"),
        ("-", 0, "-"),
        ("- 3", 0, "- 3"),
        ("--1", 0, "--1"),
        ("²", 0, "²"),
        ("9223372036854775807", 2**63 - 1, ""),
        ("9223372036854775808x", 2**63 - 1, "x"),
        ("-" + "9" * 100_000, 1 - 2**63, ""),
    ],
)
def test_numbers_are_read_as_c_does(text, number, rest):
    assert sizes.strtol(text) == (number, rest)


@pytest.mark.parametrize("text", ["", "-1", "1X", "10.5", "0.5G", "zz", " 1", "1 ", "1BB", "G", "²", "1" * 20, "1Mx"])
def test_memory_refuses(text):
    with pytest.raises(SyntaxFault):
        sizes.memory(text)


@pytest.mark.parametrize(
    ("mb", "unit", "shown"),
    [(100, "M", "100M"), (100, "G", "0.10G"), (100, "K", "102400K"), (2048, "G", "2G"), (3.02, "", "3.02M")],
)
def test_megabytes_in_a_unit(mb, unit, shown):
    assert sizes.megabytes(mb, unit) == shown


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("1k", 1024), ("2K", 2048), ("1m", 1 << 20)])
def test_count(text, value):
    assert sizes.count(text) == value


@pytest.mark.parametrize("text", ["", "k", "1.5", "abc", "-1", "1kk", "1g"])
def test_count_refuses(text):
    with pytest.raises(SyntaxFault):
        sizes.count(text)

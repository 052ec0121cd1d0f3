from __future__ import annotations

import signal

import pytest

from slimsched.text import signals


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("USR1", 10),
        ("usr2", 12),
        ("SIGTERM", 15),
        ("sigint", 2),
        (" KILL ", 9),
        ("9", 9),
        (" 15 ", 15),
        ("-5", -5),
        ("65536", 65536),
        ("0", 0),
        ("9x", 0),
        ("SEGV", 0),
        ("SIGRTMIN", 0),
        ("SIGSIGINT", 0),
        ("SIG", 0),
        ("", 0),
    ],
)
def test_number(word, number):
    assert signals.number(word) == number


def test_the_numbers_are_those_of_linux():
    assert {name: signal.Signals[f"SIG{name}"] for name in signals.NUMBERS} == signals.NUMBERS


@pytest.mark.parametrize(("number", "name"), [(9, "KILL"), (15, "TERM"), (24, "XCPU"), (11, "11"), (64, "64")])
def test_name(number, name):
    assert signals.name(number) == name

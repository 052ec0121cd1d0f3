"""Which texts are numbers, as Slurm's comparisons read them."""

from __future__ import annotations

import math

import pytest

from slimsched.constraints.slurm_values import number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-1.5e3", -1500.0),
        ("5.", 5.0),
        ("+7", 7.0),
        ("0x10", 16.0),
        ("0x1p3", 8.0),
        ("0x.8", 0.5),
        ("-0X1P-1", -0.5),
        ("1e999", math.inf),
        ("0x1p99999", math.inf),
        ("-0x1p99999", -math.inf),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
    ],
)
def test_numbers(text, value):
    assert number(text) == value


def test_nan_is_a_number_that_equals_nothing():
    assert math.isnan(number("nan"))


@pytest.mark.parametrize(
    "text", ["", ".", ".5", "-.5", "1x", "50%", "0x", "0xg", "1e", "0x1p", "--1", "١", "1_0", "infinit", "e5"]
)
def test_no_numbers(text):
    assert number(text) is None

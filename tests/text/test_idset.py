from __future__ import annotations

import json
from pathlib import Path

import pytest

from slimsched.text import idset

DATA = Path(__file__).parent.parent / "data" / "idset_flux.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["input"][:30])
def test_agrees_with_the_records(row):
    if row["ids"] is None:
        with pytest.raises(idset.IdsetError):
            idset.decode(row["input"])
    else:
        assert idset.decode(row["input"]) == row["ids"]
        assert idset.encode(row["ids"]) == row["encoded"]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1,,2", (2, 2)),
        ("1,", (2, 2)),
        ("1,05", (2, 4)),
        ("4,3", (2, 3)),
        ("4,4", (2, 3)),
        ("3-3", (0, 3)),
        ("[5-4]", (1, 4)),
        ("[1", (0, 2)),
        ("1]", (0, 2)),
        ("1-2-3", (2, 5)),
        ("1, 2", (2, 4)),
        ("²", (0, 1)),
        ("2147483648", (0, 10)),
        ("1-4294967297", (2, 12)),
        ("9" * 5000, (0, 5000)),
    ],
)
def test_refuses(text, span):
    with pytest.raises(idset.IdsetError) as caught:
        idset.ranges(text)
    assert caught.value.span == span


def test_ranges_are_never_written_out():
    assert idset.ranges("0-2147483647") == [(0, 2147483647)]
    assert idset.ranges("[0,1,2-3,5]") == [(0, 3), (5, 5)]
    assert idset.encode_ranges([(0, 3), (5, 5)]) == "0-3,5"
    with pytest.raises(idset.IdsetError, match="more than 16,777,216 ids"):
        idset.decode("0-2147483647")


def test_encode_sorts_and_drops_repeats():
    assert idset.encode([5, 1, 2, 2, 3]) == "1-3,5"
    assert idset.encode([]) == ""


@pytest.mark.parametrize("i", [-1, 2**31])
def test_encode_refuses_what_no_idset_holds(i):
    with pytest.raises(ValueError, match="is not in"):
        idset.encode([i])

"""Rows of tables are immutable, and say their values."""

from __future__ import annotations

import pytest

from slimsched.slurm.errno import CODES, Errno
from slimsched.slurm.rows import Row


class Word(Row):
    text: str
    number: int = 7
    also: tuple[str, ...] = ()


def test_fields_by_position_and_name():
    row = Word("a", also=("b",))

    assert (row.text, row.number, row.also) == ("a", 7, ("b",))
    assert repr(row) == "Word(text='a', also=('b',))"
    assert Word("a", 8).number == 8


def test_a_row_does_not_change():
    row = Word("a")

    with pytest.raises(AttributeError, match=r"Word\(text='a'\): a row does not change"):
        row.number = 8
    assert row.number == 7


def test_every_error_number_is_one_code():
    assert len({*CODES}) == len(CODES) > 90
    assert (Errno.INVALID_JOB_ID, Errno.INVALID_JOB_ID.text) == (2017, "Invalid job id specified")

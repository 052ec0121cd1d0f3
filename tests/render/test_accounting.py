from __future__ import annotations

import pytest

from slimsched.render.accounts import tables

FIELDS = [tables.Field("Account", -20, str), tables.Field("ID", 6, str)]


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("account,id", [-20, 6]),
        ("ALL", [-20, 6]),
        ("acc%30,id%-8", [30, -8]),
        ("id%0,id%,id%x", [6, 6, 6]),
        ("id%12x", [12]),
        ("id%999999,id%-999999", [tables.MAX_WIDTH, -tables.MAX_WIDTH]),
        ("id%" + "9" * 5000, [tables.MAX_WIDTH]),
    ],
)
def test_widths(text, widths):
    assert [field.width for field in tables.choose(FIELDS, text)] == widths


@pytest.mark.parametrize(
    ("spelled", "word", "answer"),
    [
        ("MaxJobs:4", "maxj", True),
        ("MaxJobs:4", "MAXJOBS", True),
        ("MaxJobs:4", "max", False),
        ("MaxJobs:4", "maxjobsx", False),
        ("MaxJobs:4", "jobs", False),
        ("User:1", "", False),
    ],
)
def test_begins(spelled, word, answer):
    assert tables.begins(spelled, word) is answer

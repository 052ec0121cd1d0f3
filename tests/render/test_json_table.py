"""Tables of keys, and the types of their values."""

from __future__ import annotations

import pytest

from slimsched.model.request import INFINITE
from slimsched.render.json import table as t


def test_keys_stand_where_their_first_part_did():
    table = t.Table(
        ("a/b", t.whole, lambda record: record["n"]),
        ("c", t.text, t.NOTHING),
        ("a/d/e", t.words, lambda record: record["words"]),
        ("a/d/f", t.truth, t.ZERO),
    )

    found = table.of({"n": 3, "words": "x,,y"})

    assert found == {"a": {"b": 3, "d": {"e": ["x", "y"], "f": False}}, "c": ""}
    assert list(found) == ["a", "c"]
    assert table.paths() == ["a/b", "c", "a/d/e", "a/d/f"]
    assert table.every([]) == []


def test_records_do_not_share_mappings():
    table = t.Table(("a/b", t.whole, t.same))
    first, second = table.every([1, 2])

    first["a"]["b"] = 9

    assert second == {"a": {"b": 2}}


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (t.text, None, ""),
        (t.text, "x", "x"),
        (t.whole, None, 0),
        (t.whole, True, 1),
        (t.truth, "x", True),
        (t.truth, None, False),
        (t.words, None, []),
        (t.words, "a,b", ["a", "b"]),
        (t.words, ["a", ""], ["a"]),
        (t.number, 0, {"set": True, "infinite": False, "number": 0}),
        (t.number, None, {"set": False, "infinite": False, "number": 0}),
        (t.number, INFINITE, {"set": False, "infinite": True, "number": 0}),
        (t.real, 2, {"set": True, "infinite": False, "number": 2.0}),
        (t.real, None, {"set": False, "infinite": False, "number": 0.0}),
        (t.flags("A", "B"), {"B": True, "C": False, "A": 1}, ["A", "B"]),
        (t.flags("A", "B"), {"X", "B"}, ["B", "X"]),
    ],
)
def test_types(kind, value, found):
    assert kind(value) == found
    assert type(kind(value)) is type(found)


@pytest.mark.parametrize(
    ("code", "signal", "status", "returned", "number", "name"),
    [
        (0, 0, "SUCCESS", 0, None, ""),
        (3, 0, "ERROR", 3, None, ""),
        (0, 9, "SIGNALED", None, 9, "KILL"),
        (0, 15, "SIGNALED", None, 15, "TERM"),
        (0, 64, "SIGNALED", None, 64, "64"),
    ],
)
def test_exit_codes(code, signal, status, returned, number, name):
    assert t.exit_code(code, signal) == {
        "status": [status],
        "return_code": t.number(returned),
        "signal": {"id": t.number(number), "name": name},
    }


def test_keys_that_are_alike():
    table = t.Table(*t.alike(t.text, t.NOTHING, "b/x a b/y"))

    assert table.paths() == ["b/x", "a", "b/y"]
    assert table.of(None) == {"b": {"x": "", "y": ""}, "a": ""}

"""Tables of keys, and the types of their values."""

from __future__ import annotations

import pytest

from slimsched.model.request import INFINITE
from slimsched.render.json import table as t
from slimsched.render.json import types


def test_keys_stand_where_their_first_part_did():
    table = t.Table(
        ("a/b", types.whole, lambda record: record["n"]),
        ("c", types.text, t.NOTHING),
        ("a/d/e", types.words, lambda record: record["words"]),
        ("a/d/f", types.truth, t.ZERO),
    )

    found = table.of({"n": 3, "words": "x,,y"})

    assert found == {"a": {"b": 3, "d": {"e": ["x", "y"], "f": False}}, "c": ""}
    assert list(found) == ["a", "c"]
    assert table.paths() == ["a/b", "c", "a/d/e", "a/d/f"]
    assert table.every([]) == []


def test_records_do_not_share_mappings():
    table = t.Table(("a/b", types.whole, types.same))
    first, second = table.every([1, 2])

    first["a"]["b"] = 9

    assert second == {"a": {"b": 2}}


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (types.text, None, ""),
        (types.text, "x", "x"),
        (types.whole, None, 0),
        (types.whole, True, 1),
        (types.truth, "x", True),
        (types.truth, None, False),
        (types.words, None, []),
        (types.words, "a,b", ["a", "b"]),
        (types.words, ["a", ""], ["a"]),
        (types.number, 0, {"set": True, "infinite": False, "number": 0}),
        (types.number, None, {"set": False, "infinite": False, "number": 0}),
        (types.number, INFINITE, {"set": False, "infinite": True, "number": 0}),
        (types.real, 2, {"set": True, "infinite": False, "number": 2.0}),
        (types.real, None, {"set": False, "infinite": False, "number": 0.0}),
        (types.flags("A", "B"), {"B": True, "C": False, "A": 1}, ["A", "B"]),
        (types.flags("A", "B"), {"X", "B"}, ["B", "X"]),
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
    assert types.exit_code(code, signal) == {
        "status": [status],
        "return_code": types.number(returned),
        "signal": {"id": types.number(number), "name": name},
    }


def test_keys_that_are_alike():
    table = t.Table(*t.alike(types.text, t.NOTHING, "b/x a b/y"))

    assert table.paths() == ["b/x", "a", "b/y"]
    assert table.of(None) == {"b": {"x": "", "y": ""}, "a": ""}

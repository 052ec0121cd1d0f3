from __future__ import annotations

import json
from typing import Any

import pytest

from slimsched.constraints import deep_json

VALUES = [1, -2.5, "a", 'q"\\[', True, None, [], {}, [1, [2, []], {}], {"a": {"b": [1, "]"]}, "c": {}}, [[]], " "]


@pytest.mark.parametrize("value", VALUES, ids=json.dumps)
def test_both_ways_agree_with_the_standard_library(value: Any) -> None:
    assert deep_json._dumps(value) == json.dumps(value)
    assert deep_json._loads(json.dumps(value, indent=1), 10) == value


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "[1,", "[1,]", "[1 2]", '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{1:2}", "[}", "[1]x", "{]"]
)
def test_ill_formed(text: str) -> None:  # fmt: skip
    with pytest.raises(json.JSONDecodeError):
        deep_json._loads(text, 10)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_depth() -> None:
    text = "[" * 2000 + "]" * 2000
    value = deep_json.loads(text)

    assert deep_json.dumps(value) == text
    with pytest.raises(ValueError, match="nested more than 1999 levels deep"):
        deep_json.loads(text, 1999)


def test_the_last_of_two_equal_keys_counts() -> None:
    assert deep_json._loads('{"a": 1, "a": [2]}', 5) == {"a": [2]}

from __future__ import annotations

import pytest
from constraint_tables import rows

from slimsched.constraints import node_extra
from slimsched.errors import SyntaxFault

TEXTS = rows("extra_node_texts.jsonl")


@pytest.mark.parametrize(("text", "verdict"), TEXTS, ids=[ascii(text) for text, _ in TEXTS])
def test_texts_as_the_real_slurm_takes_them(text: str, verdict: str) -> None:
    """``lax``: ill-formed JSON that json-c lets through is refused here, a deliberate difference."""
    if verdict in ("ok", "none"):
        node_extra.decode(text)
    else:
        with pytest.raises(SyntaxFault):
            node_extra.decode(text)


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("1", 0, "a bare number, boolean or null is not node data"),
        (" \n", 0, "nothing but white space"),
        ("{'k': 1}", 1, "JSON strings need double quotes"),
        ('{"k": 1,}', 8, 'a comma before "}"'),
        ('{"k": 1} x', 9, "text after the end of the JSON value"),
        ('{"NaN": NaN}', 8, "JSON has no NaN"),
        ('{"k": -Infinity}', 6, "JSON has no -Infinity"),
        ('{"k": "a\nb"}', 8, "a control character inside a string"),
        ("[" * 33, 32, "nested more than 32 levels deep"),
        ("not json", 0, "ill-formed JSON: expecting value"),
    ],
)
def test_fault(text: str, offset: int, message: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        node_extra.decode(text)

    assert (caught.value.offset, caught.value.message) == (offset, message)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["", "[1, 2]", '"load"', "{}", " [ ] "])
def test_no_data(text: str) -> None:
    assert node_extra.decode(text) == {}


@pytest.mark.parametrize(
    ("value", "scalar"),
    [
        ("1", 1.0),
        ("-0", 0.0),
        ("1e400", float("inf")),
        ("9" * 10_000, 2.0**63),
        ("-" + "9" * 10_000, -(2.0**63)),
        ("true", True),
        ('"a\\u0000b"', "a"),
        ('"\\ud83d"', "\ufffd"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ("null", None),
        ("[1]", None),
        ("{}", None),
    ],
)
def test_scalar(value: str, scalar: object) -> None:
    found = node_extra.scalar(node_extra.decode(f'{{"k": {value}}}')["k"])

    assert (found, type(found)) == (scalar, type(scalar))


def test_the_last_of_two_equal_keys_counts() -> None:
    assert node_extra.decode('{"k": 1, "k": 2}') == {"k": 2}


def test_depth_counts_brackets_outside_strings_only() -> None:
    text = '{"k": "' + "[" * 100 + '\\"", "d": ' + "[" * 31 + "]" * 31 + "}"

    assert node_extra.decode(text)["k"] == "[" * 100 + '"'


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '{"a": "' + "\\" * 1_000_001], ids=["list", "dict", "string"]
)
def test_hostile_texts_are_refused(text: str) -> None:
    with pytest.raises(SyntaxFault):
        node_extra.decode(text)


def test_many_keys() -> None:
    text = "{" + ",".join(f'"k{i}":{i}' for i in range(100_000)) + "}"

    assert len(node_extra.decode(text)) == 100_000


@pytest.mark.parametrize("text", [None, "", "not json", "1"])
def test_lenient_has_no_data(text: str | None) -> None:
    assert node_extra.lenient(text) is None

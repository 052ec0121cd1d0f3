"""YAML as a strict emitter writes it; the expected texts are the YAML library's own."""

from __future__ import annotations

import pytest
import scene
import yaml_reader
from hypothesis import given
from hypothesis import strategies as st

from slimsched.render.json.text import as_yaml, style_of

TEXTS = scene.records("yaml_texts.jsonl")
scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.sampled_from([0.0, 1.5, -2.25])
texts = st.text(st.sampled_from("ab :-#'\"\\,[]{}?!&*|>%@`~=\t\né\x01\x7f")) | st.lists(
    st.sampled_from(["word", "it's", "a: b", "é", "-", "#x", ""])
).map(" ".join)
keys = st.text(st.sampled_from("abc_/- :#'"), min_size=1, max_size=8).filter(lambda key: key.strip() == key)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("record", TEXTS, ids=[repr(record["text"])[:30] for record in TEXTS])
def test_texts(record):
    head = "%YAML 1.1\n--- !!map\n"

    assert as_yaml({"k": record["text"]}) == f"{head}{record['yaml']}...\n"
    assert as_yaml({"k": [record["text"]]}) == f"{head}!!str k: !!seq\n{record['listed']}...\n"


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({}, ["--- !!map {}"]),
        ([], ["--- !!seq []"]),
        ({"a": None, "b": True, "c": False}, ["--- !!map", "!!str a: !!null null", "!!str b: !!bool true",
                                              "!!str c: !!bool false"]),
        ({"a": -7, "b": 2.0, "c": 1e-7}, ["--- !!map", "!!str a: !!int -7", "!!str b: !!float 2.000000",
                                         "!!str c: !!float 0.000000"]),
        ({"jobs": [{"id": 1, "gres": [], "set": {"a": {}}}]},
         ["--- !!map", "!!str jobs: !!seq", "- !!map", "  !!str id: !!int 1", "  !!str gres: !!seq []",
          "  !!str set: !!map", "    !!str a: !!map {}"]),
        ({"a": [[1, 2], [], ["x"]]},
         ["--- !!map", "!!str a: !!seq", "- !!seq", "  - !!int 1", "  - !!int 2", "- !!seq []", "- !!seq",
          "  - !!str x"]),
        ({"a b": 1, "a: b": 2, "": 3, "é": 4},
         ["--- !!map", "!!str a b: !!int 1", "!!str 'a: b': !!int 2", "!!str '': !!int 3", '!!str "\\xE9": !!int 4']),
    ],
)  # fmt: skip
def test_layout(value, lines):
    assert as_yaml(value).split("\n") == ["%YAML 1.1", *lines, "...", ""]


@pytest.mark.parametrize(
    ("text", "style"),
    [("x", ""), ("x:y", ""), ("x y", ""), ("x: y", "'"), ("x #", "'"), (" x", "'"), ("x\n", "'"), ("x \n", '"'),
     ("\t", '"'), ("ü", '"'), ("...", "'"), ("-1", ""), ("- 1", "'"), ("?", "'"), ("?x", ""), (":x", "")],
)  # fmt: skip
def test_styles(text, style):
    assert style_of(text) == style


@given(st.dictionaries(keys, values, max_size=5))
def test_what_is_written_can_be_read(value):
    assert yaml_reader.read(as_yaml(value)) == value

"""JSON without the module `json`: the same texts, the same values."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.executor.local import plain_json
from slimsched.executor.local.executor import ROOT

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(VALUES)
def test_it_writes_and_reads_as_json_does(value: Any) -> None:
    text = plain_json.dumps(value)

    assert text == json.dumps(value)
    assert plain_json.loads(text) == plain_json.loads(f" {text}\n".encode()) == json.loads(text)


@pytest.mark.parametrize("text", ["", " ", "{", '{"a"', "{} {}", "[1,]", "nul", "'a'", '"\n"', b"\xff"])
def test_what_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        plain_json.loads(text)


def test_what_json_does_not_have() -> None:
    with pytest.raises(TypeError):
        plain_json.dumps({"a": object()})


def test_a_supervisor_imports_little() -> None:
    words = "import sys, slimsched.executor.local.supervisor as s; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-S", "-c", words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"json", "re", "enum", "typing", "functools", "collections", "subprocess"} & set(run.stdout.split())

"""Keys of slurm.conf: one table of defaults, read by everybody without a default of his own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import slimsched
from slimsched.model.config import Config
from slimsched.slurm import conf


@pytest.mark.parametrize("key", conf.DEFAULTS)
def test_what_is_not_set_is_the_default(key):
    assert Config().get(key) == conf.DEFAULTS[key]
    assert Config(slurm={key: "other"}).get(key) == "other"


@pytest.mark.parametrize(("text", "number"), [("", 60), ("x", 60), ("7", 7), ("0", 0)])
def test_a_number_that_is_none_is_the_default(text, number):
    assert Config(slurm={"ResumeTimeout": text} if text else {}).number("ResumeTimeout") == number


@pytest.mark.parametrize(("text", "seconds"), [("", 300), ("x", 300), ("2", 120), ("1-0", 86400)])
def test_a_time_that_is_none_is_the_default(text, seconds):
    assert Config(slurm={"PriorityCalcPeriod": text}).seconds("PriorityCalcPeriod") == seconds


def test_every_parameter_that_code_asks_for_is_in_the_table():
    """A slip in a name would read as "not given" for ever."""
    asked = set()
    texts = [path.read_text(encoding="utf-8") for path in Path(slimsched.__file__).parent.rglob("*.py")]
    for text in texts:
        for node in ast.walk(ast.parse(text if ".parameters" in text else "")):
            if isinstance(node, ast.Compare) and any(_parameters(right) for right in node.comparators):
                asked.add(getattr(node.left, "value", ""))
            elif isinstance(node, ast.Call) and _parameters(getattr(node.func, "value", None)):
                asked |= {getattr(arg, "value", "") for arg in node.args if node.func.attr == "number"}
            elif isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "numbers":
                asked.add(getattr(node.slice, "value", ""))

    assert {text for text in asked if isinstance(text, str)} - {""} <= set(conf.NUMBERS) | conf.FLAGS
    assert {"bf_window", "max_script_size", "extra_constraints", "defer"} <= asked


def _parameters(node):
    return isinstance(node, ast.Attribute) and node.attr == "parameters"

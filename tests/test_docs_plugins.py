"""docs/plugins.md teaches what is there: its code is the example package, its table has no gap."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from slimsched.priority.api import PriorityPlugin
from slimsched.sched.api import SchedPlugin
from slimsched.select.api import SelectPlugin

HOME = Path(__file__).parent.parent
TEXT = (HOME / "docs" / "plugins.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| `([\w/.]+)::(\w+)` \|$", TEXT, re.MULTILINE)
SCHED = {"schedule", "initial_priority", "job_is_pending", "get_errno", "strerror"}


def functions(interface):
    return {name for name, value in vars(interface).items() if callable(value) and not name.startswith("_")}


def test_every_function_of_the_guides_has_a_row():
    names = [row[0] for row in ROWS]

    assert len(names) == len(set(names))
    assert set(names) == functions(SelectPlugin) | SCHED | functions(PriorityPlugin)
    assert functions(SchedPlugin) >= SCHED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_test_of_a_row_exists(row):
    path = HOME / "tests" / row[3]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert row[4] in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", ["slimsched_lab/mine.py", "slimsched_lab/shortest.py", "pyproject.toml"])
def test_the_code_is_that_of_the_example(name):
    code = (HOME / "examples" / "plugins" / name).read_text(encoding="utf-8")
    assert f"# {name}\n{code}```" in TEXT


@pytest.mark.parametrize("name", ["mine.py", "shortest.py"])
def test_a_plugin_is_a_file_of_about_fifty_lines(name):
    assert len((HOME / "examples" / "plugins" / "slimsched_lab" / name).read_text().splitlines()) <= 60

"""docs/plugins.md teaches what is there: its code is the example package, its table has no gap."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

import pytest

from slimsched.priority.api import PriorityPlugin
from slimsched.sched.api import Host, SchedPlugin
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


EXAMPLES = {"Newest": ("sched/api.py", SchedPlugin), "Small": ("priority/api.py", PriorityPlugin)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_smallest_plugins_are_complete(name):
    """The example of the text is that of the interface's docstring, and keeps to the contract."""
    from slimsched import plugins
    from slimsched.controller.plugins import sched_contract
    from slimsched.priority import contract

    file, interface = EXAMPLES[name]
    code = next(block for block in re.findall(r"```python\n(.+?)```", TEXT, re.DOTALL) if f"class {name}(" in block)
    docstring = ast.get_docstring(ast.parse((HOME / "slimsched" / file).read_text(encoding="utf-8"))) or ""
    assert textwrap.indent(code, "    ") in docstring
    made: dict[str, object] = {"__name__": "newcomer"}
    exec(code, made)
    plugin = made[name]
    assert isinstance(plugin, type)
    assert issubclass(plugin, interface)
    checks = sched_contract.CHECKS if interface is SchedPlugin else contract.CHECKS
    assert [(check, fault) for check, fault in plugins.run_checks(plugin, checks) if fault] == []


def test_every_method_of_the_host_is_in_the_text():
    names = {name for name in vars(Host) if not name.startswith("_")} | {"cluster"}
    assert {name for name in names if not re.search(rf"`{name}[`(]", TEXT)} == set()


def test_fields_and_arguments_are_those_of_the_classes():
    """``python docs/generate_plugins.py`` brings them up to date."""
    sys.path.insert(0, str(HOME / "docs"))
    import generate_plugins

    assert generate_plugins.main(["--check"]) == 0

"""Imports point downwards only, and the outside libraries stay in their rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "slimsched"
LAYERS = [
    "testing",
    "cli",
    "render",
    "replay",
    "library",
    "controller",
    "executor",
    "sched",
    "select",
    "priority",
    "constraints",
    "state",
    "model",
    "slurm",
    "text",
]
ROOMS = {  # library -> the packages that may import it
    "pytest": {"testing"},
    "click": {"cli"},
    "rich": {"render"},
    "matplotlib": {"render"},
    "dask": {"replay"},
    "pyarrow": {"replay"},
    "dask_jobqueue": {"replay"},
    "msgspec": {"model", "state"},
    "tomli_w": {"state"},
    "tomllib": {"state"},
    "platformdirs": {"state"},
}
PURE = {"sched", "select", "priority", "constraints"}  # never touch files
CONTROLLER = [
    *("explain", "wiki", "update", "plugins", "submit", "schedule", "accounts", "life", "reservations"),
    *("gridengine", "requests", "categories", "step_calls"),
]
"""The rooms and files of controller/ below the controller itself (`core`, which loads what a command needs of them)."""
FILES = sorted(ROOT.rglob("*.py"))


def imports(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def at_run_time(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module that are run, those of its functions too, but not what only mypy reads."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        yield statement
        for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            for name in ("body", "orelse", "finalbody"):
                waiting += getattr(part, name, ())


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def graph() -> dict[str, set[str]]:
    """Return the modules that each module imports at run time, at its top or within a function."""
    modules = {module(path) for path in FILES}
    found: dict[str, set[str]] = {}
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used: set[str] = set()
        for node in at_run_time(tree):
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named = [f"{node.module}.{alias.name}" for alias in node.names]
                used |= {name if name in modules else str(node.module) for name in named}
        found[module(path)] = used & modules - {module(path)}
    return found


def test_nothing_imports_in_a_circle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_rooms_of_the_controller_rest_on_lower_ones() -> None:
    def room(name: str) -> str:
        return name.split(".")[2] if name.startswith("slimsched.controller.") else ""

    pairs = {(room(user), room(used)) for user, names in graph().items() for used in names}
    between = {pair for pair in pairs if all(pair) and "core" not in pair}

    assert {part for pair in between for part in pair} <= set(CONTROLLER)
    assert {pair for pair in between if CONTROLLER.index(pair[0]) > CONTROLLER.index(pair[1])} == set()


def layer(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else ""


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_imports_point_down(path: Path) -> None:
    here = layer(path)
    if not here:
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "slimsched" and len(parts) > 1 and parts[1] in LAYERS:
            assert LAYERS.index(parts[1]) >= LAYERS.index(here), f"{here} imports {name}, which lies above it"
            assert not (here in PURE and parts[1] == "state"), f"{here} imports {name}: plugins do not touch files"
        elif parts[0] in ROOMS:
            assert here in ROOMS[parts[0]], f"{here} imports {parts[0]}"


def test_every_package_is_a_known_layer() -> None:
    assert {p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__"} <= set(LAYERS)


def changes(tree: ast.AST) -> list[str]:
    """Return the attributes and items below a cluster, a controller or a job that code assigns to or deletes."""
    found = []
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
        targets += [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []
        parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
        holders = [ast.unparse(part.value) for part in parts if isinstance(part, ast.Attribute | ast.Subscript)]
        found += [holder for holder in holders if {"ctl", "cluster", "job"} & set(holder.split("."))]
    return found


EXEMPT = {
    "cli/app.py": ["controller.cluster"],  # a session says who asks, for the history
    "cli/own/plugins.py": ["cluster", "cluster.select_jobinfo"],  # `sim plugins` asks a plugin for records of its own
    "render/jobs/job_list.py": ["job"] * 5,  # copies of an array's record
}


@pytest.mark.parametrize("room", ["cli", "render"])
def test_commands_and_printers_change_nothing_themselves(room: str) -> None:
    paths = sorted((ROOT / room).rglob("*.py"))
    told = {str(path.relative_to(ROOT)): changes(ast.parse(path.read_text(encoding="utf-8"))) for path in paths}

    assert {path: found for path, found in told.items() if found} == {
        path: found for path, found in EXEMPT.items() if path.startswith(f"{room}/")
    }


@pytest.mark.parametrize(
    "line", ["del ctl.cluster.jobs[1]", "a, cluster.x = 1, 2", "job.request.name = 1", "ctl.cluster.n += 1"]
)
def test_a_change_is_seen(line: str) -> None:
    assert changes(ast.parse(line))

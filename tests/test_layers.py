"""Imports point downwards only, and the outside libraries stay in their rooms."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "slimsched"
LAYERS = [
    "cli",
    "render",
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
    "click": {"cli"},
    "rich": {"render"},
    "msgspec": {"model", "state"},
    "tomli_w": {"state"},
    "tomllib": {"state"},
    "platformdirs": {"state"},
}
PURE = {"sched", "select", "priority", "constraints"}  # never touch files
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
    "render/jobs/job_list.py": ["job"] * 4,  # copies of an array's record
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

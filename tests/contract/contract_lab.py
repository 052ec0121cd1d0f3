"""The package of examples/plugins, installed: on the path, with its entry points."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path

HOME = Path(__file__).parent.parent.parent / "examples" / "plugins"


def install(folder: Path, monkeypatch, extra: dict[str, dict[str, str]] | None = None) -> None:
    """Do what ``pip install`` does, less the copying; ``extra``: more entry points, by kind."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    points = {group: dict(named) for group, named in project["entry-points"].items()}
    for kind, named in (extra or {}).items():
        points.setdefault(f"slimsched.{kind}", {}).update(named)
    info = folder / f"slimsched_lab-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = []
    for group, named in points.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in named.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.syspath_prepend(str(HOME))
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "slimsched_lab"]:
        monkeypatch.delitem(sys.modules, name)

"""Virtual environments for real programs, and the live clusters that they run on."""

from __future__ import annotations

import json
import os
import subprocess
import time
import venv
from pathlib import Path
from typing import Any

import platformdirs
import pytest

HOME = Path(os.environ.get("SLIMSCHED_CLIENTS") or platformdirs.user_cache_path("slimsched") / "clients")
CLUSTER = ("init", "--live", "--nodes", "n[1-4]", "--cpus", "8", "--memory", "32G")
ENDING = 120  # seconds for what a program leaves running


def pip(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", *words]
    return subprocess.run(command, capture_output=True, text=True)


def installed(name: str, requires: list[str]) -> Path:
    """Make or reuse the virtual environment with just these requirements."""
    folder = HOME / name
    stamp = folder / "requires.json"
    if stamp.exists() and json.loads(stamp.read_text()) == requires:
        return folder
    venv.create(folder, clear=True, with_pip=True)
    done = pip(folder, "install", "-q", *requires)
    if done.returncode:
        if pip(folder, "download", "-q", "--no-deps", "-d", str(folder), "pip").returncode:
            pytest.skip("the package index cannot be reached")
        raise AssertionError(done.stderr)
    stamp.write_text(json.dumps(requires))
    return folder


def leave_nothing(sim: Any) -> None:
    """End what a program has left on its cluster, and see it end."""
    for how in ((), ("--signal=KILL", "--full")):  # what waits ends by the first, what ignores it by the second
        sim.run("scancel", *how, "-u", str(os.getuid()))
    runs = sim.state / "data-1" / "runs"
    until = time.monotonic() + ENDING
    while any(runs.iterdir()) and time.monotonic() < until:
        time.sleep(0.1)
        sim.run("squeue")
    assert not list(runs.iterdir())

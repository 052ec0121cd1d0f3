"""The live cluster of these tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from slimsched.executor.local import files


@pytest.fixture
def live(sim: Any) -> Iterator[Any]:
    """A live cluster of one node with four CPUs; nothing of it is left running."""
    sim("init", "--live", "--nodes", "n1", "--cpus", "4", "--set", "KillWait=1")
    os.mkfifo(sim.cwd / "told")
    yield sim
    sim.run("scancel", "-u", str(os.getuid()))
    for folder in (sim.state / "data-1" / "runs").glob("*"):
        files.order(str(folder), {"do": "stop", "why": "CANCELLED"})

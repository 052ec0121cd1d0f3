"""Sweeps on the workers of Dask: jobs of a live cluster, which dask-jobqueue submits, and a scheduler at an address.

``python -m pytest -m clients tests/clients/test_sweeps_by_dask.py`` installs slimsched itself with its extra
``cluster`` (see `environments`).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from environments import CLUSTER, installed, leave_nothing

ROOT = Path(__file__).parents[2]
SECONDS = 300

GRID = """\
[generate]
procs = 16
jobs = 60
load = 0.9

[grid]
policy = ["fcfs", "easy", "nobody"]
seed = [1, 2]
"""

SCHEDULER = """\
import sys

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(2, threads_per_worker=2, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

Sweep = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def folder() -> Path:
    return installed("sweep", ["-e", f"{ROOT}[cluster]"])


@pytest.fixture
def site(sim: Any) -> Iterator[Any]:
    """A live cluster."""
    sim(*CLUSTER, "--partition", "regular")
    yield sim
    leave_nothing(sim)


@pytest.fixture
def sweep(sim: Any, folder: Path) -> Sweep:
    (sim.cwd / "grid.toml").write_text(GRID, encoding="ascii")
    shims = sim.cwd.parent / "shims"
    sim("shims", str(shims))
    path = os.pathsep.join([str(shims), str(folder / "bin"), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "SLIMSCHED_STATE": str(sim.state), "SLIMSCHED_NOTES": "0"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["sim", "sweep", "grid.toml", *words]
        return subprocess.run(command, cwd=sim.cwd, env=env, capture_output=True, text=True, timeout=SECONDS)

    return run


def results(out: Path) -> dict[str, bytes]:
    """Return all that a sweep has written."""
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def agree(sim: Any, sweep: Sweep, *words: str) -> None:
    """Compare a sweep on workers with one in processes of its own; the cells of an unknown policy fail in both."""
    here, there = sweep("--out", "here"), sweep("--out", "there", *words)

    assert (here.returncode, there.returncode) == (1, 1), there.stderr
    assert there.stdout == here.stdout
    assert "fcfs x2" in there.stdout
    assert results(sim.cwd / "there") == results(sim.cwd / "here")
    assert sum(name.endswith("summary.json") for name in results(sim.cwd / "there")) == 4


@pytest.mark.clients
def test_jobs_of_a_live_cluster_replay_the_cells(site: Any, sweep: Sweep) -> None:
    agree(site, sweep, "--dask-jobqueue", "2")

    jobs = site("sacct -X -n -P -o JobName,Partition,State")
    assert jobs.splitlines() == [f"dask-worker|regular|CANCELLED by {os.getuid()}"] * 2


@pytest.mark.clients
def test_the_workers_of_a_scheduler_at_an_address_replay_the_cells(sim: Any, sweep: Sweep, folder: Path) -> None:
    (sim.cwd / "scheduler.py").write_text(SCHEDULER, encoding="ascii")
    words = [str(folder / "bin" / "python"), "scheduler.py"]
    with subprocess.Popen(words, cwd=sim.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as scheduler:
        assert scheduler.stdin
        assert scheduler.stdout
        address = scheduler.stdout.readline().strip()  # the end of it, if the scheduler dies
        agree(sim, sweep, "--dask", address)
        scheduler.stdin.close()
        assert scheduler.wait(SECONDS) == 0


@pytest.mark.clients
def test_nobody_at_an_address(sweep: Sweep) -> None:
    done = sweep("--out", "there", "--dask", "tcp://127.0.0.1:1")

    assert done.returncode == 1
    assert done.stderr.startswith("sim: error: --dask tcp://127.0.0.1:1: ")
    assert "Traceback" not in done.stderr

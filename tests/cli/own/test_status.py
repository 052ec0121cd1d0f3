"""``sim status``, ``sim help`` and ``python -m slimsched``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

SAID = """\
Cluster:  cluster in {}; jobs run in simulation
Clock:    2026-01-01T00:00:00 (virtual)
Nodes:    1 allocated, 1 drained, 1 idle
Jobs:     3 PENDING, 1 RUNNING
Waiting:  2 JobHeldUser, 1 Dependency
Next:     2026-01-01T00:00:40 job 1 ends
"""


@pytest.fixture
def cluster(sim: Any) -> Any:
    """Three nodes, one of them drained; a job that runs and three that wait."""
    sim("init --nodes n[1-3] --cpus 2")
    sim("scontrol update nodename=n3 state=drain reason=fan")
    sim("sbatch --exclusive --sim-runtime 40 --wrap x")
    sim("sbatch --hold --array 1-2 --wrap x")
    sim("sbatch -d afterany:1 --wrap x")
    return sim


def test_the_cluster_at_a_glance_and_the_clock_stands_still(cluster: Any) -> None:
    said = cluster("status")

    assert said == cluster("status") == SAID.format(cluster.state)


def test_json(cluster: Any) -> None:
    said = json.loads(cluster("status --json"))

    assert said["nodes"] == {"allocated": 1, "drained": 1, "idle": 1}
    assert (said["jobs"], said["reasons"]) == ({"PENDING": 3, "RUNNING": 1}, {"JobHeldUser": 2, "Dependency": 1})
    assert (said["clock"], said["now"]) == ("virtual", 1767225600)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "nothing until the next command"),
        (["sbatch --hold --wrap x"], "nothing until the next command"),
        (["sbatch --begin now+2hours --wrap x"], "2026-01-01T02:00:00 job 1 may begin"),
        (["scontrol update nodename=node01 state=power_down"], "2026-01-01T00:00:31 node node01 changes its state"),
        (
            ["scontrol create reservation=r user=root nodes=ALL starttime=now+60 duration=5"],
            "2026-01-01T00:01:00 reservation r begins or ends",
        ),
        (
            ["sbatch -t 5 --deadline now+1hour --hold --wrap x"],
            "2026-01-01T00:55:01 job 1 can no longer meet its deadline",
        ),
    ],
)
def test_what_happens_next(sim: Any, lines: list[str], said: str) -> None:
    sim("init")
    for line in lines:
        sim(line)
    assert sim("status").splitlines()[-1] == f"Next:     {said}"


def test_a_step_of_the_clock_is_told_and_not_taken(sim: Any) -> None:
    sim("init --nodes n1 --cpus 2 --step 10s")

    assert "(virtual, 10s with each command)" in sim("status")
    assert sim("status").splitlines()[1].split()[1] == "2026-01-01T00:00:00"


@pytest.mark.parametrize("name", ["squeue", "advance", "constraint"])
def test_help_is_that_of_the_command(name: str, sim: Any) -> None:
    assert sim("help", name) == sim(name, "--help")


def test_help_alone_lists_the_commands(sim: Any) -> None:
    assert sim("help") == sim("--help")
    assert "Did you mean: squeue?" in sim.run("help sqeue").err


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "slimsched", "--version"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stdout.split()[0]) == (0, "slimsched")


@pytest.mark.parametrize(
    ("shell", "line"), [("bash", "complete -o default"), ("zsh", "compdef"), ("fish", "for name in")]
)
def test_completion_serves_the_names_of_shims_on_request(shell: str, line: str, sim: Any) -> None:
    plain, shims = (
        next(each for each in sim("completion", *options, shell).splitlines() if each.lstrip().startswith(line))
        for options in ((), ("--shims",))
    )

    assert plain.endswith(" sim")
    assert " sim sbatch srun salloc squeue " in shims

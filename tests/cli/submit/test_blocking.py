"""Commands that wait: the virtual clock is moved, the wall clock is watched."""

from __future__ import annotations

import time
from typing import Any

import pytest

from slimsched.cli.submit import blocking
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.slurm.states import CANCELLED, COMPLETED, FAILED, TIMEOUT


class Clock:
    """A wall clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 2_000_000_000.0
        self.naps = 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.naps += 1


@pytest.fixture
def wall(sim: Any, monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "time", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", clock.sleep)
    sim("init", "--clock", "wall")
    return clock


def test_under_the_wall_clock_commands_sleep(sim: Any, wall: Clock) -> None:
    assert sim.run("sbatch", "--wait", "--wrap", "sleep 3; exit 4") == (4, "Submitted batch job 1\n", "")
    assert wall.naps == 3 / blocking.POLL


def test_waiting_for_resources_under_the_wall_clock(sim: Any, wall: Clock) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 2")
    answer = sim.run("srun", "sleep", "1")

    assert (answer.code, answer.err.splitlines()[-1]) == (0, "srun: job 2 has been allocated resources")
    assert wall.naps >= 3 / blocking.POLL


def test_a_limit_ends_the_wait(sim: Any, wall: Clock) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    answer = sim.run("srun", "--immediate=5", "true")

    assert answer.err.endswith("srun: error: Unable to allocate resources: Connection timed out\n")
    assert wall.naps == 5 / blocking.POLL


@pytest.mark.parametrize(
    ("state", "exit_code", "code"), [(COMPLETED, 0, 0), (FAILED, 3, 3), (TIMEOUT, 0, 1), (CANCELLED, 0, 0)]
)
def test_exit_code(state: str, exit_code: int, code: int) -> None:
    job = Job(job_id=1, request=JobRequest(), state=state, exit_code=exit_code)

    assert blocking.exit_code(job) == code


def test_all_tasks_of_an_array_are_waited_for(sim: Any) -> None:
    sim("sbatch", "-W", "-N3", "--exclusive", "--array=1-3", "--wrap", "sleep 10")

    lines = sim("squeue", "-h", "-t", "all", "-o", "%K %t %S").splitlines()
    assert sorted(lines) == [
        "1 CD 2026-01-01T00:00:00",
        "2 CD 2026-01-01T00:00:10",
        "3 CD 2026-01-01T00:00:20",
    ]


def test_a_job_that_is_purged_while_another_runs_is_still_known(sim: Any) -> None:
    """The first ends, and MinJobAge passes, long before the second does."""
    sim("sbatch", "--wrap", "sleep 10m; exit 3")
    sim("sbatch", "--wrap", "sleep 20m")

    assert sim.run("wait", "1", "2") == (3, "", "")


def test_some_tasks_of_an_array_are_waited_for(sim: Any) -> None:
    sim("sbatch", "-n12", "-a", "0-5%1", "--wrap", "sleep 60")
    assert sim.run("wait", "1_1") == (0, "", "")
    assert sim("squeue", "-h", "-o", "%i %t") == "1_[3-5%1] PD\n1_2 R\n"
    assert sim.run("wait", "1_[2-3]", "1_0") == (0, "", "")
    assert sim("squeue", "-h", "-o", "%i %t") == "1_[5%1] PD\n1_4 R\n"
    assert sim.run("wait", "1_9") == (1, "", "sim: error: Invalid job id specified: 1_9\n")
    assert sim.run("wait", "x") == (1, "", "sim: error: Invalid job id specified: x\n")

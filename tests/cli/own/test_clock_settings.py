"""``[clock] start`` and ``step``, ``[simulation] runtime``: for programs that poll until a job has ended."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest


def now(sim: Any) -> str:
    """Return the time of day, asked in a way that does not move the clock."""
    return str(sim("advance", "0")).strip()[11:]


def test_commands_of_slurm_move_the_clock(sim: Any) -> None:
    sim("init --step 10s --runtime 25s")
    assert sim("sbatch", "--parsable", "--wrap", "anything") == "1\n"

    looks = [sim("squeue", "-h", "-t", "all", "-o", "%T %M") for _ in range(4)]

    assert looks == ["RUNNING 0:10\n", "RUNNING 0:20\n", "COMPLETED 0:25\n", "COMPLETED 0:25\n"]
    assert now(sim) == "00:00:50"


@pytest.mark.parametrize(
    "line",
    ["sinfo", "sacct", "scontrol show job", "scancel 1", "sprio", "srun true", "salloc true", "sacctmgr show user"],
)
def test_each_command_moves_it_once(sim: Any, line: str) -> None:
    sim("init --step 7")
    sim("sbatch", "--wrap", "sleep 1000")
    assert now(sim) == "00:07:00"

    sim.run(line)

    assert now(sim) == "00:14:00"


@pytest.mark.parametrize("line", ["advance 0", "explain 1", "events", "doctor", "constraint match load<1", "plugins"])
def test_our_own_commands_do_not(sim: Any, line: str) -> None:
    sim("init --step 1h")
    sim("sbatch", "--wrap", "sleep 100000")

    sim.run(line)

    assert now(sim) == "01:00:00"


def test_a_refused_command_moves_nothing(sim: Any) -> None:
    sim("init --step 10s")
    assert sim.run("sbatch", "-p", "nosuch", "--wrap", "true").code == 1
    assert now(sim) == "00:00:00"


def test_the_clock_may_start_at_the_present(sim: Any) -> None:
    before = int(time.time())
    sim("init --start now")
    reached = datetime.fromisoformat(sim("advance", "0").strip()).replace(tzinfo=UTC).timestamp()

    assert before <= reached <= time.time() + 1
    today = datetime.fromtimestamp(before, UTC).date()
    sim("sbatch", "--wrap", "true")
    assert sim("sacct", "-n", "-X", "-P", "-o", "jobid,state", "-S", str(today)) == "1|COMPLETED\n"


def test_a_start_and_a_run_time_by_the_limit(sim: Any) -> None:
    sim("init --start 2030-06-01T12:00:00 --runtime limit")
    sim("sbatch", "-t", "2", "--wrap", "true")

    assert sim("advance", "90s") == "2030-06-01T12:01:30\n"
    assert sim("squeue", "-h", "-o", "%T %M") == "RUNNING 1:30\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--step x", "[clock] step: should be a duration, not 'x'"),
        ("--step -3", "[clock] step: should be a duration, not '-3'"),
        ("--step 3 --clock wall", "[clock] step: the system's clock moves by itself"),
        ("--start yesterday", "[clock] start: 'yesterday' is not a date and time"),
        ("--runtime long", "[simulation] runtime: should be sleep, limit or a duration, not 'long'"),
    ],
)
def test_refusals_of_init(sim: Any, options: str, said: str) -> None:
    answer = sim.run(f"init {options}")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"sim: error: {said}\n")
    assert not sim.state.exists()


def test_the_file_keeps_what_was_set(sim: Any) -> None:
    sim("init --start now --step 10s --runtime 1m")
    text = (sim.state / "cluster.toml").read_text(encoding="utf-8")

    assert 'start = "now"' in text
    assert 'step = "10s"' in text
    assert 'runtime = "1m"' in text
    sim("init --force")
    assert "step" not in (sim.state / "cluster.toml").read_text(encoding="utf-8").partition("[slurm]")[0]

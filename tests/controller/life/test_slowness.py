"""Jobs that start and end slowly, and nodes that fail at a given time."""

from __future__ import annotations

from typing import Any

import pytest

SQUEUE = "squeue -h -o '%i %t %M'"


def states(sim: Any, every: str, times: int) -> list[str]:
    found = []
    for _ in range(times):
        found.append(sim(SQUEUE).strip())
        sim(f"advance {every}")
    return found


def test_a_slow_start(sim: Any) -> None:
    sim("init --slow-start 20s")
    sim("sbatch -t 1 --wrap 'sleep 30'")

    assert states(sim, "10s", 6) == ["1 CF 0:00", "1 CF 0:10", "1 R 0:00", "1 R 0:10", "1 R 0:20", ""]
    assert sim("sacct -n -X -P -o State,Elapsed,Start") == "COMPLETED|00:00:30|2026-01-01T00:00:20\n"


def test_a_slow_end_keeps_the_nodes(sim: Any) -> None:
    sim("init --nodes n1 --cpus 1 --slow-end 1m")
    sim("sbatch --wrap 'sleep 30; exit 3'")
    sim("sbatch --wrap 'sleep 30'")

    assert states(sim, "30s", 4) == ["2 PD 0:00\n1 R 0:00", *["1 CG 0:30\n2 PD 0:00"] * 2, "2 R 0:00"]
    assert sim("sacct -n -X -P -j 1 -o State,ExitCode,End") == "FAILED|3:0|2026-01-01T00:00:30\n"
    assert sim("sacct -n -X -P -j 2 -o State,Start") == "COMPLETED|2026-01-01T00:01:30\n"


@pytest.mark.parametrize(
    ("words", "state"),
    [("scancel 1", "CANCELLED by 0|0:0"), ("fault job 1 OUT_OF_MEMORY --in 0s", "OUT_OF_MEMORY|0:125")],
)
def test_a_slow_end_of_a_job_that_was_ended(sim: Any, words: str, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 0)
    sim("init --slow-end 1m")
    sim("sbatch --wrap 'sleep 300'")
    sim("advance 10s")
    sim(words)
    sim("advance 10s")
    assert sim(SQUEUE) == "1 CG 0:10\n"
    assert sim("sacct -n -X -P -o State,ExitCode") == f"{state}\n"  # accounting heard of it at once
    assert sim("scontrol completing") == (
        "JobId=1 EndTime=2026-01-01T00:00:10 CompletingTime=00:00:10 Nodes(COMPLETING)=node01\n"
    )
    assert sim.run("scancel -v 1").err.endswith("Job/step already completing or completed\n")
    sim("advance 50s")

    assert sim("squeue -h") == ""
    assert sim("sacct -n -X -P -o State,ExitCode") == f"{state}\n"


def test_a_job_is_cancelled_that_has_not_started_and_one_requeued(sim: Any) -> None:
    sim("init --slow-start 1m --slow-end 1m")
    sim("sbatch --wrap 'sleep 300'")
    sim("sbatch --wrap 'sleep 300'")
    sim("scancel 1")
    sim("advance 2m")
    sim("scontrol requeue 2")
    sim("advance 30s")
    assert sim("squeue -h -o '%i %t %r'") == "2 CG None\n"
    sim("advance 1m")

    assert sim("squeue -h -o '%i %t %r'") == "2 PD BeginTime\n"
    assert sim("sacct -n -X -P -j 1 -o State").startswith("CANCELLED")


def test_nodes_fail_at_a_given_time(sim: Any) -> None:
    sim("init --nodes n[1-2] --cpus 1")
    sim("sbatch --requeue --wrap 'sleep 600'")
    sim("sbatch --no-requeue -w n2 --wrap 'sleep 600'")
    sim("fault node n[1-2] --in 5m")
    sim("advance 4m")
    assert sim("sinfo -h -o '%T %D'") == "allocated 2\n"
    sim("advance 1m")

    assert sim("sinfo -h -o '%T %D %E'") == "down 2 Not responding\n"
    assert sim("squeue -h -o '%i %t'") == "1 PD\n"
    assert sim("sacct -n -X -P -j 2 -o State,End") == "NODE_FAIL|2026-01-01T00:05:00\n"
    sim("scontrol update nodename=n[1-2] state=resume")
    sim("advance 10m")
    assert sim("squeue -h -o '%i %t'") == "1 R\n"


def test_a_node_fails_at_once_and_refusals(sim: Any) -> None:
    sim("fault node node01")

    assert sim("sinfo -h -N -o '%N %t'").splitlines()[0] == "node01 down"
    assert "Invalid node name specified" in sim.run("fault node n9 --in 5m").err
    assert "slow_end: should be a duration, not 'soon'" in sim.run("init --force --slow-end soon").err

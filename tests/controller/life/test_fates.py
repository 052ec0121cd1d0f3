"""``--sim-state`` and ``sim fault job``: simulated jobs that end as a test decides."""

from __future__ import annotations

from typing import Any

import pytest

SACCT = "sacct -n -X -P -o State,ExitCode,Elapsed -j"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sim-state=OUT_OF_MEMORY", "OUT_OF_MEMORY|0:125|00:01:30"),
        ("--sim-state=nf --no-requeue", "NODE_FAIL|1:0|00:01:30"),
        ("--sim-state=PREEMPTED", "PREEMPTED|0:0|00:01:30"),
        ("--sim-state=FAILED", "FAILED|1:0|00:01:30"),
        ("--sim-state=FAILED --sim-exit=4", "FAILED|4:0|00:01:30"),
        ("--sim-state=COMPLETED --sim-exit=4", "COMPLETED|0:0|00:01:30"),
        ("--sim-state=OUT_OF_MEMORY --time=1", "TIMEOUT|0:0|00:01:00"),
    ],
)
def test_the_state_at_submission(words: str, said: str, sim: Any) -> None:
    sim(f"sbatch {words} --sim-runtime=90 --wrap true")
    sim("advance --until-idle")

    assert sim(f"{SACCT} 1") == f"{said}\n"


def test_every_end_and_no_other_is_taken(sim: Any) -> None:
    for state in ("BOOT_FAIL", "CANCELLED", "DEADLINE", "TIMEOUT"):
        job_id = sim(f"sbatch --parsable --sim-state={state} --wrap true").strip()
        sim("advance 1s")
        assert sim(f"sacct -n -X -P -o State -j {job_id}").startswith(state)
    for state in ("RUNNING", "REQUEUED", "nosuch", ""):
        answer = sim.run("sbatch", f"--sim-state={state}", "--wrap", "true")
        assert answer.code == 255
        assert answer.err.startswith("sbatch: error: Invalid --sim-state specification (BOOT_FAIL, CANCELLED, ")


def test_a_running_job_at_a_given_time(sim: Any) -> None:
    sim("sbatch --wrap 'sleep 3600'")
    sim("advance 10m")
    sim("fault job 1 OUT_OF_MEMORY --in 5m")
    sim("advance 4m")
    assert sim("squeue -h -o %T") == "RUNNING\n"
    sim("advance 1m")

    assert sim(f"{SACCT} 1") == "OUT_OF_MEMORY|0:125|00:15:00\n"


def test_a_job_that_was_suspended_and_one_that_waits(sim: Any) -> None:
    sim("sbatch --wrap 'sleep 3600'")
    sim("sbatch --hold --wrap 'sleep 3600'")
    sim("advance 1m")
    sim("scontrol suspend 1")
    sim("fault job 1 FAILED --in 2m")
    sim("fault job 2 PREEMPTED --in 2m")
    sim("advance 10m")
    sim("scontrol resume 1")
    sim("scontrol release 2")
    sim("advance 119s")
    assert sim("squeue -h -o '%i %T'").splitlines() == ["1 RUNNING", "2 RUNNING"]
    sim("advance 1s")

    assert [sim(f"sacct -n -X -P -o State -j {number}") for number in (1, 2)] == ["FAILED\n", "PREEMPTED\n"]


def test_after_a_node_failed_the_next_run_ends_by_itself(sim: Any) -> None:
    sim("sbatch --requeue --sim-state=NODE_FAIL --wrap 'sleep 60'")
    sim("advance 1h")

    assert sim("sacct -D -n -X -P -o State -j 1").splitlines() == ["NODE_FAIL", "COMPLETED"]


def test_a_task_of_an_array(sim: Any) -> None:
    sim("sbatch --array=0-2 --hold --wrap 'sleep 60'")
    sim("fault job 1_1 FAILED")
    sim("scontrol release 1")
    sim("advance --until-idle")

    found = sim("sacct -n -X -P -o JobID,State -j 1").splitlines()
    assert sorted(found) == ["1_0|COMPLETED", "1_1|FAILED", "1_2|COMPLETED"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 FAILED", "Job/step already completing or completed"),
        ("9 FAILED", "Invalid job id specified"),
        ("1 RUNNING", "'RUNNING' is not a state that a job ends in; those are BOOT_FAIL, "),
        ("1 FAILED --in soon", "soon"),
    ],
)
def test_refusals(line: str, said: str, sim: Any) -> None:
    sim("sbatch --wrap true")
    sim("advance 1s")
    answer = sim.run(f"fault job {line}")

    assert answer.code
    assert said in answer.err

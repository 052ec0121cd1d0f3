"""srun: a simulated job that is waited for."""

from __future__ import annotations

from typing import Any

import pytest


def job(sim: Any, job_id: int, field: str) -> str:
    return sim("squeue", "-h", "-t", "all", "-j", str(job_id), "-o", field).rstrip("\n")


def test_waits_for_the_end_and_runs_nothing(sim: Any) -> None:
    assert sim("srun", "-n2", "sleep", "90") == ""
    assert job(sim, 1, "%t %M %j %C") == "CD 1:30 sleep 2"


def test_exit_code(sim: Any) -> None:
    answer = sim.run("srun", "--sim-exit=7", "hostname")

    assert answer == (7, "", "srun: error: node01: task 0: Exited with exit code 7\n")


def test_time_limit(sim: Any) -> None:
    answer = sim.run("srun", "-t1", "sleep", "90")

    assert answer == (143, "", "srun: error: node01: task 0: Terminated\n")


def test_waits_for_resources(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    answer = sim.run("srun", "sleep", "5")

    assert answer == (
        0,
        "",
        "srun: job 2 queued and waiting for resources\nsrun: job 2 has been allocated resources\n",
    )
    assert job(sim, 2, "%S") == "2026-01-01T00:01:00"


def test_immediate(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    answer = sim.run("srun", "-I", "true")

    assert answer == (1, "", "srun: error: Unable to allocate resources: Requested nodes are busy\n")
    assert sim("squeue", "-h", "-o", "%i") == "1\n"
    assert sim("sbatch", "--wrap", "true") == "Submitted batch job 3\n"


def test_immediate_with_a_time_waits_that_long(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    refused = sim.run("srun", "--immediate=30", "true")
    granted = sim.run("srun", "--immediate=30", "true")

    assert (refused.code, refused.err) == (1, "srun: error: Unable to allocate resources: Requested nodes are busy\n")
    assert granted == (0, "", "")


def test_constraint_that_no_node_fulfils(sim: Any) -> None:
    waiting = sim.run("srun", "--extra", "a=2", "true")
    immediate = sim.run("srun", "--immediate", "--extra", "a=2", "true")

    assert waiting == (
        1,
        "",
        "srun: Requested node configuration is not available\n"
        "srun: job 1 queued and waiting for resources\n"
        "srun: error: job 1 cannot be granted: it is pending (Constraints), and nothing is left that could start it\n"
        "srun: note: the job has been cancelled\n",
    )
    assert job(sim, 1, "%t") == "CA"
    assert immediate == (
        1,
        "",
        "srun: error: Unable to allocate resources: Requested node configuration is not available\n",
    )


@pytest.mark.parametrize(
    ("argv", "code", "text"),
    [
        ([], 1, "srun: fatal: No command given to execute.\n"),
        (["--nosuch", "x"], 255, "srun: unrecognized option '--nosuch'\nTry \"srun --help\" for more information\n"),
        (["-t", "abc", "x"], 255, "srun: error: Invalid --time specification\n"),
        (
            ["-p", "nosuch", "x"],
            1,
            "srun: error: invalid partition specified: nosuch\n"
            "srun: error: Unable to allocate resources: Invalid partition name specified\n",
        ),
    ],
)
def test_refusals(argv: list[str], code: int, text: str, sim: Any) -> None:
    assert sim.run("srun", *argv) == (code, "", text)


def test_test_only(sim: Any) -> None:
    assert sim.run("srun", "--test-only", "hostname") == (
        0,
        "",
        "srun: Job 1 to start at 2026-01-01T00:00:00 a using 1 processors on nodes node01 in partition debug\n",
    )


def test_step_in_an_allocation(sim: Any) -> None:
    sim("sbatch", "--wrap", "sleep 60")
    sim("sbatch", "--hold", "--wrap", "true")

    assert sim("srun", "--jobid=1", "hostname") == ""
    assert sim("srun", "hostname", env={"SLURM_JOB_ID": "1"}) == ""
    assert sim.run("srun", "--jobid=9", "x").err == (
        "srun: error: Unable to create step for job 9: Invalid job id specified\n"
    )
    assert sim.run("srun", "--jobid=2", "x").err == (
        "srun: error: Unable to create step for job 2: Job is pending execution\n"
    )
    assert sim.run("srun", "--jobid=x", "x").code == 1


def test_interrupt_cancels_the_job(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("slimsched.cli.blocking.until", interrupted)
    answer = sim.run("srun", "sleep", "60")

    assert answer == (130, "", "srun: Force Terminated JobId=1\n")
    assert job(sim, 1, "%t") == "CA"


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_components_are_refused(command: str, sim: Any) -> None:
    answer = sim.run(command, "-n1", "a", ":", "-n2", "b")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"{command}: error: heterogeneous jobs are not supported")


def test_variables(sim: Any) -> None:
    sim("srun", "true", env={"SLURM_TIMELIMIT": "7", "SLURM_JOB_NAME": "fromenv"})

    assert job(sim, 1, "%l %j") == "7:00 fromenv"

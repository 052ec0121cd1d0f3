"""srun: a simulated job that is waited for."""

from __future__ import annotations

from typing import Any

import pytest

STEP = "error: Unable to create step for job 1: "


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

    queued = "srun: job {} queued and waiting for resources\n"
    timed_out = "srun: error: Unable to allocate resources: Connection timed out\n"
    assert refused == (1, "", queued.format(2) + timed_out)
    assert granted == (0, "", queued.format(3) + "srun: job 3 has been allocated resources\n")
    assert job(sim, 2, "%t") == "CA"


def test_a_wait_of_no_seconds_is_no_wait(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")

    assert sim.run("srun", "-I0", "true").code == 0


@pytest.mark.parametrize(
    ("argv", "environ", "code"),
    [
        (["-I", "true"], {"SLURM_EXIT_IMMEDIATE": "9"}, 9),
        (["-I5", "true"], {"SLURM_EXIT_IMMEDIATE": "8"}, 8),
        (["-p", "nosuch", "true"], {"SLURM_EXIT_ERROR": "7"}, 7),
        (["-t", "soon", "true"], {"SLURM_EXIT_ERROR": "7"}, 255),
    ],
)
def test_exit_codes_from_the_environment(argv: list[str], environ: dict[str, str], code: int, sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")

    assert sim.run("srun", *argv, env=environ).code == code


def test_an_exit_code_of_zero_is_none(sim: Any) -> None:
    answer = sim.run("srun", "-p", "nosuch", "true", env={"SLURM_EXIT_ERROR": "0"})

    assert (answer.code, answer.err.split("\n")[0]) == (1, "srun: error: SLURM_EXIT_ERROR has zero value")


@pytest.mark.usefixtures("with_notes")
def test_constraint_that_no_node_fulfils(sim: Any) -> None:
    waiting = sim.run("srun", "--extra", "a=2", "true")
    immediate = sim.run("srun", "--immediate", "--extra", "a=2", "true")

    assert waiting == (
        1,
        "",
        "srun: Requested node configuration is not available\n"
        "srun: job 1 queued and waiting for resources\n"
        "srun: error: job 1 cannot be granted: it is pending (Constraints), and no event is left that could start it\n"
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
    sim("sbatch", "--array=4-5", "--wrap", "sleep 60")
    assert sim("srun", "--jobid=3_5", "hostname") == ""


@pytest.mark.parametrize(
    ("argv", "lines"),
    [
        (["--jobid=9"], ["error: Unable to confirm allocation for job 9: Invalid job id specified", "Check 9"]),
        (["--jobid=2"], ["error: Unable to confirm allocation for job 2: Job is pending execution", "Check 2"]),
        (["--jobid=3"], ["error: SLURM job 3 has expired", "Check 3"]),
        (["--jobid=x"], ["fatal: Bad job/step specification: x"]),
        (["--jobid=1", "-n4"], [STEP + "More processors requested than permitted"]),
        (["--jobid=1", "-N2"], [STEP + "Requested node configuration is not available"]),
        (["--jobid=1", "-n4", "-O"], []),
    ],
)  # fmt: skip
def test_step_errors(argv: list[str], lines: list[str], sim: Any) -> None:
    sim("sbatch", "-n2", "--wrap", "sleep 60")
    sim("sbatch", "--hold", "--wrap", "true")
    sim("srun", "true")
    hint = "Check SLURM_JOB_ID environment variable. Expired or invalid job"
    text = "".join(f"srun: {line.replace('Check', hint)}\n" for line in lines)

    assert sim.run("srun", *argv, "x") == (int(bool(lines)), "", text)


def test_interrupt_cancels_the_job(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("slimsched.cli.submit.blocking.until", interrupted)
    answer = sim.run("srun", "sleep", "60")

    assert answer == (130, "", "srun: Force Terminated JobId=1\n")
    assert job(sim, 1, "%t") == "CA"


def test_variables(sim: Any) -> None:
    sim("srun", "true", env={"SLURM_TIMELIMIT": "7", "SLURM_JOB_NAME": "fromenv"})

    assert job(sim, 1, "%l %j") == "7:00 fromenv"


@pytest.mark.parametrize(("argv", "name"), [([], "true"), (["-J", "mine"], "mine")])
def test_names_of_steps(argv: list[str], name: str, sim: Any) -> None:
    sim("sbatch", "--wrap", "sleep 60")
    sim("srun", *argv, "true", env={"SLURM_JOB_ID": "1", "SLURM_JOB_NAME": "interactive"})

    assert f"1.0|{name}|" in sim("sacct", "-nP", "-j", "1", "-o", "jobid,jobname,state")


def test_a_step_finds_the_variables_of_its_job(sim: Any) -> None:
    """What salloc hands down is no fault in the step."""
    inherited = {
        "SLURM_JOB_ID": "1",
        "SLURM_NTASKS": "2",
        "SLURM_CPUS_PER_TASK": "2",
        "SLURM_TRES_PER_TASK": "cpu=2",
        "SLURM_DISTRIBUTION": "plane",
        "SLURM_DIST_PLANESIZE": "2",
        "SLURM_MEM_PER_CPU": "100",
        "SLURM_HINT": "nomultithread",
        "SLURM_PROFILE": "None",
    }
    sim("sbatch", "-n2", "-c2", "--wrap", "sleep 60")

    assert sim("srun", "--mem=50", "hostname", env=inherited) == ""


def test_when_a_waiting_job_would_start(sim):
    sim("sbatch", "-N2", "-H", "--wrap", "sleep 60")
    answer = sim.run("srun --test-only --jobid=1")

    assert (answer.code, answer.out) == (0, "")
    assert answer.err.startswith("srun: Job 1 to start at ")
    assert "using 2 processors on nodes node[01-02] in partition debug" in answer.err
    assert sim("squeue -h -o %i|%t|%r").split() == ["1|PD|JobHeldUser"]
    sim("scontrol release 1")
    assert sim.run("srun --test-only --jobid=1").err.startswith("allocation failure: ")
    assert sim.run("srun --test-only --jobid=9").err == "allocation failure: Invalid job id specified\n"

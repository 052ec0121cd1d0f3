"""salloc: its command runs here, with the job's environment, while the allocation lasts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import slimsched
from slimsched.executor.environment import repeated, tasks_per_node
from slimsched.model.job import Job
from slimsched.model.request import JobRequest

ROOT = str(Path(slimsched.__file__).parent.parent)
GRANTED = "salloc: Granted job allocation {0}\nsalloc: Nodes {1} are ready for job\n"
GIVEN_BACK = "salloc: Relinquishing job allocation {0}\n"


def job(sim: Any, job_id: int, field: str) -> str:
    return sim("squeue", "-h", "-t", "all", "-j", str(job_id), "-o", field).rstrip("\n")


def test_command_with_environment(sim: Any, capfd: pytest.CaptureFixture[str]) -> None:
    names = "SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_NNODES SLURM_NTASKS SLURM_TASKS_PER_NODE SLURM_CPUS_PER_TASK"
    answer = sim.run("salloc", "-N2", "-n3", "-c2", "printenv", *names.split())

    assert (answer.code, answer.err) == (0, GRANTED.format(1, "node[01-02]") + GIVEN_BACK.format(1))
    assert capfd.readouterr().out == "1\nnode[01-02]\n2\n3\n2,1\n2\n"
    assert job(sim, 1, "%t") == "CD"


def test_exit_code_becomes_the_jobs(sim: Any) -> None:
    answer = sim.run("salloc", "sh", "-c", "exit 5")

    assert answer == (5, "", GRANTED.format(1, "node01") + GIVEN_BACK.format(1))
    assert job(sim, 1, "%t") == "F"


@pytest.mark.parametrize(("name", "code"), [("TERM", 1), ("SEGV", 1), ("INT", 0), ("KILL", 0), ("HUP", 0)])
def test_command_ended_by_a_signal(name: str, code: int, sim: Any) -> None:
    assert sim.run("salloc", "-Q", "sh", "-c", f"kill -{name} $$") == (code, "", "")


def test_the_allocation_may_be_gone(sim: Any) -> None:
    words = ["--state", str(sim.state), "scancel", "1"]
    cancel = f"import sys; from slimsched.cli.main import main; sys.exit(main({words}))"
    answer = sim.run("salloc", sys.executable, "-c", cancel, env={"PYTHONPATH": ROOT})

    assert answer == (0, "", GRANTED.format(1, "node01") + "salloc: Job allocation 1 has been revoked.\n")
    assert job(sim, 1, "%t") == "CA"


@pytest.mark.parametrize(
    ("argv", "name"),
    [(["true"], "interactive"), (["--no-shell"], "no-shell"), (["-J", "mine", "true"], "mine")],
)
def test_job_names(argv: list[str], name: str, sim: Any) -> None:
    sim.run("salloc", *argv)

    assert job(sim, 1, "%j") == name


def test_immediate(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")

    assert sim.run("salloc", "-I", "true") == (
        1,
        "",
        "salloc: error: Unable to allocate resources: Requested nodes are busy\n",
    )


def test_unknown_program(sim: Any) -> None:
    answer = sim.run("salloc", "nosuchprog")

    assert answer.code == 1
    assert answer.err == (
        GRANTED.format(1, "node01")
        + 'salloc: error: _fork_command: Unable to find command "nosuchprog"\n'
        + GIVEN_BACK.format(1)
    )


def test_the_command_sees_and_uses_the_cluster(sim: Any) -> None:
    """The lock is free while the command runs, and the command finds the same cluster."""
    inner = f"{shlex.quote(sys.executable)} -m slimsched.cli.main"
    code = f"{inner} squeue -h -o %i.%t && {inner} srun hostname && {inner} sbatch --wrap true"
    sim("init")
    env = {**os.environ, "PYTHONPATH": ROOT}
    done = subprocess.run(
        [sys.executable, "-m", "slimsched.cli.main", "--state", str(sim.state), "salloc", "-Q", "sh", "-c", code],
        env={k: v for k, v in env.items() if k != "SLIMSCHED_STATE"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "1.R\nSubmitted batch job 2\n", "")


def test_no_shell_leaves_the_allocation(sim: Any) -> None:
    answer = sim.run("salloc", "--no-shell")

    assert answer == (0, "", GRANTED.format(1, "node01"))
    assert job(sim, 1, "%t %M") == "R 0:00"


def test_waits_for_resources(sim: Any) -> None:
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    answer = sim.run("salloc", "true")

    assert answer.err == (
        "salloc: Pending job allocation 2\n"
        "salloc: job 2 queued and waiting for resources\n"
        "salloc: job 2 has been allocated resources\n" + GRANTED.format(2, "node01") + GIVEN_BACK.format(2)
    )


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["-p", "nosuch"], "salloc: error: Job submit/allocate failed: Invalid partition name specified\n"),
        (["-I", "--extra", "a=2"], "salloc: error: Job submit/allocate failed: Requested node configuration is not"),
        (["--extra", "a==1"], "salloc: error: Job submit/allocate failed: Invalid extra constraints specification\n"),
    ],
)
def test_refusals(argv: list[str], text: str, sim: Any) -> None:
    answer = sim.run("salloc", *argv, "true")

    assert (answer.code, answer.out) == (1, "")
    assert text in answer.err


@pytest.mark.parametrize(("counts", "text"), [([1], "1"), ([2, 2, 2, 1], "2(x3),1"), ([1, 2, 1], "1,2,1"), ([], "")])
def test_repeated_counts(counts: list[int], text: str) -> None:
    assert repeated(counts) == text


@pytest.mark.parametrize(
    ("cpus", "tasks", "size", "spread"),
    [([4], 2, None, [2]), ([4, 2], 5, None, [4, 1]), ([4, 4], 2, 2, [1, 1]), ([4, 4], None, None, [4, 4])],
)
def test_tasks_per_node(cpus: list[int], tasks: int | None, size: int | None, spread: list[int]) -> None:
    request = JobRequest(num_tasks=tasks, cpus_per_task=size, given=["num_tasks"] if tasks else [])

    assert tasks_per_node(Job(job_id=1, request=request, cpus=cpus)) == spread

"""Options that only real processes show: signals that srun ignores, children, environment files, limits."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_calls import Live, two_nodes

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are adopted on Linux only")


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim) as cluster:
        yield cluster


@linux
@pytest.mark.parametrize(("option", "out"), [(["--wait-for-children"], "now\nlate\n"), ([], "now\n")], ids=str)
def test_children_of_tasks_are_waited_for_or_killed(live: Live, option: list[str], out: str) -> None:
    answer = live("srun", *option, "sh", "-c", "(sleep 0.3; echo late) & echo now")

    assert answer == (0, out, "")


@linux
def test_children_that_are_waited_for_end_with_their_job(live: Live) -> None:
    step = live.start("srun", "--wait-for-children", "sh", "-c", "sleep 100 & echo left")
    assert step.stdout is not None
    step.stdout.readline()
    live.sim("scancel", "1")

    step.communicate(timeout=20)
    assert live.sacct("jobid,state")[-1] == "1.0|CANCELLED"


@linux
def test_what_ended_before_an_order_is_known_before_it_is_obeyed(live: Live) -> None:
    step = live.start("srun", "--wait-for-children", "sh", "-c", "sleep 100 & echo left; exec 3> told")
    assert step.stdout is not None
    step.stdout.readline()
    step.send_signal(signal.SIGSTOP)  # so that it finds both at once: the end of its task, and the order
    assert (live.sim.cwd / "told").read_text() == ""
    live.sim("scancel", "1")
    step.send_signal(signal.SIGCONT)

    step.communicate(timeout=20)
    assert live.sacct("jobid,state")[-1] == "1.0|CANCELLED"


NO_GRES = "srun: error: Unable to create step for job 1: Invalid generic resource (gres) specification"


@pytest.mark.parametrize(
    ("job", "step", "out", "err"),
    [
        ("gres/shard:3", "gres/shard:3", "gres/shard:3", ""),
        ("gres/gpu:1", "gres/gpu:1", "gres/gpu:1", ""),
        ("gres/shard:3", "gres/shard:4", "", NO_GRES),
        ("gres/gpu:1", "gres/gpu:2", "", NO_GRES),
        ("license/tool:1", "license/tool:2", "license/tool:2", "srun: warning: Ignoring --tres-per-task license"),
    ],
)
def test_what_each_task_of_a_step_gets(sim: Any, job: str, step: str, out: str, err: str) -> None:
    """As Slurm's own test suite has it (test_140_1)."""
    with two_nodes(sim, "--gres", "gpu:2,shard:7", "--set", "Licenses=tool:5") as live:
        line = f"srun -n1 --tres-per-task={step} printenv SLURM_TRES_PER_TASK 2> err"
        shown = live.job(line, f"--tres-per-task={job}", "-n1").strip()

    assert (shown, (sim.cwd / "err").read_text()[: len(err)]) == (out, err)


def test_signals_that_srun_ignores(live: Live) -> None:
    script = "trap 'echo got' USR1; echo up; read line; echo end"
    step = live.start("srun", "--ignore-signals=USR1,15", "sh", "-c", script)
    assert step.stdout is not None
    step.stdout.readline()
    for number in (signal.SIGUSR1, signal.SIGTERM):
        step.send_signal(number)

    assert (*step.communicate("\n", timeout=20), step.returncode) == ("end\n", "", 0)
    for wrong in ("KILL", "NOSUCH", "", "1,,2"):
        answer = live("srun", f"--ignore-signals={wrong}", "true")
        assert (answer.code, answer.err) == (255, "srun: error: Invalid --ignore-signals specification\n")


def test_a_step_that_is_left_behind(live: Live) -> None:
    script = """
    srun --async -n1 sh -c 'read line < told; echo step $SLURM_STEP_ID'; echo $?
    srun --async -n1 -o named sh -c 'echo waited'; echo $?
    srun --async -n99 true 2>&1; echo $?
    squeue -h -s -o '%i %j' | sort
    echo > told
    until [ -s named ]; do sleep 0.05; done
    cat slurm-*.0.out named"""
    out = live.job(script, "-n1")

    assert out.splitlines() == [
        *("0", "0", "srun: error: Unable to create step for job 1: More processors requested than permitted", "1"),
        *("1.0 sh", "1.batch batch", "step 0", "waited"),
    ]
    assert live("srun", "--async", "true").err == "srun: fatal: --async option invalid for job allocation request\n"


def test_counts_of_the_environment_are_preserved(live: Live) -> None:
    script = "export SLURM_NTASKS=2 SLURM_NNODES=7; unset SLURM_NPROCS; srun -N1 -n1 {} sh -c {}"
    told = "'echo $SLURM_NTASKS $SLURM_NPROCS $SLURM_NNODES $SLURM_STEP_NUM_TASKS'"

    assert live.job(script.format("-E", told), "-N2") == "2 7 1\n"
    assert live.job(script.format("", told), "-N2") == "1 1 1 1\n"


def test_an_environment_from_a_file(live: Live) -> None:
    (live.sim.cwd / "own").write_bytes(b"A=1\0B=two words\0HOSTNAME=x\0")
    script = "echo $A-$B-$HOSTNAME"
    with open(live.sim.cwd / "own") as file:
        fd = file.fileno()
        os.set_inheritable(fd, True)
        process = live.start("sbatch", "-W", "-o", "fd", f"--export-file={fd}", "--wrap", script, pass_fds=(fd,))
        process.communicate(timeout=20)

    assert live.job(script, "--export-file=own") == "1-two words-n1\n"
    assert (live.sim.cwd / "fd").read_text() == "1-two words-n1\n"
    answer = live("sbatch", "--export-file=nosuch", "--wrap", script)
    assert answer == (1, "", "sbatch: error: Could not open user environment file nosuch\n")


@pytest.mark.parametrize(
    ("option", "conf", "goes"),
    [
        ([], "", True),
        (["--propagate"], "PropagateResourceLimits=NONE", True),
        (["--propagate=NONE"], "", False),
        (["--propagate=CORE,RLIMIT_NOFILE"], "", True),
        (["--propagate=CORE"], "", False),
        ([], "PropagateResourceLimits=NONE", False),
        ([], "PropagateResourceLimitsExcept=CORE,NOFILE", False),
        ([], "PropagateResourceLimitsExcept=CORE", True),
    ],
    ids=str,
)
def test_limits_that_go_along_with_a_job(sim: Any, option: list[str], conf: str, goes: bool) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with two_nodes(sim, *(["--set", conf] if conf else [])) as live:
        job = ["sbatch", "-W", "-o", "out", *option, "--wrap", "ulimit -n"]
        process = live.start(*job, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (234, hard)))
        process.communicate(timeout=20)

    assert (Path(sim.cwd) / "out").read_text().strip() == ("234" if goes else str(hard))


@linux
def test_sattach_joins_the_terminal_of_a_task(live: Live) -> None:
    script = "echo up; read line; echo got $line; read line; echo then $line"
    terminals = [os.openpty() for _ in range(2)]
    processes = []
    calls = (["srun", "--pty", "sh", "-c", script], ["sattach", "--pty=0", "1.0"])
    env = {**os.environ, "SLIMSCHED_STATE": str(live.sim.state)}
    for (_, theirs), words in zip(terminals, calls, strict=True):
        line = [sys.executable, "-m", "slimsched.cli.main", *words]
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        processes.append(subprocess.Popen(line, cwd=live.sim.cwd, env=env, start_new_session=True, **streams))
        os.close(theirs)
        seen = b""
        while b"up" not in seen:
            seen += os.read(terminals[len(processes) - 1][0], 4096)
    os.write(terminals[1][0], b"from afar\r")
    assert _read(terminals[1][0], b"got from afar")
    os.write(terminals[0][0], b"from here\r")
    assert _read(terminals[0][0], b"then from here")

    assert [process.wait(20) for process in processes] == [0, 0]
    for ours, _ in terminals:
        os.close(ours)
    assert live("sattach", "--pty=0", "--output-filter=0", "1.0").code == 1


def _read(fd: int, until: bytes) -> bool:
    """Read until something was said; false if it never was."""
    seen = b""
    while until not in seen:
        try:
            data = os.read(fd, 4096)
        except OSError:
            return False
        seen += data
    return True

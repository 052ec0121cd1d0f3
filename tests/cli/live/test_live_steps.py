"""`srun` and `salloc` on a live cluster: in a job, outside of one, and together. Each call is a process of its own."""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_calls import Live, two_nodes

STAMP = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] "


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim) as cluster:
        yield cluster


def in_order(text: str) -> list[str]:
    return sorted(text.splitlines())


def test_srun_outside_of_a_job(live: Live) -> None:
    answer = live("srun", "-N2", "-n3", "-l", "sh", "-c", "echo $SLURMD_NODENAME $SLURM_LOCALID $SLURM_GTIDS")
    assert (answer.code, answer.err) == (0, "")
    assert in_order(answer.out) == ["0: n1 0 0,1", "1: n1 1 0,1", "2: n2 0 2"]
    assert live.sacct("JobID,State,NTasks,AllocCPUS") == ["1|COMPLETED||3", "1.0|COMPLETED|3|3"]
    assert os.listdir(live.sim.state / "data-1" / "runs") == []


@pytest.mark.parametrize(
    ("script", "code", "err", "state"),
    [
        ("exit 3", 3, "srun: error: n1: tasks 0-1: Exited with exit code 3\n", "FAILED|3:0"),
        (
            "[ $SLURM_PROCID = 1 ] && kill -9 $$; exit 4",
            137,
            "srun: error: n1: task 0: Exited with exit code 4\nsrun: error: n1: task 1: Killed\n"
            "srun: Force Terminated StepId=1.0\n",
            "CANCELLED|0:9",
        ),
    ],
)
def test_exit_codes_of_tasks(live: Live, script: str, code: int, err: str, state: str) -> None:
    answer = live("srun", "-n2", "sh", "-c", script)
    assert answer.code == code
    assert in_order(answer.err) == in_order(err)
    assert live.sacct("State,ExitCode")[1] == state


def test_steps_of_a_batch_job(live: Live) -> None:
    script = "srun hostname; srun -n1 -N1 -J two sh -c 'exit 4'; srun -n2 nosuchcommand; echo last"
    lines = live.job(script, "-N2", "-n4").splitlines()
    assert lines[:5] == [socket.gethostname()] * 4 + ["srun: error: n1: task 0: Exited with exit code 4"]
    assert sorted(re.sub(STAMP, "", line) for line in lines[5:9]) == [
        "error: execve(): nosuchcommand: No such file or directory",
        "error: execve(): nosuchcommand: No such file or directory",
        "srun: error: n1: task 0: Exited with exit code 2",
        "srun: error: n2: task 1: Exited with exit code 2",
    ]
    assert lines[9:] == ["last"]
    assert live.sacct("JobID,JobName,State,ExitCode,NTasks,NodeList,AllocCPUS")[2:] == [
        "1.0|hostname|COMPLETED|0:0|4|n[1-2]|4",
        "1.1|two|FAILED|4:0|1|n1|3",
        "1.2|nosuchcommand|FAILED|2:0|2|n[1-2]|4",
    ]


def test_standard_input_goes_to_all_tasks(live: Live) -> None:
    assert in_order(live("srun", "-n2", "-l", "cat", stdin="a\nb\n").out) == ["0: a", "0: b", "1: a", "1: b"]
    assert live("srun", "-n2", "-i", "1", "-l", "cat", stdin="a\n").out == "1: a\n"
    assert live("srun", "-n2", "-i", "none", "cat", stdin="a\n").out == ""


def test_a_step_waits_for_room(live: Live) -> None:
    script = (
        "srun -n4 sh -c 'test $SLURM_PROCID != 0 || cat told' & while ! squeue -hs -o %i | grep -qx 1.0; do :; done;"
        " srun -I -n1 true; srun --overlap -n1 echo beside; srun -n1 echo then &"
        " while [ $(ls $SLIMSCHED_STATE/waiting | wc -l) != 2 ]; do :; done; echo go > told; wait"  # sim wait is one
    )
    assert live.job(script, "-n4").splitlines() == [
        "srun: error: Unable to create step for job 1: Requested nodes are busy",
        "beside",
        "go",
        "srun: Step created for StepId=1.2",
        "then",
    ]


def test_salloc_runs_a_command_and_gives_back(live: Live) -> None:
    answer = live("salloc", "-n2", "sh", "-c", "srun -l sh -c 'echo $SLURM_PROCID'; exit 3")
    assert answer.code == 3
    assert in_order(answer.out) == ["0: 0", "1: 1"]
    assert answer.err == (
        "salloc: Granted job allocation 1\nsalloc: Nodes n1 are ready for job\nsalloc: Relinquishing job allocation 1\n"
    )
    assert live.sacct("JobID,State,ExitCode") == ["1|FAILED|3:0", "1.0|COMPLETED|0:0"]
    assert os.listdir(live.sim.state / "data-1" / "runs") == []


def test_an_allocation_without_a_shell_outlasts_its_steps(live: Live) -> None:
    assert live("salloc", "-Q", "--no-shell").code == 0
    for number in (0, 1):
        assert live("srun", "--jobid=1", "sh", "-c", "echo $SLURM_STEP_ID") == (0, f"{number}\n", "")
        assert live("squeue", "-h", "-o", "%i %t").out == "1 R\n"
    live("scancel", "1")

    assert live("squeue", "-h").out == ""
    assert live("sacct", "-nPo", "JobID,State,ExitCode").out.splitlines() == [
        *("1|CANCELLED by 0|0:0", "1.0|COMPLETED|0:0", "1.1|COMPLETED|0:0"),
    ]
    assert not list((live.sim.state / "data-1" / "runs").iterdir())


def test_scancel_ends_an_srun(live: Live) -> None:
    process = live.start("srun", "-n2", "sh", "-c", "[ $SLURM_PROCID = 1 ] || echo up; exec sleep 60")
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    live.sim("scancel", "1")
    err = process.communicate(timeout=30)[1]
    assert process.returncode == 143
    assert re.search(STAMP + r"error: \*\*\* STEP 1\.0 ON n1 CANCELLED AT \S+ DUE to SIGNAL Terminated \*\*\*\n", err)
    assert "srun: Job step aborted: Waiting up to 3 seconds for job step to finish.\n" in err
    assert live.sacct("State,ExitCode") == [f"CANCELLED by {os.getuid()}|0:0", "CANCELLED|0:15"]


@pytest.mark.parametrize("words", [("srun", "sh", "-c"), ("salloc", "sh", "-c")])
def test_a_killed_owner_gives_its_allocation_back(live: Live, words: tuple[str, ...]) -> None:
    leave = live.sim.cwd / "leave"
    os.mkfifo(leave)
    process = live.start(*words, "echo up; exec cat leave >leave.out 2>&1")
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.kill()
    process.communicate()
    assert live.sacct("JobID,State")[0] == "1|CANCELLED"
    assert live.sim("squeue", "-h") == ""
    os.close(os.open(leave, os.O_RDWR))  # the command of a killed salloc goes on, and ends here


def test_a_task_that_fails_ends_the_step(live: Live) -> None:
    answer = live("srun", "-n3", "-K", "sh", "-c", "[ $SLURM_PROCID = 1 ] && exit 7; exec sleep 60")
    assert answer.code == 143
    assert re.search(STAMP + r"error: \*\*\* STEP 1\.0 ON n1 CANCELLED AT \S+ DUE TO TASK FAILURE \*\*\*\n", answer.err)
    assert re.sub(STAMP + r".*\n", "", answer.err).splitlines() == [
        "srun: error: n1: task 1: Exited with exit code 7",
        "srun: Terminating StepId=1.0",
        "srun: error: n1: tasks 0,2: Terminated",
        "srun: Force Terminated StepId=1.0",
    ]
    assert live.sacct("State,ExitCode,DerivedExitCode") == ["FAILED|0:15|0:15", "CANCELLED|0:15|"]


def test_scancel_of_a_step_leaves_the_job(live: Live) -> None:
    script = (
        "srun sh -c 'echo up > told; exec sleep 60'; echo rc $? > told; srun sh -c 'trap \"echo usr; exit 5\" USR1;"
        " echo up > told; while :; do sleep 0.01; done'; echo rc $?"
    )
    live.sim("sbatch", "-o", "out", "--wrap", script)
    for step, options in (("1.0", []), ("1.1", ["-s", "USR1"])):
        assert (live.sim.cwd / "told").read_text() == "up\n"
        live.sim("scancel", *options, step)
        if not options:
            assert (live.sim.cwd / "told").read_text() == "rc 137\n"
    live.sim.run("wait", "1")
    text = (live.sim.cwd / "out").read_text().replace("User defined signal 1\n", "")  # of the command in the loop
    assert text.splitlines()[-3:] == [
        "usr",
        "srun: error: n1: task 0: Exited with exit code 5",
        "rc 5",
    ]
    assert live.sacct("State,ExitCode")[2:] == [f"CANCELLED by {os.getuid()}|0:9", "FAILED|5:0"]


def test_one_file_for_each_task_and_patterns(live: Live) -> None:
    words = ("sh", "-c", "echo out $SLURM_PROCID; echo err >&2")
    assert live("srun", "-N2", "-n3", "-o", "%j.%s-%2t-%n", "-e", "new/%N", *words) == (0, "", "")
    names = sorted(str(path.relative_to(live.sim.cwd)) for path in live.sim.cwd.rglob("*") if path.is_file())
    assert names == ["1.0-00-0", "1.0-01-0", "1.0-02-1", "new/n1", "new/n2"]
    assert (live.sim.cwd / "1.0-02-1").read_text() == "out 2\n"
    assert (live.sim.cwd / "new/n1").read_text() == "err\nerr\n"


def test_programs_of_their_own_for_ranks(live: Live) -> None:
    (live.sim.cwd / "mp").write_text("# comment\n0 echo first %t %o\n1-2 sh -c 'echo then %t'\n* echo rest %t %o\n")
    answer = live("srun", "-n4", "-l", "--multi-prog", "mp")
    assert in_order(answer.out) == ["0: first 0 0", "1: then %t", "2: then %t", "3: rest 3 3"]
    (live.sim.cwd / "mp").write_text("0-1 echo \\\n  one\n2 echo two\n")
    answer = live("srun", "-l", "--multi-prog", "mp")  # as many tasks as the file has
    assert in_order(answer.out) == ["0: one", "1: one", "2: two"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 true\n", "Configuration file mp invalid, no record for task id 1\n"),
        ("0-5 true\n", "Invalid task id, 5 >= ntasks\n"),
        ("0 true\n0 true\n", "Duplicate record for task 0\n"),
        ("* true\n0 true\n", "Task range specification with asterisk must be last\n"),
        ("1-0 true\n", "Invalid task range, 1-0\n"),
        ("x true\n", "Invalid task range specification (x)\n"),
        ("0-x true\n", "Invalid task range specification\n"),
        ("0\n", ""),
        ("# none\n", "Configuration file mp invalid, no record for task id 0\n"),
        (None, "Could not open multi_prog config file mp\n"),
    ],
)
def test_a_file_of_programs_that_is_not_right_starts_no_job(live: Live, text: str | None, said: str) -> None:
    if text is not None:
        (live.sim.cwd / "mp").write_text(text)
    answer = live("srun", "-n2", "--multi-prog", "mp", "ignored")

    assert answer.code == 1
    lines = answer.err.splitlines(keepends=True)
    assert lines[0] == f"srun: error: {said}" if said else lines == lines[-1:]
    if len(lines) > 1 or not said:
        number = 2 if text and text.count("\n") == 2 else 1
        assert lines[-1] == f"srun: error: Line {number} of configuration file mp invalid\n"
    assert live.sacct("JobID") == []


def test_two_interrupts_end_a_step(live: Live) -> None:
    process = live.start("srun", "-n2", "sh", "-c", "[ $SLURM_PROCID = 1 ] || echo up; exec sleep 60")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "srun: interrupt (one more within 1 sec to abort)\n"
    assert process.stderr.readline() == "srun: StepId=1.0 tasks 0-1: running\n"
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=30)[1]
    assert process.returncode == 137
    assert err.startswith("srun: sending Ctrl-C to StepId=1.0\nsrun: forcing job termination\n")
    by = f"CANCELLED by {os.getuid()}"
    assert live.sacct("State,ExitCode") == [f"{by}|0:0", f"{by}|0:9"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tasks die with their srun on Linux only")
def test_tasks_do_not_survive_their_srun(live: Live) -> None:
    script = "srun sh -c 'echo $PPID $$ > told; exec sleep 60'; echo after > told"
    live.sim("sbatch", "-o", "out", "--wrap", script)
    srun, task = map(int, (live.sim.cwd / "told").read_text().split())
    os.kill(srun, signal.SIGKILL)
    assert (live.sim.cwd / "told").read_text() == "after\n"
    live.sim.run("wait", "1")
    assert live.sacct("JobID,State,ExitCode")[2] == "1.0|CANCELLED|0:9"
    assert not Path(f"/proc/{task}").exists()


def test_salloc_tells_that_its_allocation_was_revoked(live: Live) -> None:
    process = live.start("salloc", "-n1", "sh", "-c", "echo up; read line; echo $line")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "up\n"
    live.sim("scancel", "1")
    assert [process.stderr.readline() for _ in range(3)][2] == "salloc: Job allocation 1 has been revoked.\n"
    out, err = process.communicate("on\n", timeout=30)
    assert (process.returncode, out, err) == (0, "on\n", "")
    assert live.sacct("State,ExitCode") == [f"CANCELLED by {os.getuid()}|0:0"]


def test_more_tasks_than_a_process_may_open_files(live: Live) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        answer = live("srun", "-n40", "-O", "sh", "-c", "ulimit -n")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert answer == (0, "64\n" * 40, "")


def test_exit_codes_stand_in_accounting_as_they_are(live: Live) -> None:
    assert live.job("srun -n1 -N1 sh -c 'exit 137'; exit 255", "-N2") == (
        "srun: error: n1: task 0: Exited with exit code 137\n"
    )
    assert live.sacct("ExitCode,DerivedExitCode") == ["255:0|137:0", "255:0|", "137:0|"]


def test_only_the_first_task_has_what_pty_gives(live: Live) -> None:
    answer = live("srun", "-n3", "--pty", "sh", "-c", "echo $SLURM_PROCID; cat", stdin="x\n")
    assert (answer.code, answer.out) == (0, "0\nx\n")

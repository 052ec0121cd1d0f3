"""Those who look at steps that run: `sattach`, `sstat`, `scontrol listpids`, `notify` and `show step`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from live_calls import Live, two_nodes

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked at on Linux only")


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim) as cluster:
        yield cluster


def running(live: Live, script: str, *options: str) -> subprocess.Popen[str]:
    """Start a step whose first line was printed."""
    process = live.start("srun", *options, "sh", "-c", script)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_sattach_shows_all_from_the_first_line(live: Live) -> None:
    step = running(live, "echo up $SLURM_PROCID; echo error >&2; read line; echo got $line; exit 3", "-n2")
    follower = live.start("sattach", "-l", "1.0")
    assert follower.stdout is not None
    first = [follower.stdout.readline() for _ in range(2)]
    step.communicate("this\n", timeout=20)
    out, err = follower.communicate(timeout=20)

    assert sorted(first) == ["0: up 0\n", "1: up 1\n"]
    assert sorted(out.splitlines()) == ["0: got this", "1: got this"]
    assert sorted(err.splitlines()) == [
        "0: error",
        "1: error",
        "sattach: error: task 0 exited with exit code 3",
        "sattach: error: task 1 exited with exit code 3",
    ]
    assert (follower.returncode, step.returncode) == (3, 3)


def test_sattach_of_one_task_gives_it_input(live: Live) -> None:
    step = running(live, "echo up $SLURM_PROCID; read line; echo got $line; kill $$", "-n2")
    follower = live.start("sattach", "-v", "--input-filter=1", "--output-filter", "1", "1.0")
    assert follower.stdin is not None
    assert follower.stdout is not None
    follower.stdin.write("for one\n")
    follower.stdin.flush()
    got = [follower.stdout.readline() for _ in range(2)]
    out, _ = step.communicate("for both\n", timeout=20)
    err = follower.communicate(timeout=20)[1]

    assert got == ["up 1\n", "got for one\n"]
    assert "got for both\n" in out
    assert sorted(err.splitlines()) == [f"sattach: task {rank} killed by signal 15" for rank in range(2)]
    assert (follower.returncode, step.returncode) == (0, 143)


def test_sattach_tells_where_the_tasks_are(live: Live) -> None:
    step = running(live, "echo up; read line", "-N2", "-n3")
    layout = live("sattach", "--layout", "1.0")
    gone = live("sattach", "1.7")
    step.communicate("\n", timeout=20)

    assert layout.out == (
        "Job step layout:\n  3 tasks, 2 nodes (n[1-2])\n\n"
        "  Node 0 (n1), 2 task(s): 0 1 \n  Node 1 (n2), 1 task(s): 2 \n"
    )
    assert gone == (1, "", "sattach: error: Could not get job step info: Invalid job id specified\n")
    assert live("sattach", "1.0") == gone


def test_a_follower_that_goes_does_not_disturb(live: Live) -> None:
    step = running(live, "echo up; read line; echo $line")
    follower = live.start("sattach", "1.0")
    assert follower.stdout is not None
    assert follower.stdout.readline() == "up\n"
    follower.send_signal(signal.SIGKILL)
    follower.communicate(timeout=20)

    assert step.communicate("still here\n", timeout=20) == ("still here\n", "")


@linux
def test_sstat_and_listpids_look_at_processes(live: Live) -> None:
    script = "x=$(printf %2000000s); echo up; read line; : $x"
    step = running(live, script, "-N2", "-n3")
    fields = "JobID,NTasks,MaxRSSTask,AveCPU,MinCPUNode,MaxVMSizeNode,MaxRSS,TRESUsageInMaxTask,TRESUsageOutAve"
    used = live("sstat", "-n", "-P", "-j", "1", "-o", fields).out.split("|")
    pids = live("scontrol", "listpids", "1.0").out.splitlines()
    here = live("scontrol", "listpids", "1", "n2").out.splitlines()
    nodes = live("sstat", "-n", "-P", "-i", "-j", "1.0").out.splitlines()
    other = live("scontrol", "listpids", "7")
    step.communicate("\n", timeout=20)

    assert (used[0], used[1], used[3]) == ("1.0", "3", "00:00:00")
    assert int(used[2]) in range(3)
    assert (used[4] in ("n1", "n2"), used[5] in ("n1", "n2")) == (True, True)
    assert int(used[6].removesuffix("K")) > 2000
    assert re.fullmatch(r"cpu=\d,fs/disk=\d,mem=\d,pages=\d,vmem=\d", used[7])
    assert re.fullmatch(r"energy=0,fs/disk=\d+\n", used[8])
    assert pids[0] == "PID      JOBID    STEPID   LOCALID GLOBALID"
    assert [line.split()[1:] for line in pids[1:]] == [["1", "0", "0", "0"], ["1", "0", "1", "1"], ["1", "0", "0", "2"]]
    assert here[1:] == pids[3:]
    assert [line.split("|") for line in nodes] == [
        ["1.0", "n1", ",".join(line.split()[0] for line in pids[1:3])],
        ["1.0", "n2", pids[3].split()[0]],
    ]
    assert (other.code, other.err) == (1, "Job 7 does not exist on this node.\n")


def test_sstat_looks_at_one_s_own_steps(live: Live) -> None:
    step = running(live, "echo up; read line", "-N2")
    refused = live.sim.run("--as", "mallory", "sstat", "-n", "-j", "1.0")
    root = live.sim.run("--as", "root", "sstat", "-n", "-P", "-o", "JobID", "-j", "1.0")
    step.communicate("\n", timeout=20)

    assert (refused.code, refused.out, refused.err.splitlines()) == (
        0,
        "",
        [
            "sstat: error: slurm_job_step_stat: there was an error with the request to n1 rc = Invalid user id",
            "sstat: error: slurm_job_step_stat: there was an error with the request to n2 rc = Invalid user id",
            "sstat: error: problem getting step_layout for StepId=1.0: Invalid user id",
        ],
    )
    assert (root.code, root.out) == (0, "1.0\n")


@linux
def test_sstat_of_a_script(live: Live) -> None:
    live.sim("sbatch", "--wrap", "sleep 60 & srun sh -c 'echo > told; exec sleep 60'")
    (live.sim.cwd / "told").read_text(encoding="utf-8")
    listed = live("scontrol", "listpids").out.splitlines()[1:]
    steps = live("sstat", "-a", "-n", "-P", "-o", "JobID,NTasks", "-j", "1").out.splitlines()

    assert sorted(line.split()[2] for line in listed if line.split()[3] == "0") == ["0", "batch"]
    assert [line.split()[2:] for line in listed].count(["batch", "-", "-"]) >= 2  # sleep and srun
    assert sorted(steps) == ["1.0|1", "1.batch|1"]


def test_a_message_for_a_job_comes_where_its_output_goes(live: Live) -> None:
    step = running(live, "echo up; read line")
    salloc = live.start("salloc", "sh", "-c", "echo up; read line")
    assert salloc.stdout is not None
    salloc.stdout.readline()
    for job in ("1", "2"):
        assert live("scontrol", "notify", job, "good", "morning") == (0, "", "")

    assert step.communicate("\n", timeout=20)[1] == "srun: good morning\n"
    assert "salloc: good morning\n" in salloc.communicate("\n", timeout=20)[1]


def test_a_step_that_waits_is_shown_until_it_runs_or_goes(live: Live) -> None:
    script = (
        "srun -n4 sh -c 'test $SLURM_PROCID != 0 || cat told' & while ! squeue -hs -o %i | grep -qx 1.0; do :; done;"
        " srun -v -n1 echo then 2>&1 & srun -n2 true & killed=$!;"
        " while [ $(scontrol -o show step 1.TBD | wc -l) != 2 ]; do :; done; scontrol -o show step 1.TBD; squeue -hs;"
        " kill -9 $killed; while [ $(scontrol -o show step 1.TBD | wc -l) != 1 ]; do :; done; echo go > told; wait"
    )
    lines = live.job(script, "-n4").splitlines()
    waiting = sorted(line for line in lines if line.startswith("StepId"))

    assert [re.sub(r"Pid=\S+", "Pid=", line) for line in waiting] == [
        f"StepId=1.TBD UserId={os.getuid()} StartTime=Unknown TimeLimit=UNLIMITED State=PENDING Partition=debug"
        f" NodeList=n1 Nodes=1 CPUs={tasks} Tasks={tasks} Name=(null) Network=(null) TRES=(null) ResvPorts=(null)"
        " CPUFreqReq=Default Dist=Unknown SrunHost:Pid="
        for tasks in (1, 2)
    ]
    assert [line.split()[0] for line in lines if "debug" in line and "StepId" not in line] == ["1.0", "1.batch"]
    assert lines[-lines[::-1].index("go") :][:2] == [
        "srun: Step completed in JobId=1, retrying",
        "srun: Step created for StepId=1.1",
    ]


def test_a_step_ends_at_its_own_time_limit(live: Live) -> None:
    step = running(live, "echo up; exec sleep 60", "-t", "5")
    assert live("scontrol", "update", "StepId=1.0", "TimeLimit=0") == (0, "", "")
    err = step.communicate(timeout=20)[1]

    assert re.sub(r"\S+-\S+T\S+", "T", err).splitlines() == [
        "T error: *** STEP 1.0 ON n1 CANCELLED AT T DUE TO TIME LIMIT ***",
        "srun: error: n1: task 0: Terminated",
        "srun: Force Terminated StepId=1.0",
    ]
    assert step.returncode == 143
    assert live.sacct("JobID,State,ExitCode")[1] == "1.0|TIMEOUT|0:15"


def test_salloc_says_that_its_time_is_over(live: Live) -> None:
    salloc = live.start("salloc", "-t", "5", "sh", "-c", "echo up; read line; echo $line")
    assert salloc.stdout is not None
    salloc.stdout.readline()
    live("fault", "job", "1", "TIMEOUT", "--in", "0s")
    live("wait", "1")
    out, err = salloc.communicate("on\n", timeout=20)

    assert (salloc.returncode, out) == (0, "on\n")
    assert err.splitlines()[2:] == ["salloc: Job 1 has exceeded its time limit and its allocation has been revoked."]
    assert live.sacct("State,ExitCode") == ["TIMEOUT|0:0"]

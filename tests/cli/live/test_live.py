"""Jobs that really run, from `sim init --live` to `sacct`."""

from __future__ import annotations

import fcntl
import getpass
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from slimsched.executor.local import afterwards, files

STAMP = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] "


def told(sim: Any) -> str:
    """Wait for what a script writes into the FIFO ``told``."""
    with (sim.cwd / "told").open() as file:
        return file.read().strip()


def gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody has asked how yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except FileNotFoundError:
        return True


def accounted(sim: Any, *words: str) -> list[str]:
    return sim("sacct", "-n", "-P", "-o", *words).splitlines()


def test_a_job_from_start_to_end(live: Any) -> None:
    live("sbatch --wrap 'echo $SLURM_JOB_ID $SLURM_CPUS_ON_NODE $0; pwd' -n2 -J one")
    assert live.run("wait", "1").code == 0

    lines = (live.cwd / "slurm-1.out").read_text().splitlines()
    assert re.fullmatch(r"1 2 \S+/data-1/runs/1\.0/slurm_script", lines[0])
    assert lines[1] == str(live.cwd)
    assert accounted(live, "JobID,State,ExitCode") == ["1|COMPLETED|0:0", "1.batch|COMPLETED|0:0"]
    assert re.fullmatch(r"1\.batch\|\d+K\|n1", accounted(live, "JobID,MaxRSS,MaxRSSNode")[1])
    assert os.listdir(live.state / "data-1" / "runs") == []


@pytest.mark.parametrize(
    ("script", "code", "job", "batch"),
    [
        ("exit 3", 3, "FAILED|3:0", "FAILED|3:0"),
        ("kill -9 $$", 1, "FAILED|0:9", "CANCELLED|0:9"),
    ],
)
def test_sbatch_waits_and_returns_the_exit_code(live: Any, script: str, code: int, job: str, batch: str) -> None:
    assert live.run("sbatch", "-W", "--wrap", script).code == code
    assert accounted(live, "State,ExitCode") == [job, batch]


def test_scancel_ends_processes_and_completing_comes_first(live: Any) -> None:
    os.mkfifo(live.cwd / "leave")
    live("sbatch", "--wrap", "trap 'cat leave' TERM; echo up > told; sleep 60 & wait; cat told", "-n4")
    live("sbatch", "--wrap", "true", "-n4")
    assert told(live) == "up"
    live("scancel 1")
    assert live("squeue -h -o '%i %t %r'") == "1 CG None\n2 PD Resources\n"
    assert live.run("scancel", "-v", "1").err.endswith("Job/step already completing or completed\n")
    (live.cwd / "leave").write_text("gone\n")
    live.run("wait", "1", "2")

    text = (live.cwd / "slurm-1.out").read_text()
    assert re.match(rf"{STAMP}error: \*\*\* JOB 1 ON n1 CANCELLED AT \S+ DUE to SIGNAL Terminated \*\*\*\n", text)
    assert "gone" in text
    assert accounted(live, "JobID,State,ExitCode")[:2] == [f"1|CANCELLED by {os.getuid()}|0:0", "1.batch|CANCELLED|0:9"]
    assert accounted(live, "State")[2:] == ["COMPLETED", "COMPLETED"]


def test_suspend_and_resume_and_signals(live: Any) -> None:
    live("sbatch", "--wrap", "trap 'echo usr; exit 6' USR1; echo $$ > told; sleep 60 & wait")
    pid = int(told(live))
    live("scontrol suspend 1")
    assert live("squeue -h -o %t") == "S\n"
    live("scontrol resume 1")
    live("scancel -b -s USR1 1")
    assert live.run("wait", "1").code == 6
    assert gone(pid)


def test_a_requeued_job_runs_again(live: Any) -> None:
    script = "[ $SLURM_RESTART_COUNT = 1 ] && exit 0; echo up > told; sleep 60"
    live("sbatch", "--requeue", "--wrap", script)
    assert told(live) == "up"
    live("scontrol requeue 1")
    assert live.run("wait", "1").code == 0
    assert live("sacct -D -X -n -P -o State,Restarts") == "REQUEUED|0\nCOMPLETED|1\n"


@pytest.mark.parametrize(("way", "words"), [("srun ", "scontrol requeue"), ("", "scancel"), ("", "scancel -s TERM -f")])
def test_a_command_ends_before_the_job_that_it_ends(live: Any, way: str, words: str) -> None:
    live("shims", str(live.state / "bin"))
    # Both shells trap TERM: where the outer one ended, the inner one would be killed before it has told anything.
    script = f"trap : TERM; {way}bash -c 'trap : TERM; {words} $SLURM_JOB_ID; echo $? > told; exit 0'"
    live("sbatch", "--requeue", "--wrap", script)
    assert told(live) == "0"


def test_orders_to_ones_own_run_are_left_to_a_process_that_waits(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    live("sbatch", "--wrap", "echo $SLIMSCHED_RUN > told; sleep 60")
    run = told(live)
    with monkeypatch.context() as patch:
        patch.setattr(files, "left_behind", lambda: False)
        patch.setenv("SLIMSCHED_RUN", run)
        live("scancel 1")
    assert files.orders(run, 0) == ([], 0)
    assert live("squeue -h -o %t") == "CG\n"


def test_a_process_left_behind_goes_on_when_its_caller_has_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "told")
    script = """
import sys
from slimsched.executor.local import files
if files.left_behind():
    open("told", "w").write(str(files.held("lock")))
    files.os._exit(0)
fd = files.take("lock")
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    assert (tmp_path / "told").read_text() == "False"


def test_array_tasks_and_dependencies(live: Any) -> None:
    live("sbatch", "-a", "1-3%2", "-o", "%A-%a", "--wrap", "echo $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT")
    live("sbatch", "-d", "afterok:1", "-o", "last", "--wrap", "cat 1-?")
    assert live.run("wait", "1", "2").code == 0
    assert [(live.cwd / f"1-{n}").read_text() for n in (1, 2, 3)] == [f"{n} of 3\n" for n in (1, 2, 3)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what a dead supervisor leaves is found on Linux only")
@pytest.mark.parametrize(("option", "state"), [("--no-requeue", "NODE_FAIL"), ("--requeue", "COMPLETED")])
def test_a_dead_supervisor_is_noticed(live: Any, option: str, state: str) -> None:
    script = "[ $SLURM_RESTART_COUNT = 1 ] && exit 0; echo $PPID $$ > told; sleep 60"
    live("sbatch", option, "--wrap", script)
    supervisor, script_pid = map(int, told(live).split())
    os.kill(supervisor, signal.SIGKILL)
    live("sinfo")
    live.run("wait", "1")

    assert accounted(live, "State")[0] == state
    assert gone(script_pid)


def test_a_run_whose_supervisor_never_began_is_started_once(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "detach", lambda *_: None)  # as if the command had died behind its commit
        live("sbatch", "--wrap", "echo ran")
    assert not (live.cwd / "slurm-1.out").exists()
    live("sinfo")  # which only looks
    live.run("wait", "1")

    assert (live.cwd / "slurm-1.out").read_text() == "ran\n"


def test_somebody_wakes_for_a_begin_time(live: Any) -> None:
    live("sbatch", "--begin=now+1", "--wrap", "echo ran > told")
    assert files.held(str(live.state / "waker.lock"))
    assert told(live) == "ran"


def test_nobody_is_awake_when_nothing_comes(live: Any) -> None:
    for number, begin in ((1, "now+1hour"), (2, "now+2hours")):
        live("sbatch", f"--begin={begin}", "--wrap", "true")
        live(f"scancel {number}")
    with (live.state / "waker.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # it comes when the waker has gone


def test_those_who_wait_hear_of_a_commit(live: Any) -> None:
    with afterwards.listening(str(live.state)) as ear:
        live("sbatch", "-H", "--wrap", "true")
        assert afterwards.heard(ear, 0.0)
        assert not afterwards.heard(ear, 0.0)


def test_a_commit_while_a_command_begins_to_wait_does_no_harm(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make = os.mkfifo

    def rung(path: str, mode: int) -> None:
        make(path, mode)
        afterwards.ring(str(live.state))

    monkeypatch.setattr(os, "mkfifo", rung)
    with afterwards.listening(str(live.state)) as ear:
        afterwards.ring(str(live.state))
        assert afterwards.heard(ear, 0.0)


def test_a_virtual_clock_and_other_users_are_refused(sim: Any) -> None:
    answer = sim.run("init", "--live", "--clock", "virtual")
    assert (answer.code, answer.err.splitlines()[0]) == (
        1,
        "sim: error: executor: jobs that really run need the system's clock, not a virtual one",
    )


def test_a_login_environment_finds_the_commands_of_slurm(live: Any) -> None:
    live("shims", "its bin")
    path = {"PATH": f"{live.cwd}/its bin:{os.environ['PATH']}"}
    assert live.run("sbatch", "-W", "--export=NONE", "--wrap", "command -v sbatch", env=path).code == 0
    assert (live.cwd / "slurm-1.out").read_text() == f"{live.cwd}/its bin/sbatch\n"


def test_run_makes_a_cluster_and_leaves_nothing(sim: Any, tmp_path: Path) -> None:
    script = "sbatch -W --wrap 'echo hello; squeue -h -o %i'; cat slurm-1.out; echo $SLIMSCHED_STATE; exit 5"
    command = [sys.executable, "-m", "slimsched.cli.start", "run", "--live", "--nodes", "n1", "--", "sh", "-c", script]
    command[2:3] = ["slimsched.cli.main"]
    environment = {key: value for key, value in os.environ.items() if key != "SLIMSCHED_STATE"}
    answer = subprocess.run(command, cwd=sim.cwd, env=environment, capture_output=True, text=True, check=False)

    first, *output, state = answer.stdout.splitlines()
    assert (answer.returncode, first, output) == (5, "Submitted batch job 1", ["hello", "1"])
    assert not Path(state).exists()


def test_env_is_for_the_shell(sim: Any) -> None:
    said = sim("env", "--live", "--state", str(sim.state))
    assert said == f'export SLIMSCHED_STATE={sim.state}\nexport PATH={sim.state}/bin:"$PATH"\n'
    assert (sim.state / "bin" / "sbatch").stat().st_mode & 0o777 == 0o755
    assert sim.run("env", "--nodes", "n1", "--state", str(sim.state)).err.startswith("sim: error: ")


def test_accounting_hears_of_the_end_when_it_begins(live):
    live("sbatch", "--wrap", "trap '' TERM; echo > told; while :; do sleep 0.05; done")
    (live.cwd / "told").read_text(encoding="utf-8")
    live("scancel", "1")

    assert live("squeue", "-h", "-o", "%t") == "CG\n"
    assert live("sacct", "-n", "-P", "-o", "JobID,State") == f"1|CANCELLED by {os.getuid()}\n1.batch|RUNNING\n"


def test_a_job_that_stands_still_is_killed_without_a_word(live):
    live("sbatch", "-o", "out", "--wrap", "trap 'echo trapped' TERM; echo up; echo > told; sleep 60")
    (live.cwd / "told").read_text(encoding="utf-8")
    live("scontrol", "suspend", "1")
    assert live("sinfo", "-h", "-o", "%T %C") == "mixed 0/4/0/4\n"
    stopped = live("squeue", "-h", "-O", "timeused")
    live("scancel", "1")
    live.run("wait", "1")

    assert (live.cwd / "out").read_text() == "up\n"
    assert live("sacct", "-n", "-P", "-o", "State,ExitCode") == f"CANCELLED by {os.getuid()}|0:0\nCANCELLED|0:9\n"
    assert live("sacct", "-n", "-X", "-P", "-o", "Elapsed,Suspended").endswith(f"{stopped.strip()}|00:00:00\n")


def test_somebody_wakes_to_look_at_the_limit_of_a_group(live: Any) -> None:
    limits = ("PriorityType=priority/multifactor", "AccountingStorageEnforce=limits", "PriorityCalcPeriod=1")
    live("init", "--force", "--live", "--nodes", "n1", "--cpus", "60", *(f"--set={text}" for text in limits))
    live("sacctmgr -i add account a GrpTRESMins=cpu=1")
    live(f"sacctmgr -i add user {getpass.getuser()} account=a")
    live("sbatch", "-n60", "--mem", "1", "-A", "a", "--wrap", "sleep 100")

    assert files.held(str(live.state / "waker.lock"))
    live("sacctmgr -i modify account a set GrpTRESMins=cpu=0")
    live.run("wait", "1")
    assert accounted(live, "State")[0] == "TIMEOUT"


def test_a_job_that_is_cancelled_while_its_run_ends_for_a_requeue(live: Any) -> None:
    live("sbatch", "--requeue", "-o", "out", "--wrap", "trap '' TERM; echo > told; while :; do sleep 0.05; done")
    (live.cwd / "told").read_text()
    live("scontrol requeue 1")
    assert live("squeue", "-h", "-o", "%t") == "CG\n"
    live("scancel", "1")
    live.run("wait", "1")

    assert live("squeue", "-h", "-t", "all", "-o", "%t %r") == "CA None\n"
    listed = live("sacct", "-n", "-X", "-D", "-P", "-o", "state,restarts").splitlines()
    assert listed[0] == "REQUEUED|0"
    assert len((live.cwd / "out").read_text().splitlines()) == 1
    assert os.listdir(live.state / "data-1" / "runs") == []

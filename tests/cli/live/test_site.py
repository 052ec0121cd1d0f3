"""The programs of a site that go with every job on a live cluster."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

KEYS = ("PrologSlurmctld", "Prolog", "TaskProlog", "TaskEpilog", "Epilog", "EpilogSlurmctld")


def program(live: Any, name: str, text: str) -> str:
    path: Path = live.cwd / f"{name}.sh"
    path.write_text(f"#!/bin/bash\ncd {live.cwd}\n{text}\n")
    path.chmod(0o755)
    return f"{name}={path}"


def begin(live: Any, *settings: str) -> None:
    live("init", "--force", "--live", "--nodes", "n[1-2]", "--cpus", "4", *(w for s in settings for w in ("--set", s)))


def test_the_order_and_what_they_see(live: Any) -> None:
    """Recorded: task_prolog, slurmctld_prolog_epilog."""
    text = (
        "echo {0} $SLURM_SCRIPT_CONTEXT $SLURM_JOB_EXIT_CODE2 >> order; env | grep ^SLURM | sort > {0}.$SLURMD_NODENAME"
    )
    task = "echo TaskProlog >> order; echo export A=b c; echo unset GONE; echo print said; echo plain"
    texts = {key: text.format(key) for key in KEYS} | {"TaskProlog": task, "TaskEpilog": "echo TaskEpilog $A >> order"}
    begin(live, *(program(live, key, text) for key, text in texts.items()))
    live(
        "sbatch",
        "-N2",
        "-o",
        "out",
        "--comment=c",
        "--wrap",
        "echo script >> order; echo $A/$GONE; exit 5",
        env={"GONE": "x"},
    )
    live.run("wait", "1")

    assert (live.cwd / "out").read_text() == "said\nb c/\n"
    assert (live.cwd / "order").read_text().splitlines() == [
        "PrologSlurmctld prolog_slurmctld",
        *2 * ["Prolog prolog_slurmd"],
        *("TaskProlog", "script", "TaskEpilog"),
        *2 * ["Epilog epilog_slurmd 5:0"],
        "EpilogSlurmctld epilog_slurmctld 5:0",
    ]
    prolog = (live.cwd / "Prolog.n1").read_text()
    assert "SLURM_JOB_NTASKS=2\n" in prolog
    assert "SLURM_JOB_NAME=" not in prolog
    controller = (live.cwd / "EpilogSlurmctld.").read_text()
    assert "SLURM_JOB_COMMENT=c\n" in controller
    assert "SLURM_JOB_EXIT_CODE=1280\n" in controller
    assert sorted(path.name for path in live.cwd.glob("Epilog.n*")) == ["Epilog.n1", "Epilog.n2"]


@pytest.mark.parametrize(
    ("option", "queue", "accounted"),
    [("--requeue", "1 PD launch failed requeued held 0\n", "REQUEUED"), ("--no-requeue", "", "CANCELLED by 0")],
)
def test_a_prolog_that_fails(live: Any, option: str, queue: str, accounted: str) -> None:
    begin(live, program(live, "Prolog", "exit 1"))
    live("sbatch", option, "-N1", "--wrap", "touch ran")
    live.run("wait", "1") if not queue else _until_back(live)

    assert live("squeue", "-h", "-o", "%i %t %r %Q") == queue
    assert live("sacct -D -X -n -P -o State").splitlines()[0] == accounted
    assert live("sinfo", "-h", "-n", "n1", "-o", "%t %E") == "drain Prolog error\n"
    assert not (live.cwd / "ran").exists()


def _until_back(live: Any) -> None:
    from slimsched.executor.local import afterwards

    with afterwards.listening(str(live.state)) as ear:
        while live("squeue", "-h", "-o", "%t") != "PD\n":
            assert afterwards.heard(ear, 20)


def test_an_epilog_that_fails_drains_the_node(live: Any) -> None:
    begin(live, program(live, "Epilog", "exit 1"))
    live("sbatch", "-N1", "--wrap", "true")
    assert live.run("wait", "1").code == 0
    assert live("sinfo", "-h", "-n", "n1", "-o", "%t %E") == "drain Epilog error\n"


def test_a_task_prolog_that_fails(live: Any) -> None:
    begin(live, program(live, "TaskProlog", "exit 3"))
    live("sbatch", "-o", "out", "--wrap", "touch ran")
    assert live.run("wait", "1").code == 1
    assert "error: TaskProlog failed status=3\n" in (live.cwd / "out").read_text()
    assert not (live.cwd / "ran").exists()


def test_the_tasks_of_srun_have_theirs(live: Any) -> None:
    prolog = "echo export A=$SLURM_PROCID; echo print said $SLURM_PROCID"
    begin(live, program(live, "TaskProlog", prolog), program(live, "TaskEpilog", "echo $SLURM_PROCID $A >> over"))

    live("srun", "-n2", "-o", "out", "sh", "-c", "echo task $A")

    assert sorted((live.cwd / "out").read_text().splitlines()) == ["said 0", "said 1", "task 0", "task 1"]
    assert sorted((live.cwd / "over").read_text().splitlines()) == ["0", "1"]


def test_a_task_prolog_that_fails_ends_the_task(live: Any) -> None:
    begin(live, program(live, "TaskProlog", "exit 3"))
    assert live.run("srun", "-o", "out", "touch", "ran").code == 1
    assert "error: TaskProlog failed status=3\n" in (live.cwd / "out").read_text()
    assert not (live.cwd / "ran").exists()


def test_allocations_without_a_script(live: Any) -> None:
    text = "echo {0} $SLURM_JOB_ID.$SLURMD_NODENAME $SLURM_JOB_EXIT_CODE2 >> order"
    begin(live, *(program(live, key, text.format(key)) for key in KEYS if not key.startswith("Task")))
    assert live.run("srun", "-N2", "sh", "-c", "echo task >> order; exit 3").code == 3
    order = (live.cwd / "order").read_text().splitlines()

    assert order[0] == "PrologSlurmctld 1."
    assert sorted(order[1:3]) == ["Prolog 1.n1", "Prolog 1.n2"]
    assert order[3:5] == ["task", "task"]
    assert sorted(order[5:7]) == ["Epilog 1.n1 3:0", "Epilog 1.n2 3:0"]
    assert order[7:] == ["EpilogSlurmctld 1. 3:0"]
    (live.cwd / "order").unlink()
    shell = "echo command >> order; {0} true; {0} true; echo over >> order"
    assert live.run("salloc", "-N1", "sh", "-c", shell.format(f"{sys.executable} -m slimsched.cli.main srun")).code == 0
    order = (live.cwd / "order").read_text().splitlines()
    assert order == [
        "PrologSlurmctld 2.",
        "command",
        "Prolog 2.n1",
        "over",
        "Epilog 2.n1 0:0",
        "EpilogSlurmctld 2. 0:0",
    ]


def test_prologs_with_the_allocation(live: Any) -> None:
    begin(live, program(live, "Prolog", "echo prolog >> order"), "PrologFlags=Alloc")
    live.run("salloc", "sh", "-c", f"echo command >> order; {sys.executable} -m slimsched.cli.main srun true")

    assert (live.cwd / "order").read_text() == "prolog\ncommand\n"


@pytest.mark.parametrize("flags", ["PrologFlags=", "PrologFlags=Alloc"])
def test_a_prolog_that_fails_for_srun(live: Any, flags: str, capfd: pytest.CaptureFixture[str]) -> None:
    begin(live, program(live, "Prolog", "[ $SLURMD_NODENAME = n2 ]"), flags)
    answer = live.run("srun", "-N2", "touch", "ran")

    assert not (live.cwd / "ran").exists()
    assert live("sinfo", "-h", "-n", "n1", "-o", "%t %E") == "drain Prolog error\n"
    assert live("squeue", "-h") == ""
    if flags.endswith("="):
        said = "error: Task launch for StepId=1.0 failed on node n1: Job prolog failed"
        assert (answer.code, capfd.readouterr().err.splitlines()[0]) == (182, f"srun: {said}")
    else:
        assert answer.code == 1


def test_mail(live: Any) -> None:
    """Recorded: scenario mail."""
    note = 'printf "%s|" "$@" > mail; env | grep ^SLURM > seen; cat >> seen'
    begin(live, program(live, "MailProg", f"{note}; mv mail mail.$SLURM_JOB_MAIL_TYPE; read x < told"))
    live("sbatch", "--mail-type=END,FAIL", "--mail-user=a@b", "-J", "mm", "--wrap", "exit 3", env={"MINE": "x"})
    live.run("wait", "1")
    with (live.cwd / "told").open("w") as heard:  # opened by the program once it has written
        heard.write("\n")

    mail = (live.cwd / "mail.Failed").read_text()
    assert mail.startswith("-s|Slurm Job_id=1 Name=mm Failed, Run time 00:00:0")
    assert mail.endswith(", FAILED, ExitCode 3|a@b|")
    seen = (live.cwd / "seen").read_text().splitlines()
    assert {f"SLURM_JOB_{each}" for each in ("STATE=FAILED", "EXIT_CODE=768", "EXIT_CODE2=3:0")} <= set(seen)
    assert {"SLURM_JOB_EXIT_CODE_MAX=3", "SLURM_JOB_NAME=mm", "SLURM_JOB_MAIL_TYPE=Failed"} <= set(seen)

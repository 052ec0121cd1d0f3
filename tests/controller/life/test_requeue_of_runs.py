"""A run that is put back into the queue by its exit code, or while it is held."""

from __future__ import annotations

from typing import Any

import pytest


def queue(sim: Any) -> str:
    return str(sim("squeue", "-h", "-o", "%i %t %r %Q").strip())


@pytest.mark.parametrize(("verb", "reason"), [("hold", "JobHeldAdmin"), ("uhold", "JobHeldUser")])
def test_the_hold_of_a_running_job_survives_a_requeue(sim: Any, verb: str, reason: str) -> None:
    """Recorded: hold_running."""
    sim("sbatch --wrap 'sleep 60'")
    sim(f"scontrol {verb} 1")
    sim("scontrol requeue 1")
    assert queue(sim) == f"1 PD {reason} 0"
    sim("scontrol release 1")
    assert queue(sim) == "1 PD BeginTime 4294901758"


@pytest.mark.parametrize(
    ("option", "code", "waiting", "accounted"),
    [
        ("--requeue", 3, "1 PD BeginTime 4294901758 3:0", "REQUEUED|3:0"),
        ("--requeue", 7, "1 SE JobHeldUser 0 7:0", "REQUEUED|7:0"),
        ("--no-requeue", 3, "", "FAILED|3:0"),
    ],
)
def test_exit_codes_that_requeue(sim: Any, option: str, code: int, waiting: str, accounted: str) -> None:
    """Recorded: requeue_exit."""
    sim("init --set RequeueExit=3-4 --set RequeueExitHold=7")
    sim("sbatch", option, "--wrap", f"exit {code}")
    shown = sim("scontrol -o show job 1").split()
    exit_code = next(word for word in shown if word.startswith("ExitCode=")).removeprefix("ExitCode=")
    assert f"{queue(sim)} {exit_code}" == waiting if waiting else queue(sim) == ""
    assert sim("sacct -D -X -n -P -o State,ExitCode").splitlines()[0] == accounted


def test_a_suspended_job_has_no_priority(sim: Any) -> None:
    """Recorded: suspend_resume."""
    sim("sbatch --wrap 'sleep 60'")
    sim("scontrol suspend 1")
    assert queue(sim) == "1 S None 0"
    sim("scontrol resume 1")
    assert queue(sim) == "1 R None 4294901758"

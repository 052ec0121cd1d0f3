"""A step as `srun` runs it, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

RUN = """
import os, sys, time
from slimsched.executor.local import files
from slimsched.executor.local.step import StepRun
from slimsched.executor.local.tasks import ALL, Plan

folder = sys.argv[1]
files.hold(folder)
plan = Plan(
    folder, "7.0", ["n1"], [[0]], [["sh", "-c", sys.argv[2]]], lambda node, local: dict(os.environ), folder,
    [os.devnull], [ALL], [ALL], **eval(sys.argv[3], {"now": time.time()}),
)
print(StepRun(plan).run()["status"])
"""


def run(folder: Path, script: str, **more: str) -> tuple[str, str]:
    """Return what a step prints and says; ``more``: expressions for further fields of its plan."""
    fields = "{" + ", ".join(f"{name!r}: {value}" for name, value in more.items()) + "}"
    words = [sys.executable, "-c", RUN, str(folder / "step"), script, fields]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return answer.stdout, answer.stderr


def test_the_warning_ahead_of_the_end_of_an_allocation(tmp_path: Path) -> None:
    script = 'trap "echo warned; exit 4" USR1; while :; do sleep 0.05; done'
    out, err = run(tmp_path, script, warn_at="now + 0.2", warning=str(int(signal.SIGUSR1)))

    assert out == "warned\n4\n"
    assert err.endswith("srun: error: n1: task 0: Exited with exit code 4\n")


def test_an_interrupt_goes_to_the_tasks(tmp_path: Path) -> None:
    script = 'trap "echo interrupted; exit 0" INT; kill -INT $PPID; while :; do sleep 0.05; done'
    assert run(tmp_path, script, forward_interrupts="True") == ("interrupted\n0\n", "")

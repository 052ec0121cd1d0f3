"""Calls of Slurm's commands on a live cluster, each a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from slimsched.executor.local import files


class Answer(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Live:
    """A live cluster of two nodes with four CPUs each."""

    def __init__(self, sim: Any) -> None:
        self.sim = sim

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        env = {
            **os.environ,
            "SLIMSCHED_STATE": str(self.sim.state),
            "PATH": f"{self.sim.state}/bin:{os.environ['PATH']}",
        }
        argv = [sys.executable, "-m", "slimsched.cli.main", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            argv,
            cwd=self.sim.cwd,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
            **more,
        )

    def __call__(self, *words: str, stdin: str = "") -> Answer:
        process = self.start(*words)
        out, err = process.communicate(stdin, timeout=60)
        return Answer(process.returncode, out, err)

    def job(self, script: str, *options: str) -> str:
        """Run a batch job to its end; return its output."""
        self.sim("sbatch", "-o", "out", *options, "--wrap", script)
        self.sim.run("wait", self.sim("squeue", "-h", "-t", "all", "-o", "%A").split()[-1])
        return str((self.sim.cwd / "out").read_text())

    def sacct(self, fields: str) -> list[str]:
        return list(self.sim("sacct", "-n", "-P", "-o", fields).splitlines())


@contextmanager
def two_nodes(sim: Any, *options: str) -> Iterator[Live]:
    """A live cluster of two nodes with four CPUs each; nothing of it is left running."""
    sim("init", "--live", "--nodes", "n[1-2]", "--cpus", "4", "--set", "KillWait=1", *options)
    sim("shims", str(sim.state / "bin"))
    os.mkfifo(sim.cwd / "told")
    yield Live(sim)
    sim.run("scancel", "-u", str(os.getuid()))
    for folder in (sim.state / "data-1" / "runs").glob("*"):
        files.order(str(folder), {"do": "stop", "why": "CANCELLED"})

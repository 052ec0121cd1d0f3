"""A live cluster under attack: commands, supervisors and scripts die, and every job still ends once, as it should.

A few processes submit a few jobs each, and each death comes from within: a script ends its own supervisor, or the
command that its end waits for. Twenty processes submit two hundred jobs by SLIMSCHED_ATTACK=long, first in peace; then
whatever belongs to the cluster is killed at random.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from slimsched.state import doctor

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found through /proc")
LONG = os.environ.get("SLIMSCHED_ATTACK") == "long"
PROCESSES, JOBS = (20, 10) if LONG else (3, 3)
SIM = [sys.executable, "-m", "slimsched.cli.main"]
SCRIPT = "echo run >> $SLURM_JOB_ID.$SLURM_RESTART_COUNT; echo out of $SLURM_JOB_ID; {deed}exit $((SLURM_JOB_ID % 4))"
SUICIDE = "[ $((SLURM_JOB_ID % 3)) = 0 ] && [ $SLURM_RESTART_COUNT = 0 ] && kill -9 $PPID; "
KINDS = ("supervisor", "waker", "report", "sbatch")
ENDS = ("COMPLETED|0:0", "FAILED|1:0", "FAILED|2:0", "FAILED|3:0")


def processes(state: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the ids and command lines of the processes of a cluster: those that name its state."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                words = Path(f"/proc/{name}/cmdline").read_bytes()
                if words and bytes(state) in words + Path(f"/proc/{name}/environ").read_bytes():
                    yield int(name), words


def ended(pid: int) -> bool:
    """Wait until a process has ended, which may have something to finish."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(handle) as file:
        return bool(select.select([file], [], [], 20)[0])


@contextmanager
def killer(state: Path, *, busy: bool) -> Iterator[Counter[str]]:
    """Kill processes of the cluster at random, in the long attack; yields how many of which kind."""
    over, dice, killed = threading.Event(), random.Random(1), Counter[str]()

    def work() -> None:
        while not over.wait(dice.uniform(0.05, 0.3)):
            found: dict[str, list[int]] = {}
            for pid, words in processes(state):
                found.setdefault(next((kind for kind in KINDS if kind.encode() in words), "script"), []).append(pid)
            if found:
                kind = dice.choice(sorted(found))
                killed[kind] += 1
                with suppress(ProcessLookupError):
                    os.kill(dice.choice(found[kind]), signal.SIGKILL)

    thread = threading.Thread(target=work)
    if busy:
        thread.start()
    try:
        yield killed
    finally:
        over.set()
        if busy:
            thread.join()


def submit(sim: Any, deed: str) -> list[int]:
    """Submit jobs, one after the other, until enough were acknowledged; return their ids."""
    env = {**os.environ, "SLIMSCHED_STATE": str(sim.state)}
    words = [*SIM, "sbatch", "--parsable", "--requeue", "-o", "out.%j", "--wrap", SCRIPT.format(deed=deed)]
    told: list[int] = []
    while len(told) < JOBS:
        answer = subprocess.run(words, env=env, cwd=sim.cwd, capture_output=True, text=True, check=False)
        assert answer.returncode in (0, -signal.SIGKILL), answer.stderr
        told += map(int, answer.stdout.split())
    return told


@pytest.mark.parametrize("attacked", [False, True])
def test_every_job_ends_once(make_sim: Any, attacked: bool) -> None:
    sim = make_sim("crowd")
    sim("init --live --nodes n[1-4] --cpus 8 --set KillWait=1 --set MinJobAge=1")
    with killer(sim.state, busy=attacked and LONG) as killed, ThreadPoolExecutor(PROCESSES) as pool:
        parts = list(pool.map(lambda _: submit(sim, SUICIDE if attacked else ""), range(PROCESSES)))
        told = sorted(number for part in parts for number in part)
        sim.run("wait", *map(str, told))
    lines = sim(
        "sacct", "-n", "-X", "-P", "-S", "now-1day", "-E", "now", "-o", "JobID,State,ExitCode,Restarts"
    ).splitlines()
    found = dict(line.split("|", 1) for line in lines)
    if LONG:
        print(attacked, dict(killed), Counter(text.rpartition("|")[0] for text in found.values()))

    assert len(lines) == len(found)
    assert set(map(str, told)) <= set(found)
    for job_id, text in found.items():
        end, restarts = text.rsplit("|", 1)
        runs = sorted(path.name for path in sim.cwd.glob(f"{job_id}.*"))
        assert set(runs) <= {f"{job_id}.{n}" for n in range(int(restarts) + 1)}
        assert all((sim.cwd / name).read_text() == "run\n" for name in runs), "a run began twice"
        if end != "FAILED|0:9" or not attacked:
            assert end == ENDS[int(job_id) % 4]
            assert (sim.cwd / f"out.{job_id}").read_text() == f"out of {job_id}\n"
            assert attacked or restarts == "0"
    assert [found for found in doctor.check(str(sim.state)) if found.status == doctor.DAMAGED] == []
    for pid, words in processes(sim.state):
        assert ended(pid), words
    assert os.listdir(sim.state / "data-1" / "runs") == []

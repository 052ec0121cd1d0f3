"""Many processes on one state directory, some of them killed: no acknowledged job is lost, none is there twice.

A few processes with a few commands each; twenty with sixty each by SLIMSCHED_ATTACK=long.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from slimsched.state import doctor, store

LONG = os.environ.get("SLIMSCHED_ATTACK") == "long"
PROCESSES, COMMANDS = (20, 60) if LONG else (4, 4)
SIM = [sys.executable, "-m", "slimsched.cli.main"]
MIX = (
    *3 * (["sbatch", "--parsable", "--wrap", "sleep 600"],),
    ["sbatch", "--parsable", "--array=0-3", "--wrap", "sleep 60"],
    ["advance", "1m"],
    ["squeue"],
    ["scontrol", "update", "nodename=node01", 'extra={"load":0.4}'],
)
KILLED = 0.08  # of all commands


class Done(NamedTuple):
    """One process's part: the job ids that it was told, and what its commands said if they were let be and failed."""

    acknowledged: list[int]
    failures: list[str]


def work(state: Path, seed: int) -> Done:
    """Run one command after the other; some are killed at a random instant, and then nothing was promised."""
    dice = random.Random(seed)
    done = Done([], [])
    env = {**os.environ, "SLIMSCHED_STATE": str(state)}
    for _ in range(COMMANDS):
        words = dice.choice(MIX)
        running = subprocess.Popen([*SIM, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        killed = dice.random() < KILLED
        try:
            out, err = running.communicate(timeout=dice.uniform(0.02, 0.3) if killed else 120)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            continue
        if running.returncode:
            done.failures.append(f"{words}: {err}")
        elif words[0] == "sbatch":
            done.acknowledged.append(int(out))
    return done


def test_no_acknowledged_job_is_lost_or_doubled(make_sim: Any) -> None:
    sim = make_sim("crowd")
    sim("init --nodes node[01-03] --cpus 12")
    with ThreadPoolExecutor(PROCESSES) as pool:
        parts = list(pool.map(lambda seed: work(sim.state, seed), range(PROCESSES)))
    acknowledged = [number for part in parts for number in part.acknowledged]
    with store.Store.open(str(sim.state)) as opened:
        cluster = opened.load()
        known = [*cluster.jobs.values(), *opened.archive.between()]
    ids = [job.job_id for job in known]
    roots = {job.array_job_id or job.job_id for job in known}

    assert [failure for part in parts for failure in part.failures] == []
    assert len(acknowledged) == len(set(acknowledged)), "an id was given twice"
    assert set(acknowledged) <= roots, "a job was lost"
    assert len(ids) == len(set(ids)), "a job is there twice"
    assert [found for found in doctor.check(str(sim.state)) if found.status == doctor.DAMAGED] == []

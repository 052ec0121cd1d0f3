"""Replay a workload of the UB-HPC Slurm simulator through `sim sbatch`, at its own times, to the end of the last job.

    python examples/replay_events.py SLURM_CONF EVENTS [COUNT]

SLURM_CONF is the cluster's own slurm.conf. EVENTS, plain or .gz, has lines ``-dt SECONDS -e submit_batch_job |
ARGUMENTS``; the first COUNT of them (default 500) are submitted: ``-sim-walltime`` becomes ``--sim-runtime`` and the
missing ``pseudo.job`` a ``--wrap``. Afterwards every job must have ended, and no node may ever have had more CPUs or
memory taken than it has; the exit status says so. The state is SLIMSCHED_STATE's, else a temporary directory.
"""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from slimsched.model.job import Job
from slimsched.state.store import Store
from slimsched.text import hostlist


def submissions(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (second, sbatch arguments) for every submission in the file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            head, _, tail = line.partition("|")
            words = head.split()
            if "submit_batch_job" not in words:
                continue
            arguments = shlex.split(tail)
            runtime = arguments.index("-sim-walltime")
            seconds = int(float(arguments[runtime + 1]))
            arguments[runtime : runtime + 2] = [f"--sim-runtime={seconds}"]
            if arguments[-1] == "pseudo.job":
                arguments[-1:] = ["--wrap", "true"]
            yield int(float(words[words.index("-dt") + 1])), arguments


def sim(*arguments: str) -> str:
    """Run one command and return what it printed; a failure stops the replay with its message."""
    done = subprocess.run(["sim", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"sim {shlex.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def replay(events: Path, count: int) -> list[int]:
    """Submit the first ``count`` jobs at their times, run to the end, and return their ids."""
    now, ids = 0, []
    for second, arguments in islice(submissions(events), count):
        if second > now:
            sim("advance", f"{second - now}s")
            now = second
        ids.append(int(sim("sbatch", "--parsable", *arguments).partition(";")[0]))
    sim("advance", "--until-idle")
    return ids


def overbooked(jobs: list[Job], cpus: dict[str, int], memory: dict[str, int]) -> list[str]:
    """Sweep over all starts and ends and name every node that was ever given out beyond what it has."""
    changes: dict[str, list[tuple[int, int, int]]] = {}
    for job in jobs:
        for name, used, megabytes in zip(hostlist.expand(job.nodes), job.cpus, job.memory, strict=True):
            if job.end_time > job.start_time:
                changes.setdefault(name, []).append((job.start_time, used, megabytes))
                changes[name].append((job.end_time, -used, -megabytes))
    faults = []
    for name, steps in sorted(changes.items()):
        busy = taken = 0
        for _, used, megabytes in sorted(steps):
            busy, taken = busy + used, taken + megabytes
            if busy > cpus[name] or taken > memory[name]:
                faults.append(f"{name}: {busy} of {cpus[name]} CPUs, {taken} of {memory[name]} MB")
                break
    return faults


def audit(ids: list[int]) -> int:
    """Compare what was submitted with what the state directory holds; return the exit status."""
    with Store.open(None, write=False) as store:
        cluster = store.load()
        known = {job.job_id: job for job in store.archive.some(ids)} | cluster.jobs
        jobs = [known[job_id] for job_id in ids if job_id in known]
        cpus = {node.name: node.cpus for node in cluster.nodes}
        memory = {node.name: node.real_memory for node in cluster.nodes}
    print(f"{len(ids)} jobs submitted, {len(jobs)} found:", dict(Counter(job.state for job in jobs)))
    faults = overbooked(jobs, cpus, memory)
    print("no node overbooked" if not faults else "\n".join(faults))
    return int(bool(faults) or len(jobs) != len(ids) or any(not job.finished for job in jobs))


def main() -> int:
    """Set up the cluster, replay, audit."""
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    conf, events = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) == 4 else 500
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.setdefault("SLIMSCHED_STATE", str(Path(scratch) / "cluster"))
        print(sim("init", "--from", conf), end="")
        return audit(replay(Path(events), count))


if __name__ == "__main__":
    sys.exit(main())

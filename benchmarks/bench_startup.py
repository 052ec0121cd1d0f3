"""What one command costs: CPU time of ``sim squeue`` and ``sim sbatch --wrap`` against ``python -c pass``.

    python benchmarks/bench_startup.py [--runs 21] [--archive 100000] [--pending 5000]

Budget (issue "Foundation"): with 100 jobs at most 6.0 times the bare interpreter of the same environment; with
100,000 finished jobs in the archive at most 1.3 times their own time; sbatch with 5,000 jobs pending at most twice.
User and system time of the child come from wait4; the cases take turns, and the medians are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

from slimsched.controller.core import Controller
from slimsched.controller.requests.users import invoking
from slimsched.controller.submit.submission import submit
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.slurm.states import COMPLETED
from slimsched.state.store import Store

SIM = Path(sysconfig.get_path("scripts")) / "sim"
SHARE = 2000  # archived jobs in one commit


def cpu_seconds(argv: list[str], env: dict[str, str]) -> float:
    """Run a program with its output thrown away; return its user and system time."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    pid = os.posix_spawn(argv[0], argv, env, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, argv
    return usage.ru_utime + usage.ru_stime


def change(folder: Path, action: Callable[[Cluster], None]) -> None:
    """Load the state, change it, commit."""
    with Store.open(str(folder), write=True) as store:
        cluster = store.load()
        action(cluster)
        store.commit(cluster)


def running_and_pending(cluster: Cluster) -> None:
    """Submit 100 jobs; the default cluster runs some and lets the others wait."""
    ctl = Controller(cluster)
    for n in range(100):
        request = JobRequest(name=f"job{n}", num_tasks=4, time_limit=60, work_dir="/tmp", submit_line="sbatch x")
        submit(ctl, request, invoking(ctl.cluster), "#!/bin/sh\nsleep 600\n")


def record(job_id: int, state: str) -> Job:
    """Return a plain job record."""
    request = JobRequest(name="old", partition="debug", num_tasks=1, min_nodes=1, work_dir="/tmp")
    return Job(job_id=job_id, request=request, state=state, user_name="root", submit_time=1, priority=1)


def archived(folder: Path, count: int) -> None:
    """Let ``count`` finished jobs pass into the archive."""
    for start in range(0, count, SHARE):

        def add(cluster: Cluster, start: int = start) -> None:
            first = cluster.next_job_id
            cluster.next_job_id += SHARE
            for n in range(min(SHARE, count - start)):
                job = record(first + n, COMPLETED)
                job.start_time, job.end_time, job.nodes = cluster.now, cluster.now, "node01"
                cluster.gone_jobs.append(job)

        change(folder, add)


def pending(cluster: Cluster, count: int) -> None:
    """Add ``count`` pending jobs behind those that wait already."""
    for _ in range(count):
        job = record(cluster.next_job_id, "PENDING")
        job.request.num_tasks, job.reason = 12, "Priority"
        job.priority = cluster.next_priority
        cluster.jobs[job.job_id] = job
        cluster.touch_job(job)
        cluster.next_job_id += 1
        cluster.next_priority -= 1


def main() -> None:
    """Prepare the clusters, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--archive", type=int, default=100_000)
    parser.add_argument("--pending", type=int, default=5_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folders = {name: Path(scratch, name) for name in ("jobs", "archive", "pending")}
        for folder in folders.values():
            folder.mkdir()
            change(folder, running_and_pending)
        archived(folders["archive"], options.archive)
        change(folders["pending"], lambda cluster: pending(cluster, options.pending))
        report(folders, options.runs)


def report(folders: dict[str, Path], runs: int) -> None:
    """Measure every case in turn and print medians and ratios."""
    squeue, sbatch = [str(SIM), "squeue"], [str(SIM), "sbatch", "--wrap", "true"]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environ = {name: {**inherited, "SLIMSCHED_STATE": str(folder)} for name, folder in folders.items()}
    cases = {
        "python -c pass": ([sys.executable, "-c", "pass"], environ["jobs"]),
        "squeue, 100 jobs": (squeue, environ["jobs"]),
        "sbatch, 100 jobs": (sbatch, environ["jobs"]),
        "squeue, archive": (squeue, environ["archive"]),
        "sbatch, archive": (sbatch, environ["archive"]),
        "sbatch, pending": (sbatch, environ["pending"]),
    }
    for argv, env in cases.values():
        cpu_seconds(argv, env)  # compiles what was not yet compiled
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, (argv, env) in cases.items():
            times[name].append(cpu_seconds(argv, env))
    median = {name: statistics.median(taken) for name, taken in times.items()}
    bare = median["python -c pass"]
    for name, seconds in median.items():
        own = median.get(f"{name.partition(',')[0]}, 100 jobs", seconds)
        print(f"{name:<18}{1000 * seconds:7.1f} ms{seconds / bare:7.2f} x python{seconds / own:7.2f} x own")


if __name__ == "__main__":
    main()

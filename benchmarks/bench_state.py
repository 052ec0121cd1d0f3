"""What the state directory costs a command: open, load and commit, by live jobs and by finished jobs in the archive.

    python benchmarks/bench_state.py [REPEATS]

Each case runs in processes of its own, as commands do; prints the median CPU milliseconds beyond the imports, and
the ratio to the first case. ``sacct`` is one look-up in the archive by id.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile

from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.slurm.states import COMPLETED, PENDING
from slimsched.state.store import Store

CASES = [("100 jobs", 100, 0), ("100 jobs, 100,000 archived", 100, 100_000), ("5,000 jobs pending", 5000, 0)]
WORK = """
import sys, time
from slimsched.state.store import Store
began = time.process_time()
with Store.open(sys.argv[1], write=True) as store:
    cluster = store.load()
    loaded = time.process_time()
    job = next(reversed(cluster.jobs.values()))
    job.priority += 1
    cluster.touch_job(job)
    cluster.now += 1
    store.commit(cluster)
    committed = time.process_time()
    found = store.archive.get(1)
    looked = time.process_time()
print(loaded - began, committed - loaded, looked - committed)
"""


def job(cluster: Cluster, state: str) -> Job:
    """Return a job as sbatch makes one."""
    request = JobRequest(
        name="wrap",
        partition="debug",
        min_nodes=1,
        num_tasks=1,
        time_limit=10,
        extra="load<0.5",
        work_dir="/home/user/work",
        submit_line="sbatch --extra load<0.5 -t10 --wrap sleep",
        output="/home/user/work/slurm-%j.out",
    )
    cluster.next_job_id += 1
    return Job(
        job_id=cluster.next_job_id - 1,
        request=request,
        user_id=1000,
        user_name="user",
        group_id=1000,
        group_name="user",
        state=state,
        submit_time=cluster.now,
        eligible_time=cluster.now,
        priority=4294901759 - cluster.next_job_id,
        reason="Resources",
    )


def fill(folder: str, live: int, archived: int) -> None:
    """Make a state directory with so many jobs."""
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.gone_jobs = [job(cluster, COMPLETED) for _ in range(archived)]
        for _ in range(live):
            made = job(cluster, PENDING)
            cluster.jobs[made.job_id] = made
            cluster.touch_job(made)
        store.commit(cluster)
        store.checkpoint()


def measure(folder: str, repeats: int) -> list[float]:
    """Return median milliseconds of load, commit and look-up."""
    runs = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", WORK, folder], capture_output=True, text=True, check=True)
        runs.append([1000 * float(word) for word in done.stdout.split()])
    return [statistics.median(column) for column in zip(*runs, strict=True)]


def main(repeats: int) -> None:
    """Run all cases."""
    base = 0.0
    print(f"{'':<30}{'load':>8}{'commit':>8}{'sacct':>8}{'ratio of load + commit':>26}")
    for name, live, archived in CASES:
        with tempfile.TemporaryDirectory() as folder:
            fill(folder, live, archived)
            load, commit, look = measure(folder, repeats)
        base = base or load + commit
        print(f"{name:<30}{load:8.2f}{commit:8.2f}{look:8.2f}{(load + commit) / base:26.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

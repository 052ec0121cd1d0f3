"""Time replays of other shapes than KTH: a wide machine, a site's week with its options, deep queues, long streams.

    python benchmarks/bench_shapes.py [wide] [site] [deep] [stream] [week]

Without words all of them run but `week`, which takes more than ten minutes. CPU times are those of whole processes, and
stand beside a bare loop or KTH in the same run, so that they hold on a busy machine. `site` and `week` need
../shared/traces/ub-hpc and kth-norm-all.swf.gz.
"""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple

SIM = [sys.executable, "-m", "slimsched"]
TRACES = Path(__file__).parents[2] / "shared" / "traces"
SITE = TRACES / "ub-hpc" / "medium_cluster"
DROPPED = subprocess.DEVNULL


class Cost(NamedTuple):
    """What a process took: CPU seconds, and its largest memory in MB."""

    seconds: float
    memory: float


def cost(*words: str) -> Cost:
    """Run a process to its end and return what it took."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)}: exit status {status}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def synthetic(folder: Path, processors: int, jobs: int) -> Path:
    """Make a trace for a machine."""
    path = folder / f"{processors}-{jobs}.swf"
    words = ["generate", "--procs", str(processors), "--jobs", str(jobs), "--load", "0.8", "-o", str(path)]
    subprocess.run([*SIM, *words], check=True)
    path.with_suffix(".gz").write_bytes(gzip.compress(path.read_bytes()))
    return path


def wide(folder: Path) -> None:
    """Time a machine of nodes with 16 processors, up to the size of CEA-Curie's: more jobs, more nodes, tenfold."""
    print("synthetic jobs on nodes of 16 processors, EASY, beside the bare loop on as many processors")
    for nodes, jobs in ((583, 500), (583, 5000), (5832, 500), (5832, 5000)):
        trace = synthetic(folder, nodes * 16, jobs)
        loop = [sys.executable, str(Path(__file__).with_name("bench_ratio.py")), "loop"]
        bare = cost(*loop, str(trace.with_suffix(".gz")), "0", str(folder / "starts"), str(nodes * 16)).seconds
        ours = cost(*SIM, "replay", str(trace), "--nodes", str(nodes), "--cpus", "16", "--policy", "easy").seconds
        print(
            f"  {nodes:5} nodes, {jobs:5} jobs  {1000 * ours / jobs:7.2f} ms a job  {ours / bare:6.1f} times the loop"
        )


def site(folder: Path) -> None:
    """Time the first jobs of a week of UB-HPC, beside KTH under Slurm's defaults."""
    kth = _kth_job()
    print(f"UB-HPC: sbatch lines, its slurm.conf, beside KTH under Slurm's defaults ({1000 * kth:.2f} ms a job)")
    for name, cluster in (("without accounts", SITE / "slurm.conf"), ("with accounts", _with_accounts(folder))):
        print(f" {name}")
        for jobs in (500, 1000, 2000, 3000):
            _site_jobs(folder, cluster, jobs, kth)


def week(folder: Path) -> None:
    """Time the whole week of UB-HPC with its accounts."""
    print("UB-HPC: all 19,579 jobs of a week, with accounts, beside KTH under Slurm's defaults")
    _site_jobs(folder, _with_accounts(folder), 19_579, _kth_job())


def _kth_job() -> float:
    """Return the CPU seconds that a job of KTH takes under Slurm's defaults."""
    words = ["--nodes", "100", "--policy", "slurm-backfill", "--jobs", "2000"]
    return cost(*SIM, "replay", str(TRACES / "kth-norm-all.swf.gz"), *words).seconds / 2000


def _with_accounts(folder: Path) -> Path:
    """Return a state directory with UB-HPC's nodes, accounts, users and QOS."""
    state = folder / "site"
    _quietly("init", "--state", str(state), "--from", str(SITE / "slurm.conf"))
    with (SITE / "sacctmgr.script").open() as script:
        _quietly("--state", str(state), "sacctmgr", "-i", script=script)
    return state


def _quietly(*words: str, script: IO[str] | None = None) -> None:
    subprocess.run([*SIM, *words], stdin=script, stdout=DROPPED, stderr=DROPPED)


def _site_jobs(folder: Path, cluster: Path, jobs: int, kth: float) -> None:
    """Replay the first jobs and print what one took, also in those of KTH."""
    out = folder / f"{cluster.name}-{jobs}"
    words = ["replay", str(SITE / "workload_week.events.gz"), "--cluster", str(cluster)]
    took = cost(*SIM, *words, "--jobs", str(jobs), "--out", str(out))
    ours = took.seconds / jobs
    rows = len((out / "jobs.csv").read_text().splitlines()) - 1
    print(f"  first {jobs:5}  {1000 * ours:7.2f} ms a job  {ours / kth:6.1f} times KTH  {rows} jobs ended")


def deep(folder: Path) -> None:
    """Time one cycle over all that wait, mixed jobs, on more nodes."""
    import bench_engine

    from slimsched.controller.core import Controller
    from slimsched.controller.submit.submission import submit
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config, NodeConf, PartitionConf
    from slimsched.model.request import JobRequest

    print("one cycle over mixed jobs that wait")
    for pending, nodes in ((5036, 64), (5000, 1000), (5000, 10_000), (50_000, 10_000)):
        config = Config(
            slurm={
                "SchedulerParameters": "bf_max_job_test=100000,default_queue_depth=100000,bf_continue",
                "MaxJobCount": "1000000",
            },
            nodes=[NodeConf(node_name=f"n[1-{nodes}]", cpus=4, real_memory=1000)],
            partitions=[PartitionConf(partition_name="all", nodes="ALL", default=True, max_time=120, default_time=30)],
        )
        ctl, rng = Controller(Cluster(config)), random.Random(1)
        submit(ctl, JobRequest(partition="all", sim_runtime=6000, min_nodes=nodes, exclusive="NODE"), bench_engine.ME)
        ctl.settle()
        for _ in range(pending):
            submit(ctl, JobRequest(partition="all", sim_runtime=6000, **bench_engine.mixed(rng)), bench_engine.ME)
        ctl.cluster.now, ctl.cluster.pass_due = 60, True
        began = time.process_time()
        ctl.settle()
        seconds = time.process_time() - began
        print(f"  {pending:6} on {nodes:6} nodes  {seconds:7.2f} s  {1e6 * seconds / pending:7.0f} us a pending job")


def stream(folder: Path) -> None:
    """Measure the memory of long replays."""
    print("streamed through a pool of 1,000 processors, EASY")
    for jobs in (20_000, 100_000):
        trace = synthetic(folder, 1000, jobs)
        took = cost(*SIM, "replay", str(trace), "--procs", "1000", "--policy", "easy")
        print(f"  {jobs:7} jobs  {1000 * took.seconds / jobs:6.2f} ms a job  {took.memory:5.0f} MB")


SHAPES = {"wide": wide, "site": site, "deep": deep, "stream": stream}
LONG = {"week": week}
"""Those that run only if they are named."""


def main() -> None:
    """Time the shapes that are named, or all."""
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SHAPES:
            (SHAPES | LONG)[name](Path(folder))


if __name__ == "__main__":
    main()

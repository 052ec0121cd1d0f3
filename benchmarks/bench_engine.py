"""Drive a trace through the controller in memory, time one backfill cycle over 5,000 jobs, and check the schedules.

    python benchmarks/bench_engine.py [TRACES [ORACLE]]

TRACES holds kth-norm-all.swf.gz (default ../shared/traces), ORACLE the references of oracle/easy (default
../shared/oracle/easy). Times are CPU seconds. Slurm's limits are whole minutes: with the defaults an estimate is
rounded up to one; where starts are compared, a second of the trace is a minute of the replay.
"""

from __future__ import annotations

import csv
import gzip
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from slimsched.controller.core import Controller
from slimsched.controller.life import transitions
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop, job_queue, main_pass
from slimsched.controller.submit.submission import submit
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.request import JobRequest
from slimsched.sched.cycle import Cycle
from slimsched.sched.planner import Planner

MINUTE = 60
ME = User(1000, "me", 1000, "me")
DEEP = "bf_window=10000000,bf_max_job_test=1000000,default_queue_depth=1000000"
EXACT = f"bf_exact,bf_interval=1,{DEEP}"


class Policy(NamedTuple):
    """A way to schedule; ``second``: how long a second of the trace lasts, ``compared``: the reference."""

    name: str
    scheduler: str
    parameters: str
    second: int = MINUTE
    compared: str = ""


DEFAULTS = Policy("backfill, Slurm's defaults", "sched/backfill", "", 1)
POLICIES = (
    DEFAULTS,
    Policy("backfill, a promise for every job", "sched/backfill", EXACT),
    Policy(
        "backfill, one promise (EASY)", "sched/backfill", f"{EXACT},bf_job_part_count_reserve=1", MINUTE, "easy_batch"
    ),
    Policy("strict order (FCFS)", "sched/builtin", EXACT, MINUTE, "fcfs"),
)


class TraceJob(NamedTuple):
    """What is used of a line of the trace; times in its seconds."""

    number: int
    submitted: int
    run_time: int
    processors: int
    estimate: int


def read(path: Path, count: int | None) -> list[TraceJob]:
    """Return the first ``count`` jobs of a trace in the Standard Workload Format."""
    with gzip.open(path, "rt") as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith(";")]
    return [TraceJob(int(r[0]), int(r[1]), int(r[3]), int(r[4]), int(r[8])) for r in rows[:count]]


def machine(nodes: int, policy: Policy) -> Controller:
    """Return a controller of one-CPU nodes that keeps no forecasts: a replay does not look at them."""
    config = Config(
        slurm={
            "MaxJobCount": "1000000", "MinJobAge": "60", "SelectType": "select/linear", "SelectTypeParameters": "",
            "SchedulerType": policy.scheduler, "SchedulerParameters": policy.parameters,
        },
        nodes=[NodeConf(node_name=f"n[001-{nodes:03}]", cpus=1)],
        partitions=[PartitionConf(partition_name="all", nodes="ALL", default=True)],
    )  # fmt: skip
    ctl = Controller(Cluster(config))
    ctl.forecasting = False
    return ctl


def replay(jobs: list[TraceJob], nodes: int, policy: Policy) -> dict[int, int]:
    """Run a trace and return each job's start; at one instant ends come first, then submissions, then one pass."""
    ctl = machine(nodes, policy)
    starts: dict[int, int] = {}
    place = 0
    while place < len(jobs):
        now = jobs[place].submitted
        event_loop.advance(ctl, now * policy.second, settle=False)
        ctl.cluster.pass_due = True
        while place < len(jobs) and jobs[place].submitted == now:
            submit(ctl, request(jobs[place], policy.second), ME)
            place += 1
        ctl.settle()
        collect(ctl, starts)
    event_loop.advance_until_idle(ctl)
    collect(ctl, starts)
    return {jobs[job_id - 1].number: start // policy.second for job_id, start in starts.items()}


def request(job: TraceJob, second: int) -> JobRequest:
    """Return the submission of a job of the trace."""
    return JobRequest(
        partition="all",
        min_nodes=job.processors,
        max_nodes=job.processors,
        num_tasks=job.processors,
        time_limit=-(-job.estimate * second // MINUTE),
        sim_runtime=job.run_time * second,
    )


def collect(ctl: Controller, starts: dict[int, int]) -> None:
    """Note the starts, and do what a state directory would do after a commit: forget what was written."""
    cluster = ctl.cluster
    for event in cluster.events:
        if event["event"] == "start":
            starts[int(str(event["job"]))] = int(str(event["time"]))
    for written in (cluster.events, cluster.gone_jobs, cluster.dirty_jobs, cluster.dirty_nodes):
        written.clear()


def reference(oracle: Path, name: str) -> dict[int, int]:
    """Return the starts of a reference schedule of the whole trace."""
    path = oracle / f"kth-all_{name}.csv.gz"
    if not name or not path.exists():
        return {}
    with gzip.open(path, "rt") as lines:
        return {int(row["job_id"]): int(float(row["start"])) for row in csv.DictReader(lines)}


def bench_trace(traces: Path, oracle: Path) -> None:
    """Time the first 5,000 jobs under each policy, and compare the whole trace where there is a reference."""
    path = traces / "kth-norm-all.swf.gz"
    print("KTH, first 5,000 jobs on 100 one-CPU nodes")
    for policy in POLICIES:
        jobs = read(path, 5000)
        began = time.process_time()
        starts = replay(jobs, 100, policy)
        seconds = time.process_time() - began
        wait = sum(starts[job.number] - job.submitted for job in jobs) / len(jobs)
        print(f"  {policy.name:36}{len(jobs) / seconds:8.0f} jobs/s   mean wait {wait:8.1f} s")
    for policy in POLICIES:
        expected = reference(oracle, policy.compared)
        if expected:
            starts = replay(read(path, None), 100, policy)
            same = sum(starts[number] == start for number, start in expected.items())
            print(f"  {policy.name}: {same} of {len(expected)} starts as in {policy.compared}")


def bench_parts(traces: Path) -> None:
    """Say where the time of the default policy goes: exclusive time by part, measured around its entry points."""
    spent: Counter[str] = Counter()
    stack: list[list[float]] = []

    def timed(name: str, work: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            stack.append([time.process_time(), 0.0])
            try:
                return work(*args, **named)
            finally:
                began, inner = stack.pop()
                whole = time.process_time() - began
                spent[name] += whole - inner  # type: ignore[assignment]
                if stack:
                    stack[-1][1] += whole

        return call

    parts: list[tuple[object, str, str]] = [
        (sys.modules[__name__], "submit", "submissions"),
        (transitions, "start_job", "starts"), (transitions, "end_job", "ends"),
        (job_queue, "build", "queue and reasons"), (main_pass.Pass, "main", "main pass"),
        (Cycle, "run", "backfill cycles"), (Planner, "find", "finding slots"),
    ]  # fmt: skip
    before = [getattr(owner, name) for owner, name, _ in parts]
    for (owner, name, label), work in zip(parts, before, strict=True):
        setattr(owner, name, timed(label, work))
    began = time.process_time()
    replay(read(traces / "kth-norm-all.swf.gz", 5000), 100, DEFAULTS)
    total = time.process_time() - began
    for (owner, name, _), work in zip(parts, before, strict=True):
        setattr(owner, name, work)
    spent["event loop and the rest"] = total - sum(spent.values())  # type: ignore[assignment]
    print("where the time goes (backfill, Slurm's defaults; timers included)")
    for label, seconds in spent.most_common():
        print(f"  {label:36}{100 * seconds / total:6.1f} %")


def bench_cycle() -> None:
    """Time one cycle over 5,000 pending jobs on 64 nodes; the real slurmctld took 2.15 s (oracle/slurm/perf.md)."""
    print("one backfill cycle over 5,000 pending jobs on 64 nodes, and one more submission")
    parameters = "extra_constraints,bf_max_job_test=10000,default_queue_depth=10000,bf_continue"
    for name, make in CASES.items():
        config = Config(
            slurm={"SchedulerParameters": parameters},
            nodes=[NodeConf(node_name="node[1-64]", cpus=4, real_memory=1000)],
            partitions=[
                PartitionConf(partition_name="debug", nodes="ALL", default=True, max_time=120, default_time=30)
            ],
        )
        ctl, rng = Controller(Cluster(config)), random.Random(1)
        ctl.cluster.pass_due = True
        for _ in range(5100):
            submit(ctl, JobRequest(partition="debug", sim_runtime=6000, **make(rng)), ME)
        ctl.settle()
        ctl.cluster.now, ctl.cluster.pass_due = 60, True
        began = time.process_time()
        ctl.settle()
        cycle = time.process_time() - began
        began = time.process_time()
        submit(ctl, JobRequest(partition="debug", sim_runtime=6000), ME)
        one = time.process_time() - began
        pending = sum(job.pending for job in ctl.cluster.jobs.values())
        print(f"  {name:14}{cycle * 1000:8.0f} ms   {one * 1000:6.1f} ms   ({pending} pending)")


def mixed(rng: random.Random) -> dict[str, object]:
    """Return a job of one of four kinds and eight limits."""
    kinds: tuple[dict[str, object], ...] = (
        {"exclusive": "NODE", "min_nodes": (nodes := rng.choice((1, 2, 4, 8))), "max_nodes": nodes},
        {"num_tasks": rng.choice((1, 2, 4, 8))},
        {"num_tasks": 1, "cpus_per_task": rng.choice((1, 2, 4))},
        {"num_tasks": 1, "mem_per_node": rng.choice((100, 300, 600, 1000))},
    )
    return {**rng.choice(kinds), "time_limit": rng.choice((5, 10, 20, 30, 45, 60, 90, 120))}


CASES: dict[str, Callable[[random.Random], dict[str, object]]] = {
    "all alike": lambda rng: {},
    "whole nodes": lambda rng: {"exclusive": "NODE"},
    "mixed": mixed,
}
"""What the 5,000 jobs ask for."""


def main() -> None:
    """Run everything."""
    shared = Path(__file__).parents[2] / "shared"
    traces = Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "traces"
    oracle = Path(sys.argv[2]) if len(sys.argv) > 2 else shared / "oracle" / "easy"
    bench_cycle()
    bench_trace(traces, oracle)
    bench_parts(traces)


if __name__ == "__main__":
    main()

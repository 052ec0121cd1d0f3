"""Clusters as the records were made on, built by hand: what the commands show does not need a scheduler."""

from __future__ import annotations

import calendar
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import world

from slimsched.cli.app import Application
from slimsched.cli.program import Program
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest

DATA = Path(__file__).parent / "data"
TOP = 4294901759  # priority of the first job


def records(name: str) -> list[dict[str, Any]]:
    """Return the records of a file in tests/data."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def at(clock: str) -> int:
    """Return an instant of the day on which the records were made."""
    return calendar.timegm((2026, 11, 21, *(int(part) for part in clock.split(":"))))


def add(cluster: Cluster, job_id: int, submitted: str, rank: int | None = None, **fields: Any) -> Job:
    """Add a job; fields of the request are given with those of the job, in one list."""
    asked = {
        k: fields.pop(k) for k in list(fields) if k in JobRequest.__struct_fields__ and k not in Job.__struct_fields__
    }
    partition = fields.pop("partition", "debug")
    values: dict[str, Any] = {
        "num_tasks": 1,
        "min_nodes": 1,
        "mem_per_cpu": 100,
        "partition": partition,
        "requeue": True,
        "work_dir": "/scratch/work",
        **asked,
    }
    if "mem_per_node" in values:
        del values["mem_per_cpu"]
    who = {"user_name": "root", "group_name": "root", "alloc_node": "localhost", "alloc_sid": 2689}
    job = world.record(
        cluster, JobRequest(**values), job_id=job_id, partition=partition, submit_time=at(submitted), **who
    )
    job.priority = TOP - (job_id - 1 if rank is None else rank)
    job.eligible_time = job.submit_time
    for name, value in fields.items():
        setattr(job, name, value)
    return job


def run(cluster: Cluster, job: Job, nodes: str, cpus: Sequence[int], memory: Sequence[int], start: str) -> None:
    """Let a job run on ``nodes`` from ``start`` on."""
    job.state, job.nodes, job.cpus, job.memory = "RUNNING", nodes, list(cpus), list(memory)
    job.start_time = job.last_sched_eval = at(start)
    limit = job.request.time_limit or (1440 if job.partition == "batch" else 30)
    job.end_time = job.start_time + limit * 60
    job.accrue_time, job.scheduler = job.eligible_time, "Backfill"


def formats(now: str = "07:26:20") -> Cluster:
    """Return the cluster of scenario squeue_formats: twelve submissions, a running array, several waiting jobs."""
    cluster = Cluster(world.recorded(), at(now))
    t, s = "07:26:14", "07:26:15"
    job = add(cluster, 1, t, name="run1", num_tasks=2, mem_per_node=200, comment="cc")
    run(cluster, job, "node1", [2], [200], s)
    job = add(cluster, 2, t, name="run2", partition="batch", min_nodes=2, num_tasks=2, exclusive="NODE")
    run(cluster, job, "node[5-6]", [4, 4], [400, 400], s)
    array = {"name": "arr", "array_job_id": 3, "array_max_tasks": 2, "rank": 2}
    add(cluster, 3, t, array_tasks="2-5", reason="JobArrayTaskLimit", eligible_time=0, **array)
    for job_id, task in ((13, 0), (14, 1)):
        job = add(cluster, job_id, t, array_task_id=task, **array)
        job.eligible_time = at(s)
        run(cluster, job, "node1", [1], [100], s)
    add(cluster, 4, t, name="held", priority=0, hold=True, reason="JobHeldUser", eligible_time=0)
    begin = at("08:26:14")
    add(cluster, 5, t, 3, name="later", begin_time=begin, reason="BeginTime", start_time=begin, eligible_time=begin)
    waits = {"dependency": "afterok:1(unfulfilled)", "reason": "Dependency", "eligible_time": 0}
    add(cluster, 6, t, 4, name="dep", **waits)
    job = add(cluster, 7, t, 5, name="big", min_nodes=8, max_nodes=8, num_tasks=8, exclusive="NODE", time_limit=20)
    job.reason, job.start_time, job.sched_nodes, job.planned = "Resources", at(s) + 86400, "node[1-8]", True
    add(cluster, 8, t, 6, name="noextra", extra="a=99", reason="Constraints")
    run(cluster, add(cluster, 9, t, 7, name="extra", extra="a=1"), "node2", [1], [100], s)
    for job_id, name, state, reason in ((10, "done", "COMPLETED", "None"), (11, "failed", "FAILED", "NonZeroExitCode")):
        job = add(cluster, job_id, t, job_id - 2, name=name)
        run(cluster, job, "node2", [1], [100], s)
        job.state, job.reason, job.end_time = state, reason, job.start_time
    job = add(cluster, 12, t, 17, name="gpujob", nice=7)
    job.request.gres = "gpu:1"
    run(cluster, job, "node7", [1], [100], s)
    return cluster


class Scene(Application):
    """An application whose state is a cluster in memory; nothing is stored of what was."""

    store: Any = SimpleNamespace(history=lambda: iter(()))

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self.cluster = cluster

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Any]:
        yield SimpleNamespace(cluster=self.cluster)


def call(cluster: Cluster, command: Program, argv: Sequence[str], capsys: Any) -> tuple[int, str, str]:
    """Run a command on a cluster; return exit code, output and errors."""
    app = Scene(cluster)
    code = app.guard(lambda: command.main(app, argv))
    return (code, *capsys.readouterr())


def nodes_busy(now: str = "07:32:46") -> Cluster:
    """Return the cluster of scenario sinfo_variants: two jobs, a drained node, one down, one with Extra."""
    cluster = Cluster(world.recorded(), at(now))
    job = add(cluster, 1, "07:32:43", min_nodes=2, max_nodes=2, num_tasks=2, exclusive="NODE")
    run(cluster, job, "node[1-2]", [4, 4], [400, 400], "07:32:44")
    run(cluster, add(cluster, 2, "07:32:43", num_tasks=2), "node3", [2], [200], "07:32:44")
    why = {"reason_time": at("07:32:46"), "reason_uid": 0, "reason_user": "root"}
    cluster.nodes[6].change(flags=["DRAIN"], reason="disk", **why)
    cluster.nodes[7].change(state="DOWN", reason="psu fail", **why)
    cluster.nodes[5].change(extra='{"a":1}')
    return cluster


def shown(now: str = "07:30:51") -> Cluster:
    """Return the cluster of scenario scontrol_show_and_hostlists: two jobs and an array, one task of which runs."""
    cluster = Cluster(world.recorded(), at(now))
    cluster.boot_time = at("07:30:46")
    line = "sbatch -J {} --wrap sleep 300"
    j1 = line.format("j1 -n 2 --mem=200 --extra a!=9")
    job = add(cluster, 1, "07:30:47", name="j1", num_tasks=2, mem_per_node=200, extra="a!=9", submit_line=j1)
    run(cluster, job, "node1", [2], [200], "07:30:48")
    j2 = line.format("j2 -N 2 -p batch")
    sizes = {"min_nodes": 2, "max_nodes": 2, "num_tasks": 2}
    job = add(cluster, 2, "07:30:47", name="j2", partition="batch", submit_line=j2, **sizes)
    run(cluster, job, "node[5-6]", [1, 1], [100, 100], "07:30:48")
    array = {"name": "arr", "array_job_id": 3, "array_max_tasks": 1, "rank": 2}
    array["submit_line"] = line.format("arr --array 0-3%1")
    job = add(cluster, 3, "07:30:47", array_tasks="1-3", reason="JobArrayTaskLimit", eligible_time=0, **array)
    job.last_sched_eval, job.scheduler = at("07:30:48"), "Main"
    job = add(cluster, 4, "07:30:47", array_task_id=0, **array)
    job.eligible_time = at("07:30:48")
    run(cluster, job, "node1", [1], [100], "07:30:48")
    job.accrue_time = 0
    cluster.nodes[0].change(extra='{ "a": 1.23, "b": true, "c": 0, "foo": "bar", "zed": 23 }')
    return cluster

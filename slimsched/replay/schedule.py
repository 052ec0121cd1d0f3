"""Schedules as reports show them: of a replay's folder, and of what has happened in a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.errors import UserError
from slimsched.library.cluster import configuration
from slimsched.model.request import INFINITE
from slimsched.replay import rows
from slimsched.replay.compare import Result
from slimsched.replay.machine import Machine
from slimsched.replay.rows import Row
from slimsched.replay.run import JOBS
from slimsched.text import hostlist

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class Schedule(NamedTuple):
    """Jobs on named nodes with so many processors together."""

    rows: Sequence[Row]
    nodes: Sequence[str]
    processors: int


def of_run(run: Result) -> Schedule:
    """Return the schedule of a replay. Raises `UserError` if its files are damaged."""
    try:
        machine = Machine(**run.options["machine"])
        processors = int(run.options["processors"])
        nodes = _nodes(machine)
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{run.folder}: run.json does not describe a machine") from None
    return Schedule(list(rows.read(os.path.join(run.folder, JOBS), Row)), nodes, processors)


def _nodes(machine: Machine) -> list[str]:
    if not machine.file:
        return hostlist.expand(f"n[1-{int(machine.nodes)}]")
    return [name for conf in configuration(machine.file).nodes for name in hostlist.expand(conf.node_name)]


def of_cluster(cluster: Cluster, ended: Iterable[Job]) -> Schedule:
    """Return what has happened in a cluster; ``ended``: the jobs of its archive. What runs lasts until now."""
    jobs: dict[Any, Job] = {(job.job_id, job.restarts): job for job in ended}
    jobs.update({(job.job_id, job.restarts): job for job in cluster.jobs.values()})
    found = [_row(cluster, job) for _, job in sorted(jobs.items())]
    return Schedule(found, [node.name for node in cluster.nodes], sum(node.cpus for node in cluster.nodes))


def _row(cluster: Cluster, job: Job) -> Row:
    ran = bool(job.nodes)
    end = job.end_time if job.finished else cluster.now
    limit = job.request.time_limit
    return Row(
        job=job.job_id,
        user=job.user_name,
        procs=sum(job.cpus) or job.request.num_tasks or 1,
        submit=job.submit_time,
        start=job.start_time if ran else -1,
        end=end if ran else -1,
        run=end - job.start_time if ran else 0,
        limit=-1 if limit is None or limit == INFINITE else limit * 60,
        state=job.state,
        scheduler=job.scheduler,
        planned=-1,
        nodes=job.nodes,
        extra=job.request.extra or "",
    )

"""Schedules as reports show them: of a replay's folder, and of what has happened in a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.errors import UserError
from slimsched.library.cluster import configuration
from slimsched.model.request import INFINITE
from slimsched.replay import rows
from slimsched.replay.compare import Result
from slimsched.replay.machine import Machine
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.run import JOBS, NODES
from slimsched.state import files
from slimsched.text import hostlist

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.node import NodeState

    Nodes = Mapping[str, NodeState]


class Schedule(NamedTuple):
    """Jobs on named nodes with so many processors together; ``said``: what the nodes said, in the order of time."""

    rows: Sequence[Row]
    nodes: Sequence[str]
    processors: int
    said: Sequence[NodeRow] = ()


def of_run(run: Result) -> Schedule:
    """Return the schedule of a replay. Raises `UserError` if its files are damaged."""
    try:
        machine = Machine(**run.options["machine"])
        processors = int(run.options["processors"])
        nodes = _nodes(machine)
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{run.folder}: run.json does not describe a machine") from None
    told = os.path.join(run.folder, NODES)
    said = list(rows.read(told, NodeRow)) if files.kind(told) else ()
    return Schedule(list(rows.read(os.path.join(run.folder, JOBS), Row)), nodes, processors, said)


def _nodes(machine: Machine) -> list[str]:
    if not machine.file:
        return hostlist.expand(f"n[1-{int(machine.nodes)}]")
    return [name for conf in configuration(machine.file).nodes for name in hostlist.expand(conf.node_name)]


def of_cluster(cluster: Cluster, ended: Iterable[Job], changes: Iterable[tuple[int, Nodes]]) -> Schedule:
    """Return what has happened in a cluster. What runs lasts until now.

    ``ended``: the jobs of its archive; ``changes``: instants, and the nodes that changed then.
    """
    jobs: dict[Any, Job] = {(job.job_id, job.restarts): job for job in ended}
    jobs.update({(job.job_id, job.restarts): job for job in cluster.jobs.values()})
    found = [_row(cluster, job) for _, job in sorted(jobs.items())]
    return Schedule(
        found,
        [node.name for node in cluster.nodes],
        sum(node.cpus for node in cluster.nodes),
        list(_said(cluster, changes)),
    )


def _said(cluster: Cluster, changes: Iterable[tuple[int, Nodes]]) -> Iterator[NodeRow]:
    """Yield what the nodes said, from what their configuration says on."""
    extras = {node.name: (node.conf.extra or "") for node in cluster.nodes}
    for name, extra in extras.items():
        if extra:
            yield NodeRow(cluster.boot_time, name, "", extra)
    for now, nodes in changes:
        for name, node in nodes.items():
            extra = node.extra if node.extra is not None else extras.get(name, "")
            if extra != extras.get(name, ""):
                extras[name] = extra
                yield NodeRow(now, name, node.state or "", extra)


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

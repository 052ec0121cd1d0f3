"""STARTJOB: a job starts on the nodes that the external scheduler chose, or is held again."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.schedule import attempt, job_queue
from slimsched.model import bitmap
from slimsched.model.job import HOLD_PRIORITY
from slimsched.sched.api import Verdict
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import DENIED, MALFORMED, NOT_STARTED, Refused, Settings, Words, status
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

STARTING = 100_000_000
"""Priority of a job that the external scheduler starts."""


def start_job(ctl: Controller, words: Words, settings: Settings) -> str:
    """Start a pending job. Raises `Refused`, and leaves the job alone if the request is wrong."""
    job = find(ctl.cluster, words.job_id)
    if "TASKLIST" not in words.options:
        raise Refused(MALFORMED, "STARTJOB lacks TASKLIST")
    counts = tasklist.read(words.options["TASKLIST"])
    if counts is None:
        raise Refused(MALFORMED, "STARTJOB TASKLIST is invalid")
    if not job.pending:
        raise Refused(DENIED, "Job not pending, can't start")
    nodes = _nodes(ctl.cluster, counts)
    if settings.version == 2 and "COMMENT" in words.options:
        job.request.comment = words.options["COMMENT"][:511]
        ctl.cluster.touch_job(job)
    if _try(ctl, job, nodes, sum(counts.values())):
        return status(0, f"job {job.job_id} started successfully")
    return _held_again(ctl, job, nodes)


def find(cluster: Cluster, job_id: int) -> Job:
    """Return a job. Raises `Refused`."""
    job = cluster.jobs.get(job_id)
    if job is None:
        raise Refused(DENIED, "No such job")
    return job


def _nodes(cluster: Cluster, counts: dict[str, int]) -> int:
    """Return the nodes of a task list. Raises `Refused` if one is unknown or out of service."""
    if any(name not in cluster.node_index for name in counts):
        raise Refused(DENIED, "Invalid TASKLIST")
    nodes = bitmap.of(cluster.node_index[name] for name in counts)
    if any(not cluster.nodes[index].up for index in bitmap.iterate(nodes)):
        raise Refused(DENIED, "TASKLIST includes non-responsive node")
    return nodes


def _try(ctl: Controller, job: Job, nodes: int, tasks: int) -> bool:
    """Try to start a job on exactly these nodes (none: on any); what it asked for itself stays as it was."""
    own = job.request
    job.request = copy.copy(own)
    if nodes:
        cluster, count = ctl.cluster, nodes.bit_count()
        others = bitmap.full(len(cluster.nodes)) & ~nodes
        job.request.nodelist, job.request.exclude = cluster.hostlist_of(nodes), cluster.hostlist_of(others)
        job.request.min_nodes, job.request.max_nodes = count, max(count, own.max_nodes or 0)
        job.request.num_tasks = max(own.num_tasks or 1, tasks)
    job.priority, job.reason, job.state_desc = STARTING, reasons.NONE, ""
    try:
        return _start(ctl, job)
    finally:
        own.time_limit = job.request.time_limit
        job.request = own


def _start(ctl: Controller, job: Job) -> bool:
    if not job_queue.runnable(ctl, job):
        return False
    for entry in sorted(job_queue.entries(ctl, job), key=job_queue.order):
        outcome, _ = attempt.try_one(ctl, job, entry.partition, ctl.sets.up, 0, "Wiki")
        if outcome.verdict is Verdict.STARTED:
            return True
    return False


def _held_again(ctl: Controller, job: Job, nodes: int) -> str:
    reason = reasons.RESOURCES if reasons.row(job.reason).held else job.reason
    shown = ctl.cluster.hostlist_of(nodes) if nodes else "(null)"
    if job.state == states.FAILED:
        return status(NOT_STARTED, f"Could not start job {job.job_id}({shown}): Invalid request, job aborted")
    job.priority, job.reason, job.state_desc = HOLD_PRIORITY, reasons.HELD_ADMIN, ""
    ctl.cluster.touch_job(job)
    return status(NOT_STARTED - reasons.number(reason), f"Could not start job {job.job_id}({shown}): {reason}")

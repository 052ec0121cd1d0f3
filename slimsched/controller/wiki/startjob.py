"""STARTJOB: a job starts on the nodes that the external scheduler chose, or is held again. JOBWILLRUN: could it?"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.requests import text_checks
from slimsched.controller.schedule import attempt, candidates, job_queue
from slimsched.controller.wiki.getnodes import usable
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.model.job import HOLD_PRIORITY
from slimsched.sched.api import Verdict
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import (
    DENIED,
    MALFORMED,
    NOT_STARTED,
    UNFIT,
    Refused,
    Settings,
    Words,
    data,
    number,
    status,
)
from slimsched.select.questions import answer
from slimsched.select.records import Mode
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.records import Selection

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
    if job.het_job_id or not job_queue.runnable(ctl, job):  # Wiki has no word for several jobs at once
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


NOT_RUNNABLE = "Jobs not runable on selected nodes"  # the original's spelling


def job_will_run(ctl: Controller, words: Words, settings: Settings) -> str:
    """Answer in the form of the question. Raises `Refused`."""
    cluster = ctl.cluster
    if "NODES" in words.options:
        job = _pending(cluster, words.job_id)
        earliest = number(words.options.get("STARTTIME", "0"), "Invalid STARTTIME value")
        preempted = _preempted(cluster, words.options.get("PREEMPT", ""))
        found = _forecast(ctl, job, _named(cluster, words.options["NODES"]), preempted)
        if found is None:
            return data(NOT_RUNNABLE)
        gone = ",".join(str(one.job_id) for one in found.preempted)
        nodes, cpus = cluster.hostlist_of(found.bitmap), sum(found.cpus)
        when = max(found.start_time, earliest)
        text = f"STARTINFO={job.job_id} TASKS={cpus} STARTTIME={when} NODES={nodes}"
        return data(f"{text} PREEMPT={gone}" if gone else text)
    head, comma, names = words.argument.removeprefix("JOBID=").partition(",")
    if not comma:
        raise Refused(MALFORMED, "Missing NODES value")
    text, _, start = head.partition("@")
    job = _pending(cluster, number(text, "Invalid ARG value"))
    earliest = number(start or "0", "Invalid STARTTIME value")
    found = _forecast(ctl, job, _named(cluster, names) if names else usable(cluster), [])
    if found is None:
        return data(NOT_RUNNABLE)
    nodes = cluster.hostlist_of(found.bitmap)
    return data(f"STARTINFO={job.job_id}:{sum(found.cpus)}@{max(found.start_time, earliest)},{nodes}")


def _pending(cluster: Cluster, job_id: int) -> Job:
    job = find(cluster, job_id)
    if not job.pending:
        raise Refused(DENIED, "WillRun not applicable to non-pending job")
    return job


def _named(cluster: Cluster, text: str) -> int:
    try:
        return text_checks.node_set(cluster, text) if text else 0
    except SlurmError:
        raise Refused(DENIED, "Invalid available nodes value") from None


def _preempted(cluster: Cluster, text: str) -> list[Job]:
    ids = [number(part, "Invalid PREEMPT value") for part in text.split(",") if part]
    return [cluster.jobs[job_id] for job_id in ids if job_id in cluster.jobs and cluster.jobs[job_id].active]


def _forecast(ctl: Controller, job: Job, nodes: int, preempted: list[Job]) -> Selection | None:
    """Ask the select plugin. Raises `Refused` if the nodes will never do."""
    parts = job_queue.partitions_of(ctl, job)
    if not parts:
        raise Refused(DENIED, "Job lacks a partition")
    where = candidates.wanted(ctl, job, parts[0])
    if where.required & ~nodes:
        raise Refused(UNFIT, "Job's required nodes not available")
    test = where.question(job, parts[0], where.bitmap & nodes)
    test.preemptee_candidates = preempted
    return answer(ctl.select, test, Mode.WILL_RUN)

"""The jobs ahead of a pending one, and the nodes that are kept for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain.answer import Rank
from slimsched.controller.explain.steps import Step
from slimsched.controller.explain.unsubmitted import Unsubmitted
from slimsched.controller.life import arrays
from slimsched.controller.requests import time_limits
from slimsched.controller.schedule import attempt, job_queue
from slimsched.model import bitmap
from slimsched.priority.multifactor import Multifactor
from slimsched.sched.api import Entry
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

_RANKED = 5  # jobs ahead whose priorities are shown

Kept = dict[int, tuple[int, str]]
"""Job id -> its nodes, and why they are kept for it."""


def ahead(ctl: Controller, job: Job, part: PartitionConf) -> list[Job]:
    """Return the jobs that wait for nodes and come before a job of this partition, the first first."""
    mine = job_queue.order(Entry(job, part, ctl.priority.in_partition(job, part)))
    found = []
    for other in ctl.cluster.jobs.values():
        if other is job or not other.pending or not other.priority:
            continue
        if job.het_job_id and other.het_job_id == job.het_job_id:
            continue  # its own components start with it
        if not other.planned and (other.state_desc or other.reason) not in attempt.WAITING:
            continue
        place = min(_orders(ctl, other), default=mine)
        if place < mine:
            found.append((place, other))
    return [other for _, other in sorted(found, key=lambda pair: pair[0])]


def ranks(ctl: Controller, job: Job, part: PartitionConf) -> list[Rank]:
    """Return the priorities of the jobs that come first, the first few of them, and of the job itself, with factors."""
    first = ahead(ctl, job, part)
    if not first:
        return []
    return [_rank(ctl, other, job_queue.partitions_of(ctl, other)[0]) for other in first[:_RANKED]] + [
        _rank(ctl, job, part)
    ]


def _rank(ctl: Controller, job: Job, part: PartitionConf) -> Rank:
    factors = ctl.priority.factors(job, part) if isinstance(ctl.priority, Multifactor) else {}
    if factors and job.request.nice:
        factors["nice"] = -job.request.nice
    if job.request.priority is not None:
        factors = {}  # somebody set it
    shown = {name: int(value) for name, value in factors.items()}
    name = "" if isinstance(job, Unsubmitted) else arrays.label(job)
    return Rank(name, job.user_name, ctl.priority.in_partition(job, part), shown)


def _orders(ctl: Controller, job: Job) -> list[tuple[bool, int, int, int, int]]:
    parts = job_queue.partitions_of(ctl, job)
    return [job_queue.order(Entry(job, part, ctl.priority.in_partition(job, part))) for part in parts]


def step(ctl: Controller, job: Job, part: PartitionConf) -> Step:
    """Return the step of the nodes that are not kept for jobs of higher priority."""
    first = ahead(ctl, job, part)
    kept = _promised(ctl, job, part, first) if ctl.sched.looks_deeper else _blocked(ctl, part, first)
    nodes = bitmap.full(len(ctl.cluster.nodes))
    for mask, _ in kept.values():
        nodes &= ~mask

    def words(index: int) -> str:
        return next((text for mask, text in kept.values() if mask >> index & 1), "")

    return Step("priority", _asked(first), nodes, words)


def _asked(first: list[Job]) -> str:
    """Return the words of the step: nodes that are not kept for the jobs that come first."""
    if not first:
        return "no other job comes first"
    names = ", ".join(arrays.label(other) for other in first[:3]) + (f" and {len(first) - 3} more" * (len(first) > 3))
    return f"not held for job{'s' * (len(first) > 1)} {names}"


def _promised(ctl: Controller, job: Job, part: PartitionConf, first: list[Job]) -> Kept:
    """Return the nodes that backfill has promised to others from before this job could have ended."""
    exact = "bf_exact" in ctl.cluster.config.parameters
    end = ctl.cluster.now + time_limits.planned_seconds(job, part) + (not exact)
    return {
        other.job_id: (
            ctl.cluster.bitmap_of(other.sched_nodes),
            f"promised to job {arrays.label(other)} from {times.instant(other.start_time)}",
        )
        for other in first
        if other.sched_nodes and other.start_time < end
    }


def _blocked(ctl: Controller, part: PartitionConf, first: list[Job]) -> Kept:
    """Return the nodes that a strict order keeps for the jobs ahead: those of their partitions, or named by them."""
    kept: Kept = {}
    for other in first:
        nodes = ctl.cluster.bitmap_of(other.request.nodelist)
        if not nodes:
            for place in job_queue.partitions_of(ctl, other):
                nodes |= ctl.cluster.partition_bitmap(place.partition_name)
        kept[other.job_id] = nodes, f"held for job {arrays.label(other)}, which comes first"
    return kept


def soonest_promise(ctl: Controller, first: list[Job], nodes: int) -> int:
    """Return when the first promise on some nodes begins, 0 if there is none."""
    cluster = ctl.cluster
    starts = [j.start_time for j in first if j.sched_nodes and cluster.bitmap_of(j.sched_nodes) & nodes]
    return min(starts, default=0)

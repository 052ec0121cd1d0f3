"""The expected start of a pending job, and the jobs that have to end, or to run, before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain import room
from slimsched.controller.explain.answer import Start, Wait
from slimsched.controller.gridengine import consumables
from slimsched.controller.life import arrays
from slimsched.controller.requests import time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import candidates, job_queue
from slimsched.model import bitmap
from slimsched.model.record import Record
from slimsched.sched.api import Entry
from slimsched.sched.planner import Planner
from slimsched.sched.requests import Request
from slimsched.sched.timeline import Timeline
from slimsched.text.times import YEAR

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.sched.api import Candidates
    from slimsched.sched.planner import Plan

PLAN = "as planned by sched/{}"
FORECAST = "when running jobs reach their time limits"
TURNS = "after running jobs reach their time limits and the jobs ahead have run"
CLEARED = "once everything above is cleared"
BEHIND = "unknown: the jobs ahead of it must start first"
AT_ONCE = "at the next scheduling pass"
MOST_AHEAD = 100
"""The most unplanned jobs ahead that are planned for an answer."""
MOST_TASKS = 20
"""The most tasks of an array ahead that are planned, as in backfill (``bf_max_job_array_resv``)."""


def planned(ctl: Controller, job: Job) -> Start | None:
    """Return the start that the scheduler has planned, None if it has planned none."""
    if not job.sched_nodes or job.start_time <= ctl.cluster.now:
        return None
    nodes = ctl.cluster.bitmap_of(job.sched_nodes)
    endless = _endless(ctl, nodes, job.start_time)
    if endless is not None:
        return endless
    basis = PLAN.format(ctl.sched.plugin_name)
    return Start(job.start_time, basis, job.sched_nodes, _waits(ctl, job, nodes, job.start_time))


class Foreseen(Record):
    """A pending job's start that is computed and not stored."""

    job: Job
    start: int
    nodes: int


def forecast(ctl: Controller, entry: Entry, nodes: int, start: int, first: list[Job]) -> Start | None:
    """Return a job's start on some nodes, from ``start`` on, behind the jobs that come ``first``, None if it has none.

    What scheduling will do is foretold by its own planner: the jobs ahead take their nodes, one after the other.
    """
    job, part = entry.job, entry.partition
    where = candidates.wanted(ctl, job, part)
    where.bitmap = where.asked = nodes
    if nodes.bit_count() < where.min_nodes or where.required & ~nodes:
        return None
    cluster = ctl.cluster
    planner = Planner(Timeline(cluster.now, ctl.sets.up), ctl.select, cluster.now + 2 * YEAR)
    ahead = _take_turns(ctl, planner, first)
    if ahead is None:
        return Start(0, BEHIND)
    if not ctl.sched.looks_deeper:
        start = max([start, *(each.start for each in ahead)])
    plan = planner.find(_request(ctl, entry, where, start), start)
    if plan is None or not plan.nodes:
        return Start(0, BEHIND) if first else None
    return _endless(ctl, plan.nodes, plan.start) or _foretold(ctl, job, plan, ahead)


def _foretold(ctl: Controller, job: Job, plan: Plan, ahead: list[Foreseen]) -> Start:
    """Return a plan as it is shown, with the jobs that are waited for."""
    cluster = ctl.cluster
    waits = _waits(ctl, job, plan.nodes, plan.start)
    for each in ahead:
        if each.start < plan.start and each.nodes & plan.nodes and not each.job.sched_nodes:
            place = cluster.hostlist_of(each.nodes)
            waits.append(Wait(arrays.label(each.job), each.job.state, place, each.start))
    basis = TURNS if ahead else FORECAST if waits else CLEARED
    return Start(plan.start, basis if plan.start > cluster.now else AT_ONCE, cluster.hostlist_of(plan.nodes), waits)


def _take_turns(ctl: Controller, planner: Planner, first: list[Job]) -> list[Foreseen] | None:
    """Promise nodes to the jobs ahead, as planned or as foreseen; None if there are too many to foresee."""
    found: list[Foreseen] = []
    if sum(not job.sched_nodes for job in first) > MOST_AHEAD:
        return None
    for job in first:
        part = job_queue.partitions_of(ctl, job)[0]
        seconds = time_limits.planned_seconds(job, part)
        for _ in range(min(job_queue.free_tasks(ctl, job), MOST_TASKS)):
            each = _turn(ctl, planner, job, part)
            if each is None:
                break
            planner.timeline.promise(each.start, each.start + seconds, each.nodes)
            found.append(each)
    return found


def _turn(ctl: Controller, planner: Planner, job: Job, part: PartitionConf) -> Foreseen | None:
    """Return the start of a job, or of a task of an array, as planned or as foreseen; None if there is none."""
    if job.sched_nodes and not job.array_tasks:
        return Foreseen(job, job.start_time, ctl.cluster.bitmap_of(job.sched_nodes))
    plan = planner.find(
        _request(ctl, Entry(job, part, job.priority), candidates.wanted(ctl, job, part), ctl.cluster.now),
        ctl.cluster.now,
    )
    return Foreseen(job, plan.start, plan.nodes) if plan else None


def _request(ctl: Controller, entry: Entry, where: Candidates, start: int) -> Request:
    """Return the question about a job; one that lacks a consumable at its ``start`` gets no CPU of any node."""
    job, part = entry.job, entry.partition
    asked = Request(entry, where, time_limits.planned_seconds(job, part) + 1)
    cluster = ctl.cluster
    books = consumables.booked(cluster, start) if cluster.has_complexes else None
    most = consumables.bounds(ctl, where.question(job, part), books)
    asked.most_cpus = dict.fromkeys(bitmap.iterate(where.bitmap), 0) if most is None else most
    if cluster.reservations:
        asked.blocks, asked.held = blocking.blocks(cluster, job), blocking.holder(cluster, job)
    return asked.shaped(ctl.foresight)


def _waits(ctl: Controller, job: Job, nodes: int, start: int) -> list[Wait]:
    """Return the jobs on some nodes that end by ``start``, and those planned there before it."""
    cluster = ctl.cluster
    ends = [Wait(arrays.label(j), j.state, j.nodes, j.end_time) for j in _ending(ctl, nodes, start)]
    for other in cluster.jobs.values():
        ahead = other.pending and other.sched_nodes and other is not job and other.start_time < start
        if ahead and cluster.bitmap_of(other.sched_nodes) & nodes:
            ends.append(Wait(arrays.label(other), other.state, other.sched_nodes, other.start_time))
    return ends


def _endless(ctl: Controller, nodes: int, start: int) -> Start | None:
    """Return an unknown start if the plan depends on a job without limit, which is planned with a year."""
    if start - ctl.cluster.now < YEAR:
        return None
    names = [arrays.label(job) for job in room.holders(ctl.cluster, nodes) if not job.end_time]
    who = f"job{'s' * (len(names) > 1)} {', '.join(names[:3])}" if names else "whatever blocks it"
    return Start(0, f"unknown: {who} may run forever", ctl.cluster.hostlist_of(nodes))


def _ending(ctl: Controller, nodes: int, start: int) -> list[Job]:
    if start <= ctl.cluster.now:
        return []
    return [job for job in room.holders(ctl.cluster, nodes) if job.end_time and job.end_time <= start]

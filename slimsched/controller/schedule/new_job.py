"""A job that was just submitted: whether it can start at once, ahead of the next pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.schedule import attempt, candidates, job_queue
from slimsched.sched.api import Entry, Refusal, Verdict
from slimsched.select.questions import fits
from slimsched.select.records import Mode
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


def try_now(ctl: Controller, job: Job) -> None:
    """Try to start a job that was just submitted; all others are left as they are.

    Where jobs of higher priority wait, the scheduler plugin decides whether it may go ahead of them.
    With ``SchedulerParameters=defer`` nothing is tried. If a whole pass is due anyway, that is left to decide. At
    Slurm's pace one always is, and only what somebody waits for at a terminal is tried before.
    """
    if ctl.cluster.pass_due and not ctl.paced:
        return
    ctl.cluster.pass_due |= ctl.paced
    if not job_queue.runnable(ctl, job):
        return
    if ctl.paced and job.request.batch:
        _note_unavailable(ctl, job)
        return
    if _gathered(ctl, job):
        return
    deferred = "defer" in ctl.cluster.config.parameters
    for entry in sorted(job_queue.entries(ctl, job), key=job_queue.order):
        offered = _left_by_others(ctl, entry)
        if offered is None:
            _go_behind(ctl, entry)
            if not (deferred or ctl.paced) and job.priority and ctl.sched.try_job(entry):
                return
        elif not deferred:
            while attempt.try_one(ctl, job, entry.partition, offered)[0].verdict is Verdict.STARTED:
                if not attempt.has_more(ctl, job):
                    return


def _note_unavailable(ctl: Controller, job: Job) -> None:
    """Give a job that waits for the pass its reason, if its nodes are down or reserved."""
    for entry in job_queue.entries(ctl, job):
        found, _ = attempt.choose(ctl, job, entry.partition, ctl.sets.up, 0, preempts=False)
        if isinstance(found, Refusal) and found.reason == reasons.NOT_AVAILABLE:
            attempt.refuse(ctl, job, found)


def _gathered(ctl: Controller, job: Job) -> bool:
    """Whether a new array waits for the pass, so that the jobs submitted after it get the next ids, as in slurmctld."""
    cluster = ctl.cluster
    if not ctl.gathering or not job.array_tasks or "defer" in cluster.config.parameters:
        return False
    cluster.pass_due = cluster.arrays_due = True
    return True


def _go_behind(ctl: Controller, entry: Entry) -> None:
    """Give a job that is not the first of its partition its reason, unless its nodes are down."""
    job, part = entry.job, entry.partition
    where = candidates.wanted(ctl, job, part, extra=False)
    there = where.bitmap.bit_count() >= where.min_nodes and not where.required & ~where.bitmap
    if there and not fits(ctl.select, where.question(job, part), Mode.TEST_ONLY):
        attempt.refuse(ctl, job, candidates.unavailable(ctl, where.asked))
    attempt.put_behind(ctl, job)


def _left_by_others(ctl: Controller, entry: Entry) -> int | None:
    """Return the nodes that the jobs ahead of ``entry`` leave to it, ``None`` if one of them blocks its partition."""
    cluster = ctl.cluster
    mine = job_queue.order(entry)
    offered = ctl.sets.up
    waiting = attempt.WAITING | {reasons.NONE} if ctl.paced else attempt.WAITING  # the latter have not been tried
    taken: set[str] = set()  # partitions whose nodes are kept for a job ahead: others that wait there add nothing
    for other in map(cluster.jobs.__getitem__, cluster.jobs):  # one by one: the first that it meets may be enough
        if other.state != states.PENDING or other.request.partition in taken or not other.priority:
            continue
        if (other.state_desc or other.reason) not in waiting or other is entry.job:
            continue
        for part in job_queue.partitions_of(ctl, other):
            if job_queue.order(Entry(other, part, ctl.priority.in_partition(other, part))) > mine:
                continue
            if other.request.nodelist:
                offered &= ~cluster.bitmap_of(other.request.nodelist)
                continue
            if part is entry.partition:
                return None
            offered &= ~cluster.partition_bitmap(part.partition_name)
            taken.add(part.partition_name)
    return offered

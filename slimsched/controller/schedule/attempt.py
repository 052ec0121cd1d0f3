"""One job in one partition: an attempt to start it, and what becomes of it if it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.life import arrays, transitions
from slimsched.controller.requests import licensing, time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import candidates, job_queue
from slimsched.errors import Never, NotNow, PluginError
from slimsched.model.job import HOLD_PRIORITY
from slimsched.sched.api import Attempt, Candidates, Refusal, Verdict
from slimsched.select.questions import fits
from slimsched.select.records import Mode
from slimsched.slurm import reasons

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.records import Selection

NOT_BEGUN = Refusal(Verdict.PASSED, reasons.SYSTEM_FAILURE)
"""The refusal of a job whose nodes the select plugin could not book: it stays in the queue."""

ELSEWHERE = Refusal(Verdict.PASSED, reasons.RESOURCES)
"""The refusal of a job that can never run in one of its partitions: another may do."""

UNLICENSED = Refusal(Verdict.PASSED, reasons.LICENSES)
THROTTLED = Refusal(Verdict.PASSED, reasons.ARRAY_LIMIT)

WAITING = frozenset({reasons.RESOURCES, reasons.PRIORITY, reasons.TOO_FEW})
"""Reasons of jobs that hold up those behind them in their partition."""


def has_more(ctl: Controller, job: Job) -> bool:
    """Whether a record of which a task has just started stands for more tasks that may start."""
    return job.pending and job_queue.runnable(ctl, job)


def try_one(
    ctl: Controller, job: Job, part: PartitionConf, offered: int, excluded: int = 0, scheduler: str = "Main"
) -> tuple[Attempt, Candidates]:
    """Try to start a job (one task of an array) on the ``offered`` nodes that are not ``excluded``."""
    found, where = choose(ctl, job, part, offered, excluded, preempts=ctl.preempts)
    if isinstance(found, Refusal):
        refuse(ctl, job, found)
        return Attempt(found.verdict), where
    return start(ctl, job, part, found, scheduler), where


def choose(
    ctl: Controller, job: Job, part: PartitionConf, offered: int, excluded: int, *, preempts: bool
) -> tuple[Selection | Refusal, Candidates]:
    """Return the nodes on which a job can start now, or why it cannot; ``preempts``: it may end others for that."""
    where = candidates.wanted(ctl, job, part)
    candidates.restrict(ctl, job, part, where, offered, excluded)
    refusal = where.refusal or _held_back(ctl, job)
    job.last_sched_eval = ctl.cluster.now  # not marked as a change: it is stored with the job's next change
    if refusal is None:
        test = where.question(job, part)
        if ctl.cluster.reservations:
            now = ctl.cluster.now
            test.exc_cores = blocking.held_cores(ctl.cluster, job, now, now + time_limits.planned_seconds(job, part))
        selection: Selection | None = None
        try:
            selection = complexes.job_test(ctl, test)
        except NotNow as wait:
            verdict = Verdict.BUSY if wait.reason == reasons.RESOURCES else Verdict.PASSED
            refusal = Refusal(verdict, wait.reason)
            if preempts and wait.reason in {reasons.RESOURCES, reasons.LICENSES}:
                from slimsched.controller.schedule import preemption

                selection = preemption.make_room(ctl, test, part)
        except Never:
            refusal = _why_never(ctl, job, part, where)
        if selection is not None:
            refusal = _beyond_limits(ctl, job, part, selection) if ctl.cluster.accounting else None
            if refusal is None:
                return selection, where
    assert refusal is not None
    return refusal, where


def _held_back(ctl: Controller, job: Job) -> Refusal | None:
    """Refuse a job whose licenses are in use, or a task whose array has as many running as it may."""
    if licensing.grant(ctl.cluster, job) is None:
        return UNLICENSED
    throttled = job.array_max_tasks and job.array_job_id and job_queue.free_tasks(ctl, job) <= 0
    return THROTTLED if throttled else None


def _beyond_limits(ctl: Controller, job: Job, part: PartitionConf, selection: Selection) -> Refusal | None:
    """Refuse a start that would break a limit of an association or a QOS."""
    from slimsched.controller.accounts import assoc_limits, usage_tally

    word = assoc_limits.reason(ctl.cluster, job, part, usage_tally.granted(ctl.cluster, part, selection))
    return Refusal(Verdict.PASSED, word) if word else None


def start(ctl: Controller, job: Job, part: PartitionConf, selection: Selection, scheduler: str) -> Attempt:
    """Start a job (one task of an array); it stays in the queue if its nodes cannot be booked."""
    one = arrays.split(ctl, job) if job.array_tasks else job
    if one.request.deadline:
        one.request.time_limit = time_limits.before_deadline(one, part, ctl.cluster.now)
    try:
        transitions.start_job(ctl, one, part, selection, scheduler)
    except PluginError:
        refuse(ctl, one, NOT_BEGUN)
        return Attempt(NOT_BEGUN.verdict)
    if ctl.gangs:
        from slimsched.controller.schedule import gang

        gang.take_turns(ctl)
    return Attempt(Verdict.STARTED, one)


def _why_never(ctl: Controller, job: Job, part: PartitionConf, where: Candidates) -> Refusal:
    """Return the refusal of a job that cannot run: too big for the nodes that are up or offered, or for all nodes.

    One that others keep from some node of its partition waits for them, and holds up those behind it, even if that node
    would not do. Source: recorded from Slurm 26.11 (workload W2, ``gpu158`` from 504 on, when ``excl173`` runs).
    """
    if not fits(ctl.select, where.question(job, part, where.asked), Mode.TEST_ONLY):
        return candidates.GIVEN_UP
    if candidates.in_use(ctl, job, part, where.bitmap):
        return candidates.BUSY
    return candidates.unavailable(ctl, where.asked)


def refuse(ctl: Controller, job: Job, refusal: Refusal) -> None:
    """Note why a job could not start; one that never can is held, unless it asked for several partitions."""
    if refusal.verdict is Verdict.NEVER and "," in job.request.partition:
        refusal = ELSEWHERE
    ctl.cluster.set_reason(job, refusal.reason, refusal.text)
    if refusal.verdict is Verdict.NEVER:
        job.priority = HOLD_PRIORITY
        ctl.cluster.touch_job(job)


def put_behind(ctl: Controller, job: Job) -> None:
    """Note that a job waits for one of higher priority, unless it has a reason of its own."""
    if job.reason in {reasons.NONE, reasons.RESOURCES}:
        ctl.cluster.set_reason(job, reasons.PRIORITY)

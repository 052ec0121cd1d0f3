"""``scontrol hold``, ``uhold``, ``release`` and ``top``: the order of the queue by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import selectors
from slimsched.controller.requests import defaults, rights
from slimsched.controller.schedule import job_queue
from slimsched.errors import SlurmError
from slimsched.model.job import HOLD_PRIORITY
from slimsched.slurm import reasons, states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.job import Job


USER_TOP = "enable_user_top"
"""The word of ``SlurmctldParameters`` with which users may put their own jobs ahead."""


def hold(ctl: Controller, specs: Sequence[str], reason: reasons.Reason = reasons.HELD_ADMIN) -> list[Failure]:
    """Hold jobs; ``reason`` says who may release them."""

    def act(job: Job) -> None:
        rights.require_over(ctl.cluster, job, Errno.USER_ID_MISSING)
        hold_job(ctl, job, reason if rights.level(ctl.cluster) else reasons.HELD_USER)

    return selectors.each(ctl, specs, act)


def release(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
    """Release jobs; each goes behind all others, as slurmctld has it, even if it was not held."""

    def act(job: Job) -> None:
        rights.require_over(ctl.cluster, job, Errno.USER_ID_MISSING)
        if job.held and job.reason != reasons.HELD_USER:
            rights.require(ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
        release_job(ctl, job)

    return selectors.each(ctl, specs, act)


def hold_job(ctl: Controller, job: Job, reason: reasons.Reason = reasons.HELD_ADMIN) -> None:
    """Set a job's priority to zero; one that runs goes on running. Raises `SlurmError` (JOB_FINISHED)."""
    if job.finished:
        raise SlurmError(Errno.JOB_FINISHED)
    if job.held:
        _held_by(ctl, job, reason)
        return
    job.priority, job.sched_hold, job.reason, job.state_desc = HOLD_PRIORITY, False, reason, ""
    job.planned, job.sched_nodes, job.eligible_time = False, "", 0
    _changed(ctl, job, "hold")


def _held_by(ctl: Controller, job: Job, reason: reasons.Reason) -> None:
    """Turn a user's hold into an operator's, or the other way round."""
    if job.reason != reason or job.sched_hold:
        job.reason, job.state_desc, job.sched_hold = reason, "", False
        ctl.cluster.touch_job(job)


def release_job(ctl: Controller, job: Job) -> None:
    """Give a job a new priority and let it be scheduled; one that was not held loses its nice value.

    Raises `SlurmError` (JOB_FINISHED).
    """
    if job.finished:
        raise SlurmError(Errno.JOB_FINISHED)
    if not job.held:
        job.request.nice = 0
    job.request.priority = None
    defaults.set_priority(ctl, job)
    job.flags = [flag for flag in job.flags if flag not in {states.SPECIAL_EXIT, states.RESV_DEL_HOLD}]
    job.reason, job.state_desc = reasons.NONE, ""
    if job.pending:
        job_queue.runnable(ctl, job)
    _changed(ctl, job, "release")


def put_priority(ctl: Controller, job: Job, priority: int) -> None:
    """Give a waiting job a priority other than 0, which counts as set by hand; a held one is released."""
    job.request.priority = job.priority = priority
    if job.sched_hold:
        job.sched_hold, job.reason, job.state_desc = False, reasons.NONE, ""
        job_queue.runnable(ctl, job)
        ctl.cluster.record("release", job=job.job_id, reason="")
    ctl.cluster.touch_job(job)


def _changed(ctl: Controller, job: Job, event: str) -> None:
    cluster = ctl.cluster
    cluster.touch_job(job)
    cluster.pass_due = True
    cluster.record(event, job=job.job_id, reason=job.reason if job.held else "")


# top


def top(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
    """Put jobs ahead of all pending jobs of their user, in the order given; the others pay for it.

    What the jobs gain in priority is taken from the user's other pending jobs in equal shares, and the nice values
    follow (oracle, scenario priority_top_nice).
    """
    chosen: list[Job] = []

    def act(job: Job) -> None:
        if not (rights.owns(ctl.cluster, job) and USER_TOP in ctl.cluster.config.get("SlurmctldParameters").split(",")):
            rights.require(ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
        chosen.append(_movable(job))

    failures = selectors.each(ctl, specs, act)
    if not failures and chosen:
        _raise_to_top(ctl, chosen)
    return failures


def _movable(job: Job) -> Job:
    if not job.pending:
        raise SlurmError(Errno.JOB_NOT_PENDING)
    if job.held:
        raise SlurmError(Errno.JOB_HELD)
    return job


def _raise_to_top(ctl: Controller, chosen: list[Job]) -> None:
    """Raise each chosen job to the best priority that is left below the one before it."""
    ids = {job.job_id for job in chosen}
    pending = [j for j in ctl.cluster.jobs.values() if j.pending and not j.held and j.user_id == chosen[0].user_id]
    ladder = sorted((job.priority for job in pending), reverse=True)
    others = sorted((j for j in pending if j.job_id not in ids), key=lambda j: (-j.priority, j.job_id))
    gained = 0
    for job, priority in zip(chosen, ladder, strict=False):
        gained += max(0, priority - job.priority)
        _move(ctl, job, max(0, priority - job.priority))
    paid = 0
    for place, job in enumerate(others, start=1):
        share = (place * gained + 1) // len(others) - paid
        paid += share
        _move(ctl, job, -share)


def _move(ctl: Controller, job: Job, delta: int) -> None:
    if delta:
        job.priority = max(1, job.priority + delta)
        job.request.nice -= delta
        _changed(ctl, job, "top")

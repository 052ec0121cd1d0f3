"""Time limits in force: the job's own, else its partition's default, else its partition's maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE
from slimsched.text.times import YEAR

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


def time_limit(job: Job, part: PartitionConf) -> int:
    """Return the limit in minutes, `INFINITE` for none."""
    for value in (job.request.time_limit, part.default_time, part.max_time):
        if value is not None:
            return value
    return INFINITE


def planned_seconds(job: Job, part: PartitionConf) -> int:
    """Return how long a job is expected to hold its nodes at most, in seconds."""
    limit = time_limit(job, part)
    return YEAR if limit == INFINITE else limit * 60


def before_deadline(job: Job, part: PartitionConf, now: int) -> int:
    """Return the limit in minutes of a job that starts ``now``: it may run up to its deadline and no longer."""
    limit = time_limit(job, part)
    return min(limit, (job.request.deadline - now) // 60) if job.request.deadline else limit


def set_running(ctl: Controller, job: Job, minutes: int) -> None:
    """Change the limit of a running job; its end moves with it."""
    job.request.time_limit = minutes
    if minutes == INFINITE:
        job.end_time = 0
    else:
        stood_still = job.suspend_time - job.start_time - job.pre_sus_time if job.suspend_time else 0
        job.end_time = job.start_time + minutes * 60 + stood_still
    ctl.executor.set_limit(job)
    ctl.cluster.touch_job(job)
    ctl.select.nodeinfo_set(job)
    ctl.note(job)


def last_chance(ctl: Controller, job: Job) -> int:
    """Return the instant after which a pending job can no longer end by its deadline.

    How long it takes is its ``--time-min``, else its limit.
    """
    deadline = job.request.deadline
    if not job.pending:
        return deadline
    shortest = job.request.time_min or job.request.time_limit
    if shortest is None or shortest == INFINITE:
        return deadline
    return max(ctl.cluster.now, deadline - shortest * 60 + 1)

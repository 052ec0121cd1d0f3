"""The times and the order of a job as ``scontrol update`` reads them: limit, begin, end, deadline, priority, nice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import hold
from slimsched.controller.schedule import time_limits
from slimsched.controller.submit import text_checks
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model.request import INFINITE
from slimsched.slurm.states import RUNNING
from slimsched.text import times
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.controller.update.job_change import Change
    from slimsched.model.job import Job

MAX_PRIORITY = 0xFFFFFFFE


def begin(change: Change, text: str) -> None:
    """Read ``StartTime`` and ``EligibleTime``."""
    change.request.begin_time = change.moment(text)
    change.later.append(lambda: _reset_eligible(change.job))


def _reset_eligible(job: Job) -> None:
    job.eligible_time = job.start_time = 0


def deadline(change: Change, text: str) -> None:
    """Read ``Deadline``; whether the job can still meet it is not asked, and a running job has none any more."""
    instant = change.moment(text)
    if change.job.active:
        return
    if instant < change.ctl.cluster.now:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    change.request.deadline = instant


def end(change: Change, text: str) -> None:
    """Read ``EndTime`` of a running job; its limit moves by as many minutes, rounded."""
    instant, job = change.moment(text), change.job
    if job.state != RUNNING:
        raise SlurmError(Errno.JOB_NOT_RUNNING)
    if instant < change.ctl.cluster.now:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    change.request.time_limit = max(1, (instant - job.start_time + HALF_A_MINUTE) // 60)
    change.later.append(lambda: setattr(job, "end_time", instant))


HALF_A_MINUTE = 30


def time_limit(change: Change, text: str) -> None:
    """Read ``TimeLimit``, or what it is raised or lowered by (``TimeLimit+=5``)."""
    sign = change.sign or (text[0] if text[:1] in {"+", "-"} else "")
    try:
        minutes = times.time_limit(text if change.sign else text.removeprefix(sign))
    except SyntaxFault:
        raise UserError("Invalid TimeLimit value") from None
    if sign:
        minutes = _moved(time_limits.time_limit(change.job, change.partition), minutes, sign)
    if minutes < (change.request.time_min or 0):
        raise SlurmError(Errno.INVALID_TIME_MIN_LIMIT)
    change.request.time_limit = minutes
    if change.job.active:
        change.later.append(lambda: time_limits.set_running(change.ctl, change.job, minutes))


def _moved(old: int, by: int, sign: str) -> int:
    if INFINITE in {old, by}:
        raise UserError("Cannot increment/decrement TimeLimit when set to UNLIMITED.")
    if sign == "-" and by > old:
        raise UserError(f"TimeLimit decrement larger than current time limit ({by} > {old})")
    return (old + by if sign == "+" else old - by) or INFINITE


def time_min(change: Change, text: str) -> None:
    """Read ``TimeMin``, which a job has no use for once it runs."""
    if change.job.pending:
        change.request.time_min = minutes(text)
        text_checks.time_min(change.request)


def minutes(text: str) -> int:
    """Return the minutes of a time; one that cannot be read counts as none."""
    try:
        return times.minutes(text)
    except SyntaxFault:
        return 0


def priority(change: Change, text: str) -> None:
    """Read ``Priority``: 0 holds the job, any other number stays as it is until the job is released.

    Either counts as set by hand from then on (``request.priority`` is not None); a number other than 0 makes the
    nice value 0. A held job must be released first.
    """
    value, job = change.count(text), change.job
    if value and job.held:
        raise SlurmError(Errno.JOB_HELD)
    change.request.priority = value
    if value:
        change.request.nice = change.request.nice if value == job.priority else 0
        change.later.append(lambda: setattr(job, "priority", value))
    else:
        change.later.append(lambda: hold.hold_job(change.ctl, job))


def nice(change: Change, text: str) -> None:
    """Read ``Nice``. A priority that was set by hand is not moved, and neither is the nice value then."""
    value = strtol(text)[0]
    if change.request.priority is not None and not change.job.held:
        return
    delta = value - change.request.nice
    change.request.nice = value
    if delta:
        change.later.append(lambda: _lower(change.job, delta))


def _lower(job: Job, delta: int) -> None:
    job.priority = min(MAX_PRIORITY, max(2, job.priority - delta))

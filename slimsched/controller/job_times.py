"""The times and the order of a job as ``scontrol update`` reads them: limit, begin, end, deadline, priority, nice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import checks, hold, limits
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model.request import INFINITE
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.job_change import Change
    from slimsched.model.job import Job

MAX_PRIORITY = 0xFFFFFFFE
MAX_NICE = 2147483645
DEFAULT_NICE = 100


def begin(change: Change, text: str) -> None:
    """Read ``StartTime`` and ``EligibleTime``."""
    change.request.begin_time = change.moment(text)
    change.later.append(lambda: _reset_eligible(change.job))


def _reset_eligible(job: Job) -> None:
    job.eligible_time = job.start_time = 0


def deadline(change: Change, text: str) -> None:
    """Read ``Deadline``; whether the job can still meet it is not asked, as in slurmctld."""
    change.request.deadline = change.moment(text)
    if change.request.deadline <= change.ctl.cluster.now:
        raise SlurmError(Errno.INVALID_TIME_LIMIT)


def end(change: Change, text: str) -> None:
    """Read ``EndTime`` of a running job, which sets its limit."""
    instant = change.moment(text)
    job = change.job
    if not job.active:
        raise SlurmError(Errno.JOB_NOT_RUNNING)
    change.request.time_limit = -(-max(0, instant - job.start_time) // 60)
    change.later.append(lambda: setattr(job, "end_time", max(instant, change.ctl.cluster.now)))


def time_limit(change: Change, text: str) -> None:
    """Read ``TimeLimit``: a limit, or ``+5`` and ``-5`` (also ``TimeLimit+=5``) on top of the present one."""
    sign = change.sign or (text[0] if text[:1] in {"+", "-"} else "")
    old = limits.time_limit(change.job, change.partition)
    try:
        minutes = times.time_limit(text if change.sign else text.removeprefix(sign))
    except SyntaxFault:
        raise UserError("Invalid TimeLimit value") from None
    if sign:
        minutes = _moved(old, minutes, sign)
    change.request.time_limit = minutes
    if change.job.active:
        change.later.append(lambda: limits.set_running(change.ctl, change.job, minutes))


def _moved(old: int, by: int, sign: str) -> int:
    new = old + by if sign == "+" else old - by
    if INFINITE in {old, by} or new <= 0:
        raise UserError("Invalid TimeLimit value")
    return new


def time_min(change: Change, text: str) -> None:
    """Read ``TimeMin``."""
    try:
        change.request.time_min = times.minutes(text)
    except SyntaxFault:
        raise UserError("Invalid TimeMin value") from None
    checks.time_min(change.request)


def priority(change: Change, text: str) -> None:
    """Read ``Priority``: 0 holds the job, any other number stays as it is until the job is released.

    Either counts as set by hand from then on (``request.priority`` is not None).
    """
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= MAX_PRIORITY):
        raise UserError(f"Invalid Priority value: {text}")
    value = int(text)
    change.request.priority = value
    if value:
        change.later.append(lambda: _set_priority(change.job, value))
    else:
        change.later.append(lambda: hold.hold_job(change.ctl, change.job))


def _set_priority(job: Job, value: int) -> None:
    if job.held and job.reason in {hold.ADMIN, hold.USER}:
        job.reason = "None"
    job.priority = value


def nice(change: Change, text: str) -> None:
    """Read ``Nice``, 100 without a value; text that is no number counts as 0.

    A priority that was set by hand is not moved, and neither is the nice value then.
    """
    value = DEFAULT_NICE if not text else _whole(text)
    if abs(value) > MAX_NICE:
        raise UserError(f"Invalid Nice value, must be between -{MAX_NICE} and {MAX_NICE}")
    if change.request.priority is not None and not change.job.held:
        return
    delta = value - change.request.nice
    change.request.nice = value
    change.later.append(lambda: _lower(change.job, delta))


def _whole(text: str) -> int:
    """Return the number at the beginning of a text, as ``strtol`` reads it."""
    digits = text.strip()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    end = next((i for i, c in enumerate(digits) if c not in "0123456789"), len(digits))
    return sign * int(digits[: min(end, 18)] or "0")


def _lower(job: Job, delta: int) -> None:
    job.priority = min(MAX_PRIORITY, max(2, job.priority - delta))

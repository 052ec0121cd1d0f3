"""Times and order of a job as ``scontrol update`` reads and puts them: limit, begin, end, deadline, priority, nice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests import rights, text_checks, time_limits
from slimsched.controller.schedule import hold
from slimsched.controller.update import fields
from slimsched.controller.update.fields import Given
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model.request import INFINITE
from slimsched.slurm import numbers
from slimsched.slurm.errno import Errno
from slimsched.slurm.states import RUNNING
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.update.job_change import JobChange
    from slimsched.model.job import Job


class Skipped(Exception):
    """A value that is reported, but does not stop the command; ``counts``: the key counts as given all the same.

    ``note`` is ours.
    """

    def __init__(self, said: str, *, counts: bool = False, note: str = "") -> None:
        super().__init__(said)
        self.said = said
        self.note = note
        self.counts = counts


class NewLimit(NamedTuple):
    """A time limit in minutes; with a sign it is relative to the present one."""

    sign: str
    minutes: int


# readers, of the text alone


def read_instant(given: Given) -> Callable[[int], int]:
    """Read an instant; a wrong one is reported, and the key then counts as not given."""
    try:
        return fields.instant(given.text)
    except SyntaxFault as fault:
        from slimsched.text import mistyped

        raise Skipped(fault.message, note=mistyped.instant(given.text)) from None


def read_end(given: Given) -> Callable[[int], int]:
    """Read ``EndTime``: a wrong one is reported and changes nothing, and yet counts as a change."""
    try:
        return fields.instant(given.text)
    except SyntaxFault as fault:
        from slimsched.text import mistyped

        raise Skipped(fault.message, counts=True, note=mistyped.instant(given.text)) from None


def read_limit(given: Given) -> NewLimit:
    """Read ``TimeLimit=5``, ``=+5``, ``+=5``."""
    sign, text = given.sign, given.text
    if text[:1] in {"+", "-"}:
        if sign:
            raise UserError("Invalid syntax, variations of +=- are not accepted.")
        sign, text = text[0], text[1:]
    try:
        return NewLimit(sign, times.time_limit(text))
    except SyntaxFault:
        raise fields.bad_limit("TimeLimit", text) from None


def read_part(given: Given) -> int:
    """Read a nice value or a site factor: the number at the beginning of the text, 0 without one."""
    number = numbers.nice(given.text)
    if number is None:
        raise UserError(f"{given.field.name} value out of range (+/- {numbers.MAX_NICE}). Value ignored")
    return number


# what a value changes


def begin(change: JobChange, given: Given) -> None:
    """Put ``StartTime`` and ``EligibleTime``."""
    now = change.ctl.cluster.now
    change.trial.begin_time = instant = given.value(now)
    change.later.append(lambda: _reset_eligible(change.job, instant if instant > now else 0))


def _reset_eligible(job: Job, start: int) -> None:
    job.eligible_time, job.start_time = 0, start


def deadline(change: JobChange, given: Given) -> None:
    """Put ``Deadline``; whether the job can still meet it is not asked, and a running job has none any more."""
    instant = given.value(change.ctl.cluster.now)
    if change.job.active:
        return
    if instant < change.ctl.cluster.now:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    change.trial.deadline = instant


def end(change: JobChange, given: Given) -> None:
    """Put ``EndTime`` of a running job; its limit moves by as many minutes, rounded."""
    instant, job = given.value(change.ctl.cluster.now), change.job
    if job.state != RUNNING:
        raise SlurmError(Errno.JOB_NOT_RUNNING)
    if instant < change.ctl.cluster.now:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    change.trial.time_limit = max(1, (instant - job.start_time + HALF_A_MINUTE) // 60)
    change.later.append(lambda: setattr(job, "end_time", instant))


HALF_A_MINUTE = 30


def time_limit(change: JobChange, given: Given) -> None:
    """Put ``TimeLimit``, or what it is raised or lowered by (``TimeLimit+=5``)."""
    sign, minutes = given.value
    if sign:
        minutes = _moved(time_limits.time_limit(change.job, change.partition), minutes, sign)
    _may_run_longer(change, minutes)
    if minutes < (change.trial.time_min or 0):
        raise SlurmError(Errno.INVALID_TIME_MIN_LIMIT)
    change.trial.time_limit = minutes
    if change.job.active:
        change.later.append(lambda: time_limits.set_running(change.ctl, change.job, minutes))


def _may_run_longer(change: JobChange, minutes: int) -> None:
    """Let users raise the limit of a waiting job up to the partition's, and lower any."""
    job = change.job
    if minutes > time_limits.time_limit(job, change.partition) and not (
        job.pending and minutes <= (change.partition.max_time or INFINITE)
    ):
        rights.require(change.ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)


def _moved(old: int, by: int, sign: str) -> int:
    if INFINITE in {old, by}:
        raise UserError("Cannot increment/decrement TimeLimit when set to UNLIMITED.")
    if sign == "-" and by > old:
        raise UserError(f"TimeLimit decrement larger than current time limit ({by} > {old})")
    return (old + by if sign == "+" else old - by) or INFINITE


def time_min(change: JobChange, given: Given) -> None:
    """Put ``TimeMin``, which a job has no use for once it runs."""
    if change.job.pending:
        change.trial.time_min = given.value
        text_checks.time_min(change.trial)


def priority(change: JobChange, given: Given) -> None:
    """Put ``Priority``: 0 holds the job, any other number stays as it is until the job is released.

    Either counts as set by hand from then on (``request.priority`` is not None); a number other than 0 makes the
    nice value 0. A held job must be released first.
    """
    value, job = given.value, change.job
    if value and job.held:
        raise SlurmError(Errno.JOB_HELD)
    if value > job.priority:
        rights.require(change.ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
    change.trial.priority = value
    if value:
        rights.require(change.ctl.cluster, rights.OPERATOR, Errno.PRIO_RESET_FAIL)
        change.trial.nice = change.trial.nice if value == job.priority else 0
        change.later.append(lambda: setattr(job, "priority", value))
    else:
        change.later.append(lambda: hold.hold_job(change.ctl, job))


def nice(change: JobChange, given: Given) -> None:
    """Put ``Nice``. A priority that was set by hand is not moved, and neither is the nice value then."""
    if change.trial.priority is not None and not change.job.held:
        return
    delta = given.value - change.trial.nice
    if delta < 0:
        rights.require(change.ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
    change.trial.nice = given.value
    if delta:
        change.later.append(lambda: _lower(change.job, delta))


def _lower(job: Job, delta: int) -> None:
    job.priority = min(numbers.NO_VAL, max(2, job.priority - delta))


def reset_accrual(change: JobChange, given: Given) -> None:
    """Put ``ResetAccrueTime``."""
    change.later.append(lambda: setattr(change.job, "accrue_time", 0))

"""``scontrol update JobId=``: change the fields of jobs, each job wholly or not at all.

Where the real slurmctld keeps the fields that came before a wrong one, nothing is kept here: a deliberate difference.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import hold, selectors
from slimsched.controller.schedule import job_queue, wait_reason
from slimsched.controller.update.job_change import Change
from slimsched.controller.update.job_fields import AFTER_THE_END, FIELDS
from slimsched.errno import Errno
from slimsched.errors import SlurmError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.job import Job


class Assignment(NamedTuple):
    """``field=value``; ``sign`` is "+" or "-" for ``+=`` and ``-=``; ``written`` is how it was typed."""

    field: str
    value: str
    sign: str = ""
    written: str = ""


PLACES = {name: place for place, name in enumerate(FIELDS)}


def update(ctl: Controller, specs: Sequence[str], assignments: Sequence[Assignment]) -> list[Failure]:
    """Change every job of the specifications; raises `UserError` for a value that no job can have."""
    return selectors.each(ctl, specs, lambda job: update_job(ctl, job, assignments))


def update_job(ctl: Controller, job: Job, assignments: Sequence[Assignment]) -> None:
    """Change one job. Raises `SlurmError` or `UserError`; the job is then as it was."""
    change = Change(ctl, job, copy.copy(job.request))
    for change.name, value, change.sign, _ in sorted(assignments, key=lambda a: PLACES[a.field]):
        field = FIELDS[change.name]
        if job.finished and change.name not in AFTER_THE_END:
            raise SlurmError(Errno.JOB_FINISHED)
        if field.same and value == getattr(job.request, field.same):
            continue
        if field.late is not None and not job.pending:
            raise SlurmError(field.late)
        field.read(change, value)
    job.request = change.request
    for act in change.later:
        act()
    if job.reason == wait_reason.BAD_CONSTRAINTS and all(a.field != "Priority" for a in assignments):
        hold.release_job(ctl, job)  # what is changed may have been what could not be met
    _settle(ctl, job, [f"{a.field}{a.sign}={a.value}" for a in assignments])


def _settle(ctl: Controller, job: Job, fields: list[str]) -> None:
    """Tell everybody that a job changed."""
    cluster = ctl.cluster
    if job.pending:
        job.planned, job.sched_nodes = False, ""
        if not job.held:
            job_queue.runnable(ctl, job)
    ctl.note(job)
    cluster.touch_job(job)
    cluster.pass_due = True
    cluster.record("update", job=job.job_id, fields=" ".join(fields))

"""``scontrol requeue`` and ``requeuehold``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import selectors, transitions
from slimsched.controller.requests import rights
from slimsched.errors import SlurmError
from slimsched.slurm import states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.job import Job


def requeue(
    ctl: Controller, specs: Sequence[str], *, hold: bool = False, special: bool = False, incomplete: bool = False
) -> list[Failure]:
    """Put running or finished jobs back into the queue.

    ``hold``: they are held there; ``special``: and marked SPECIAL_EXIT; ``incomplete``: only those that run.
    """

    def act(job: Job) -> None:
        rights.require_over(ctl.cluster, job)
        if job.leads and (not incomplete or job.active):
            requeue_one(ctl, job, hold=hold, special=special)

    return selectors.each(ctl, specs, act, whole=True)


def requeue_one(ctl: Controller, job: Job, *, hold: bool = False, special: bool = False) -> None:
    """Requeue one job. Raises `SlurmError` if it is pending, no batch job, or was submitted with ``--no-requeue``."""
    if job.pending:
        raise SlurmError(Errno.JOB_PENDING)
    if not job.request.batch:
        raise SlurmError(Errno.BATCH_ONLY)
    if not job.request.requeue:
        raise SlurmError(Errno.DISABLED)
    transitions.requeue_job(ctl, job, hold=hold or special)
    if special:
        job.flags = [*(flag for flag in job.flags if flag != states.SPECIAL_EXIT), states.SPECIAL_EXIT]

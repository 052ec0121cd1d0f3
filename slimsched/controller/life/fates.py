"""Ends of jobs that a test has chosen: the state, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import selectors
from slimsched.errors import SlurmError
from slimsched.model.job import Fate
from slimsched.slurm.errno import Errno
from slimsched.slurm.states import CONFIGURING, SUSPENDED

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId


def decide(ctl: Controller, spec: JobId, fate: Fate) -> None:
    """Let jobs end as decided, ``fate.after`` seconds of running from now on; None leaves the time as it is.

    A job that waits runs for that long once it has started. A time limit that comes first still ends it, and a job
    that ends by itself before has no fate. Raises `SlurmError` for jobs that are unknown or have ended.
    """
    jobs = selectors.take(ctl, spec)
    if any(job.finished for job in jobs):
        raise SlurmError(Errno.ALREADY_DONE)
    for job in jobs:
        after = None if fate.after is None else _run_so_far(ctl, job) + fate.after
        job.fate = Fate(fate.state, fate.exit_code, fate.signal, after)
        if job.active and CONFIGURING not in job.flags:
            ctl.executor.set_fate(job)
        ctl.cluster.touch_job(job)
        ctl.note(job)


def _run_so_far(ctl: Controller, job: Job) -> int:
    """Return the seconds that a job has run, without those in which it was suspended."""
    if not job.active:
        return 0
    if job.state == SUSPENDED:
        return job.pre_sus_time
    return job.pre_sus_time + ctl.cluster.now - (job.suspend_time or job.start_time)

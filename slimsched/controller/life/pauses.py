"""A running job stops and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import aftermath
from slimsched.model.job import GANG
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


def suspend_job(ctl: Controller, job: Job, reason: str = "") -> None:
    """Stop a running job; it keeps its memory but leaves its CPUs to others.

    ``reason`` as in ``job.suspended_for``: one that waits for its turn keeps its place on the CPUs. Raises
    `PluginError`; the job runs on then.
    """
    now = ctl.cluster.now
    ctl.select.job_suspend(job, reason != GANG)
    aftermath.charge(ctl.cluster, job)
    job.pre_sus_time += now - (job.suspend_time or job.start_time)
    job.suspend_time = now
    job.state, job.suspended_for = states.SUSPENDED, reason
    ctl.cluster.pass_due |= reason != GANG
    ctl.executor.suspend(job)
    aftermath.record(ctl, job, "suspend")


def resume_job(ctl: Controller, job: Job) -> None:
    """Let a suspended job go on; its time limit moves by the time that it stood still.

    Raises `PluginError` if others have its CPUs; the job stays suspended then.
    """
    now = ctl.cluster.now
    ctl.select.job_resume(job, job.suspended_for != GANG)
    if job.end_time:
        job.end_time += now - job.suspend_time
    job.suspend_time = now
    job.state, job.suspended_for = states.RUNNING, ""
    ctl.executor.resume(job)
    ctl.select.nodeinfo_set(job)
    ctl.note(job)
    aftermath.record(ctl, job, "resume")

"""A job whose run is over goes back into the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.life import aftermath
from slimsched.controller.requests import defaults
from slimsched.model.job import HOLD_PRIORITY
from slimsched.model.record import copied
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

REQUEUE_DELAY = 121
"""Seconds before a requeued job may start again (the life of its old credential, and one)."""

BRIEF_DELAY = 1
"""The same for a job that really runs, unless the pace is Slurm's."""


REQUEUED_HELD = "job requeued in held state"


def run_until_now(cluster: Cluster, job: Job, ended: states.State) -> Job:
    """Return the record of a job's run that ended before, or that ends now."""
    run = copied(job)
    run.request = copied(job.request)
    run.flags = [flag for flag in job.flags if flag != states.CONFIGURING]
    if not run.finished:
        run.state, run.end_time, run.reason, run.state_desc = ended, cluster.now, reasons.NONE, ""
        run.suspended_for, run.preempt_time = "", 0
        run.exit_signal = 0
    return run


def put_back(ctl: Controller, job: Job, *, hold: bool, ended: states.State) -> None:
    """Put a job whose run is over back into the queue."""
    cluster = ctl.cluster
    if job.request.mail_type:
        from slimsched.controller.life import mail

        mail.tell(ctl, job, mail.REQUEUE)
    aftermath.end_steps(ctl, job)
    cluster.gone_jobs.append(run_until_now(cluster, job, ended))
    if job.active:
        step_calls.end_all(ctl, job, killed=True)
        ctl.killed = True
        aftermath.free(ctl, job)
        cluster.pass_due = True
    held = job.reason if job.held and reasons.row(job.reason).held else None
    job.state, job.reason, job.state_desc = states.PENDING, held or reasons.BEGIN_TIME, ""
    job.flags = [flag for flag in job.flags if flag != states.CONFIGURING]
    job.suspended_for, job.preempt_time = "", 0
    job.restarts += 1
    job.submit_time = cluster.now
    job.request.begin_time = job.start_time = job.eligible_time = _again(cluster, job)
    if job.request.cron:
        job.start_time, job.eligible_time = 0, cluster.now
    job.end_time = job.suspend_time = job.pre_sus_time = 0
    job.exit_code = job.exit_signal = 0
    job.fate = None  # it has come to pass
    job.nodes, job.cpus, job.memory, job.gres = "", [], [], []
    job.scheduler, job.script, job.licenses_alloc = "", None, ""
    if cluster.config.live:
        job.steps, job.waiting = [], []
    if hold:
        job.priority, job.reason, job.state_desc = HOLD_PRIORITY, reasons.HELD_USER, REQUEUED_HELD
    elif held is None:
        defaults.set_priority(ctl, job)
    ctl.note(job)
    aftermath.record(ctl, job, "requeue")


def _again(cluster: Cluster, job: Job) -> int:
    """Return when a requeued job may start: one of a crontab at its next time."""
    if job.request.cron:
        from slimsched.text import cron

        return cron.parse(job.request.cron).after(cluster.now)
    return cluster.now + _delay(cluster)


def _delay(cluster: Cluster) -> int:
    """Return how long a requeued job waits."""
    return BRIEF_DELAY if cluster.config.live and cluster.config.pace == "fast" else REQUEUE_DELAY

"""What the processes of a live cluster have done since the last look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import live_steps, transitions
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


def catch_up(ctl: Controller) -> None:
    """Take note of what has ended: steps, and waiting allocations whose process has gone."""
    for job in list(ctl.cluster.jobs.values()):
        if job.active:
            live_steps.collect(ctl, job)
        elif job.pending and ctl.executor.abandoned(job):
            transitions.end_job(ctl, job, states.CANCELLED)

"""Slow starts and slow ends: jobs that are CONFIGURING before they run, and COMPLETING after they ran.

They imitate prologs, epilogs and nodes that answer late, where a cluster asks for it (``slow_start``, ``slow_end``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.executor.api import Outcome
from slimsched.slurm.states import State
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Ended, Job


def ready_at(ctl: Controller, job: Job) -> int:
    """Return when the nodes of a job that was just given them can be ready."""
    return job.start_time + times.duration(ctl.cluster.config.slow_start)


def linger(ctl: Controller, job: Job, exit_code: int, signal: int, script: Ended | None = None) -> bool:
    """Keep how a job ended whose processes are gone, until its end is over; false if that takes no time."""
    seconds = times.duration(ctl.cluster.config.slow_end)
    if seconds:
        job.clears = ctl.cluster.now + seconds
        job.exit_code, job.exit_signal, job.script = exit_code, signal, script
    return bool(seconds)


def outcome(job: Job) -> Outcome:
    """Return how a job ends that was lingering."""
    return Outcome(job.clears, State(job.ending), job.exit_code, job.exit_signal, job.script)

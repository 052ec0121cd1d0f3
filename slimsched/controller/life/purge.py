"""Finished jobs leave memory ``MinJobAge`` seconds after their end; the state directory archives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

DEFAULT_AGE = 300


def purge(ctl: Controller) -> int:
    """Move jobs that ended long ago to ``cluster.gone_jobs``; returns how many (``MinJobAge=0`` keeps all)."""
    cluster = ctl.cluster
    age = cluster.config.number("MinJobAge")
    if age <= 0:
        return 0
    old = [job for job in cluster.jobs.values() if job.finished and job.end_time + age <= cluster.now]
    for job in old:
        del cluster.jobs[job.job_id]
        cluster.dirty_jobs.discard(job.job_id)
    cluster.gone_jobs += old
    return len(old)


def purge_if_due(ctl: Controller) -> None:
    """Purge once in a while, so that a long run does not drag its past along."""
    cluster = ctl.cluster
    if cluster.now >= ctl.next_purge:
        purge(ctl)
        ctl.next_purge = cluster.now + DEFAULT_AGE

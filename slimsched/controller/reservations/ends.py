"""The end of a reservation, and what it does to the jobs that still wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.reservations import blocking
from slimsched.model.job import HOLD_PRIORITY
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.reservation import Reservation

PURGED = "PURGE_COMP"
KEEPS_NOBODY = "NO_HOLD_JOBS_AFTER_END"
"""Flag of a reservation whose jobs are not held when it ends."""


def forget(ctl: Controller, resv: Reservation) -> None:
    """Remove an ended reservation from the requests of jobs; jobs left without one are held."""
    for job in ctl.cluster.jobs.values():
        names = blocking.names(job)
        if job.finished or resv.name not in names:
            continue
        names.remove(resv.name)
        job.request.reservation = ",".join(names)
        if job.resv_name == resv.name:
            job.resv_name = ""
        if job.pending and not names and KEEPS_NOBODY not in resv.flags and job.reason != reasons.HELD_ADMIN:
            _hold(ctl, job, resv.name)
        ctl.cluster.touch_job(job)


def look(ctl: Controller) -> None:
    """Note since when reservations with ``PURGE_COMP`` have had no jobs."""
    cluster = ctl.cluster
    for resv in cluster.reservations.values():
        if PURGED not in resv.flags:
            continue
        begun = resv.start_time <= cluster.now < resv.end_time
        jobs = [job for job in cluster.jobs.values() if resv.name in blocking.names(job)]
        idle = begun and all(job.finished for job in jobs)
        since = max([resv.idle_since or cluster.now, *(job.end_time for job in jobs)]) if idle else 0
        if since != resv.idle_since:
            resv.idle_since = since
            cluster.dirty_reservations.add(resv.name)
            if ctl.agenda is not None:
                ctl.agenda.note_reservation(resv)


def _hold(ctl: Controller, job: Job, name: str) -> None:
    job.priority, job.reason, job.state_desc = (
        HOLD_PRIORITY,
        reasons.RESERVATION_DELETED,
        f"Reservation {name} was deleted",
    )
    job.planned, job.sched_nodes = False, ""
    job.flags = [*(flag for flag in job.flags if flag != states.RESV_DEL_HOLD), states.RESV_DEL_HOLD]
    ctl.cluster.record("hold", job=job.job_id, reason=job.reason)

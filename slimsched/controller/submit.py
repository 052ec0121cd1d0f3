"""Submission: a request becomes a job, or is refused in Slurm's words.

Refusals come in two kinds, as recorded (oracle SURPRISES D28): some before a job id is taken, others after, and
some of these leave a FAILED record. A refusal that changed the state says so (``error.commits``), so that the
command boundary writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slimsched.controller import defaults
from slimsched.controller.validate import check_early, check_late, resolve_partitions
from slimsched.model.job import Job

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.users import User
    from slimsched.model.request import JobRequest


@dataclass(slots=True)
class SubmitResult:
    """An accepted submission; ``warnings`` are lines for ``sbatch: error:`` that do not refuse it."""

    job_id: int
    job: Job
    warnings: list[str] = field(default_factory=list)


def submit(ctl: Controller, request: JobRequest, user: User) -> SubmitResult:
    """Make a job of ``request`` and try to start it; the controller keeps the request.

    Raises `SlurmError`; if its ``commits`` is set a job id was used up.
    """
    job = create(ctl, request, user)
    _queue(ctl, job)
    return SubmitResult(job.job_id, job)


def create(ctl: Controller, request: JobRequest, user: User) -> Job:
    """Check a request and return its job, with an id but not yet in the cluster."""
    cluster = ctl.cluster
    partitions = resolve_partitions(cluster, request)
    check_early(ctl, request, partitions)
    defaults.fill(cluster, request, partitions)
    job_id = cluster.next_job_id
    cluster.next_job_id += 1
    check_late(ctl, request, partitions)
    return Job(
        job_id=job_id,
        request=request,
        user_id=user.uid,
        user_name=user.name,
        group_id=user.gid,
        group_name=user.group,
        alloc_node="localhost",
        partition=request.partition.partition(",")[0],
        submit_time=cluster.now,
        run_time=request.sim_runtime,
        sim_exit_code=request.sim_exit or 0,
    )


def _queue(ctl: Controller, job: Job) -> None:
    """Give a new job its priority and its place in the queue, and try to start it."""
    from slimsched.controller.scheduling import try_now

    cluster = ctl.cluster
    if not job.request.hold:
        job.priority = cluster.next_priority - job.request.nice
        cluster.next_priority -= 1
    cluster.jobs[job.job_id] = job
    cluster.touch_job(job)
    cluster.events.append({"event": "submit", "job": job.job_id, "user": job.user_name})
    try_now(ctl, job)

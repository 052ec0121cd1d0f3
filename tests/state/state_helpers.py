"""What the controller does to a cluster, as far as the state tests need it."""

from __future__ import annotations

from typing import Any

from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest


def add_job(cluster: Cluster, **fields: Any) -> Job:
    """Submit as the controller does: take the next id, note the job and the event."""
    job = Job(job_id=cluster.next_job_id, request=JobRequest(name="x"), submit_time=cluster.now, **fields)
    cluster.next_job_id += 1
    cluster.jobs[job.job_id] = job
    cluster.touch_job(job)
    cluster.events.append({"event": "submit", "job": job.job_id})
    return job


def retire(cluster: Cluster, job: Job) -> None:
    """Purge as the controller does."""
    cluster.gone_jobs.append(cluster.jobs.pop(job.job_id))
    cluster.dirty_jobs.discard(job.job_id)

"""The job queue: pending jobs that may be scheduled now, one entry per partition, best first.

Building it also brings the reasons of those up to date that may not (held, begin time, partition limits).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.sched.api import Entry

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


def partitions_of(ctl: Controller, job: Job) -> list[PartitionConf]:
    """Return the partitions that a job asked for."""
    known = ctl.cluster.partitions
    return [known[name] for name in job.request.partition.split(",") if name in known]


def build(ctl: Controller) -> list[Entry]:
    """Return the queue of this instant."""
    entries = []
    for job in ctl.cluster.jobs.values():
        if job.pending and not job.held and job.request.begin_time <= ctl.cluster.now:
            entries += [Entry(job, part, ctl.priority.in_partition(job, part)) for part in partitions_of(ctl, job)]
    entries.sort(key=lambda e: (-e.partition.priority_tier, -e.priority, e.job.job_id))
    return entries

"""Time limits in force: the job's own, else its partition's default, else its partition's maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE

if TYPE_CHECKING:
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

YEAR = 365 * 24 * 3600
"""Seconds that a job without limit is planned with, as Slurm does."""


def time_limit(job: Job, part: PartitionConf) -> int:
    """Return the limit in minutes, `INFINITE` for none."""
    for value in (job.request.time_limit, part.default_time, part.max_time):
        if value is not None:
            return value
    return INFINITE


def planned_seconds(job: Job, part: PartitionConf) -> int:
    """Return how long a job is expected to hold its nodes at most, in seconds."""
    limit = time_limit(job, part)
    return YEAR if limit == INFINITE else limit * 60

"""Heterogeneous jobs: several jobs with consecutive ids, the components, that wait, start and end together.

The first component leads: its id is that of the whole, its script runs, and its end is the end of all. Before the start
a component cannot leave the others; later it may end without them.
Source: the guide Heterogeneous Job Support; scenarios het_batch, het_cancel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def followers(cluster: Cluster, job: Job, *, started: bool) -> list[Job]:
    """Return the components that end with one that ends, which had ``started`` or not."""
    if not job.het_job_id or (started and not job.leads):
        return []
    return [one for one in cluster.components(job) if one is not job and not one.finished and not one.ending]

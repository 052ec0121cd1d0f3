"""The instant when something that a job waits for is over, if running jobs take all of their time.

The question is put to the rules themselves, on a copy of the cluster that lacks the first jobs to end.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from slimsched.model.cluster import Cluster

    Passes = Callable[[Cluster], bool]


def passes_alone(cluster: Cluster, passes: Passes) -> bool:
    """Whether something would pass if nothing ran."""
    return passes(_without(cluster, [job.job_id for job in cluster.jobs.values() if job.active]))


def first_end(cluster: Cluster, passes: Passes) -> int:
    """Return the end of a running job after which something passes (seconds since 1970), 0 if no end makes it."""
    ends = sorted((job.end_time, job.job_id) for job in cluster.jobs.values() if job.active and job.end_time)

    def passed(count: int) -> bool:
        return passes(_without(cluster, [job_id for _, job_id in ends[:count]]))

    count = bisect_left(range(len(ends) + 1), True, key=passed)
    return ends[count - 1][0] if 0 < count <= len(ends) else 0


def _without(cluster: Cluster, job_ids: Collection[int]) -> Cluster:
    """Return a copy of the cluster, for rules that only read, in which some jobs have ended and are gone."""
    gone = set(job_ids)
    view = copy.copy(cluster)
    view.jobs = {job_id: job for job_id, job in cluster.jobs.items() if job_id not in gone}
    return view

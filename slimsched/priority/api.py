"""The priority plugin interface.

A complete plugin, which lets small jobs go first::

    from slimsched.priority.api import PriorityPlugin


    class Small(PriorityPlugin):
        plugin_type = "priority/small"

        def set(self, last_prio, job):
            return max(1, 1_000_000 // (job.request.num_tasks or 1) - job.request.nice)

A package offers it by an entry point of the group ``slimsched.priority`` (``small = "package.module:Small"``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

API_VERSION = (1, 0)
HIGHEST = 0xFFFFFFFE
"""The highest priority that a job can have (the next number means "not set")."""


class PriorityPlugin:
    """Base class of priority plugins."""

    plugin_type = "priority/"
    plugin_name = ""
    api_version = API_VERSION
    marks_changes = False  # whether `recalculate` marks the jobs whose priority it changes (`Cluster.touch_job`)

    def __init__(self, cluster: Cluster) -> None:
        """Keep the cluster whose jobs are ordered."""
        self.cluster = cluster

    def set(self, last_prio: int, job: Job) -> int:
        """Return the priority of a new, released or requeued job; ``last_prio`` continues first come, first served."""
        return last_prio

    def recalculate(self, jobs: Iterable[Job]) -> None:
        """Bring the priorities of pending jobs to the present; static ones stay as they are."""

    def in_partition(self, job: Job, partition: PartitionConf) -> int:
        """Return the priority that a job has in one of the several partitions it asked for."""
        return job.priority

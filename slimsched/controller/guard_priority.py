"""Priority plugins of other packages, behind the checks of `guard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.controller import guard
from slimsched.errors import SimError
from slimsched.priority.api import HIGHEST, PriorityPlugin
from slimsched.priority.basic import Basic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class GuardedPriority(PriorityPlugin):
    """A priority plugin whose failures leave a job the priority it had, or that of priority/basic."""

    def __init__(self, cluster: Cluster, plugin: PriorityPlugin) -> None:
        super().__init__(cluster)
        self.plugin = plugin
        self.plugin_type, self.plugin_name = plugin.plugin_type, plugin.plugin_name

    def set(self, last_prio: int, job: Job) -> int:
        """Return the plugin's priority for a job."""
        return self._number("set", lambda: self.plugin.set(last_prio, job), Basic(self.cluster).set(last_prio, job))

    def recalculate(self, jobs: Iterable[Job]) -> None:
        """Let the plugin change the priorities of waiting jobs; held ones stay held."""
        waiting = list(jobs)
        before = [job.priority for job in waiting]
        try:
            guard.call(self.cluster, self.plugin_type, "recalculate", lambda: self.plugin.recalculate(waiting))
        except SimError:
            for job, priority in zip(waiting, before, strict=True):
                job.priority = priority
        for job, priority in zip(waiting, before, strict=True):
            if not _sound(job.priority) or bool(priority) != bool(job.priority):
                guard.note(self.cluster, self.plugin_type, "recalculate", f"job {job.job_id}: {job.priority!r}")
                job.priority = priority

    def in_partition(self, job: Job, partition: PartitionConf) -> int:
        """Return the plugin's priority for a job in a partition."""
        return self._number("in_partition", lambda: self.plugin.in_partition(job, partition), job.priority)

    def _number(self, name: str, run: Callable[[], Any], otherwise: int) -> int:
        try:
            value = guard.call(self.cluster, self.plugin_type, name, run)
        except SimError:
            return otherwise
        if _sound(value):
            number: int = value
            return number
        guard.note(self.cluster, self.plugin_type, name, f"returned {value!r}")
        return otherwise


def _sound(value: object) -> bool:
    return isinstance(value, int) and 0 <= value <= HIGHEST

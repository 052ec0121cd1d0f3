"""Priority plugins of other packages, behind the checks of `guard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.controller.plugins import guard
from slimsched.errors import SimError
from slimsched.priority.api import HIGHEST, PriorityPlugin
from slimsched.priority.basic import Basic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class GuardedPriority(PriorityPlugin):
    """A priority plugin whose failures leave a job the priority it had, or that of priority/basic."""

    def __init__(self, cluster: Cluster, kind: type[PriorityPlugin]) -> None:
        super().__init__(cluster)
        self.outsider = guard.Outsider(cluster, kind, cluster)
        self.plugin_type, self.plugin_name = self.outsider.name, str(kind.plugin_name)

    def set(self, last_prio: int, job: Job) -> int:
        """Return the plugin's priority for a job."""
        return self._number(Basic(self.cluster).set(last_prio, job), "set", last_prio, job)

    def recalculate(self, jobs: Iterable[Job]) -> None:
        """Let the plugin change the priorities of waiting jobs; held ones stay held."""
        waiting = list(jobs)
        before = [job.priority for job in waiting]
        try:
            self.outsider.ask("recalculate", waiting)
        except SimError:
            for job, priority in zip(waiting, before, strict=True):
                job.priority = priority
        for job, priority in zip(waiting, before, strict=True):
            if not sound(job.priority) or bool(priority) != bool(job.priority):
                self.outsider.note("recalculate", f"job {job.job_id} cannot have the priority that it was given")
                job.priority = priority

    def in_partition(self, job: Job, partition: PartitionConf) -> int:
        """Return the plugin's priority for a job in a partition."""
        return self._number(job.priority, "in_partition", job, partition)

    def _number(self, otherwise: int, name: str, *args: Any) -> int:
        try:
            value = self.outsider.ask(name, *args)
        except SimError:
            return otherwise
        if sound(value):
            number: int = value
            return number
        self.outsider.note_answer(name, value)
        return otherwise


def sound(value: object) -> bool:
    """Whether a value can be a job's priority."""
    return type(value) is int and 0 <= value <= HIGHEST

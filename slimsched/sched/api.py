"""The scheduler plugin interface, and what a plugin may ask of the controller.

Source: SLURM Scheduler Plugin API, version 0 (``slurm_sched_plugin_*``, less the prefix).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.api import Selection, SelectPlugin

SUCCESS = 0
ERROR = -1
ESLURM_SCHED_MIN = 9000
ESLURM_SCHED_MAX = 9099


class Entry(NamedTuple):
    """One line of the job queue: a job in one of the partitions that it asked for."""

    job: Job
    partition: PartitionConf
    priority: int


@dataclass(slots=True)
class Candidates:
    """The nodes that a job may be placed on in one partition, and how many of them it wants."""

    bitmap: int  # all that the job asks for, in the partition, up, and not reserved for others
    min_nodes: int
    max_nodes: int
    required: int = 0
    reason: str = ""  # why the job cannot start whatever is free; "" if nothing stands against it
    state_desc: str = ""
    never: bool = False  # it cannot start until somebody changes the job (BadConstraints)


class Host(Protocol):
    """The controller, as a scheduler plugin sees it."""

    cluster: Cluster

    @property
    def select(self) -> SelectPlugin:
        """The select plugin."""

    def queue(self) -> list[Entry]:
        """Return the jobs that may be scheduled now, best first."""

    def candidates(self, job: Job, partition: PartitionConf) -> Candidates:
        """Return where a job may be placed."""

    def start(self, job: Job, partition: PartitionConf, selection: Selection, scheduler: str) -> Job:
        """Start a job; returns the job that runs (a task, if the record stands for an array)."""


class SchedPlugin:
    """Base class of scheduler plugins."""

    plugin_type = "sched/"
    plugin_name = ""
    api_version = 0

    def __init__(self, host: Host) -> None:
        """Keep the controller that the plugin schedules for."""
        self.host = host
        self.errno = SUCCESS

    def schedule(self) -> int:
        """Invoke a scheduling pass; returns `SUCCESS`, or `ERROR` after setting the errno."""
        raise NotImplementedError

    def initial_priority(self, max_prio: int) -> int:
        """Return the priority of a new job, below that of every job before it; 0 holds it."""
        return max_prio - 1

    def job_is_pending(self) -> None:
        """Note that some job is pending execution."""

    def get_errno(self) -> int:
        """Return the number of the last error, `SUCCESS` at first."""
        return self.errno

    def strerror(self, errnum: int) -> str | None:
        """Return the description of a scheduler specific error, ``None`` if this plugin has none."""
        return None

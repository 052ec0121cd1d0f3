"""The scheduler plugin interface, and what a plugin may ask of the controller.

A complete plugin, which starts the job first that came last::

    from slimsched.sched.api import SUCCESS, SchedPlugin


    class Newest(SchedPlugin):
        plugin_type = "sched/newest"

        def schedule(self):
            for entry in sorted(self.host.queue(), key=lambda entry: -entry.job.job_id):
                if entry.job.pending:
                    self.host.attempt(entry.job, entry.partition, 0, "Newest")
            return SUCCESS

A package offers it by an entry point of the group ``slimsched.sched`` (``newest = "package.module:Newest"``).

Source: SLURM Scheduler Plugin API, version 0 (``slurm_sched_plugin_*``, less the prefix).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from slimsched.model.record import Record, Value
from slimsched.select.records import JobTest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.api import SelectPlugin
    from slimsched.slurm.reasons import Reason
else:
    Protocol = object  # every submission would make one that only a type checker reads

API_VERSION = (0, 0)
SUCCESS = 0
ERROR = -1
ESLURM_SCHED_MIN = 9000
ESLURM_SCHED_MAX = 9099


class Entry(Record):
    """One line of the job queue: a job in one of the partitions that it asked for, with its present priority there."""

    job: Job
    partition: PartitionConf
    priority: int


def looked_at(cluster: Cluster, queue: Iterable[Entry], scheduler: str) -> None:
    """Note that a cycle has looked at those of a queue that wait still, where it does not write their plans."""
    for entry in queue:
        if not entry.job.scheduler:
            for job in cluster.components(entry.job):
                if job.pending and not job.scheduler:
                    cluster.set_plan(job, scheduler, job.start_time, job.sched_nodes, planned=job.planned)


class Verdict(Enum):
    """The result of an attempt to start a job."""

    STARTED = 0
    BUSY = 1  # it waits for nodes that others hold, and lower priorities of its partition wait with it
    PASSED = 2  # it cannot start, whatever is free, and holds nobody up
    NEVER = 3  # likewise, and it is held until somebody changes or releases it


class Refusal(Value, frozen=True):
    """The reason why a job cannot start on the offered nodes; ``text``, if any, replaces the reason word."""

    verdict: Verdict
    reason: Reason
    text: str = ""


class Attempt(Value, frozen=True):
    """The result of an attempt, and the job that runs (a task, if the record stands for an array)."""

    verdict: Verdict
    started: Job | None = None


class Block(Value, frozen=True):
    """Nodes that an advance reservation keeps from a job from ``start`` to ``end`` (seconds since 1970)."""

    start: int
    end: int
    nodes: int
    maint: bool


class Held(Value, frozen=True):
    """CPUs of nodes that reservations keep from a job."""

    ends: tuple[int, ...]  # when one of them frees its CPUs, seconds since 1970
    between: Callable[[int, int], Mapping[int, int]]  # from and until when -> node index -> CPUs


class Candidates(Record):
    """The nodes that a job may be placed on in one partition, and how many of them it wants."""

    bitmap: int  # the requested nodes that are up; after an attempt, only those offered and not reserved
    asked: int  # all that it asks for in the partition, whatever their state
    min_nodes: int
    max_nodes: int
    required: int = 0
    refusal: Refusal | None = None

    def question(self, job: Job, partition: PartitionConf, nodes: int | None = None) -> JobTest:
        """Return what to ask the select plugin about a job on some ``nodes`` (``None``: the candidates)."""
        mask = self.bitmap if nodes is None else nodes
        return JobTest.of(job, partition.partition_name, mask, self.min_nodes, self.max_nodes, self.required)


class Host(Protocol):
    """The controller, as a scheduler plugin sees it."""

    cluster: Cluster

    @property
    def forecasting(self) -> bool:
        """Whether planned starts are wanted even if nothing can start."""

    @property
    def select(self) -> SelectPlugin:
        """The select plugin."""

    @property
    def up_nodes(self) -> int:
        """The nodes on which jobs may be placed."""

    @property
    def queue_moves(self) -> int | None:
        """How often the queue has changed, jobs that entered as the last apart; ``None`` if nobody counts."""

    def queue(self) -> list[Entry]:
        """Return the jobs that may be scheduled now, best first."""

    def wanted(self, job: Job, partition: PartitionConf, *, extra: bool = True) -> Candidates:
        """Return what a job asks for in a partition; ``extra``: whether its ``--extra`` counts."""

    def blocks(self, job: Job) -> list[Block]:
        """Return what advance reservations keep from a job."""

    def held_cores(self, job: Job) -> Held | None:
        """Return the CPUs of nodes that reservations keep from a job; ``None`` if they hold whole nodes only."""

    def may_preempt(self, job: Job, partition: PartitionConf) -> bool:
        """Return whether running jobs, if there are such, may be ended or requeued for a job."""

    def preemptable(self, job: Job, partition: PartitionConf) -> Sequence[Job]:
        """Return the running jobs that would be ended or requeued for a job, the first to go first."""

    def licensed(self, job: Job) -> bool:
        """Return whether the licenses that a job asks for are free."""

    def bounds(self, entry: Entry, where: Candidates) -> Mapping[int, int] | None:
        """Return node index -> the most CPUs that consumable attributes leave to a job there.

        ``None``: too little of an attribute is left for the job, on any nodes.
        """

    def least_priority(self, entry: Entry) -> int:
        """Return the priority from which on a job may keep nodes from others, 0 if only the cluster's counts."""

    def attempt(self, job: Job, partition: PartitionConf, excluded: int, scheduler: str) -> Attempt:
        """Start a job (one task of an array) outside of the ``excluded`` nodes; if it cannot, its reason says why.

        A heterogeneous job, which its first component stands for, starts as a whole.
        """

    def companions(self, job: Job) -> list[list[Entry]]:
        """Return the entries of each other component that starts with a heterogeneous job; none for a plain one."""

    def attempt_together(self, job: Job, partition: PartitionConf, excluded: Mapping[int, int]) -> Attempt:
        """Start all components of a heterogeneous job, each outside of the nodes that are ``excluded`` for its id."""

    def held(self) -> list[Job]:
        """Return the jobs that the scheduler holds: by an initial priority of 0, or by `set_priority`."""

    def set_priority(self, job: Job, priority: int) -> None:
        """Change the priority of a waiting job: 0 holds it, any other releases it, and is not recalculated."""

    def set_required_nodes(self, job: Job, nodes: int) -> None:
        """Change the nodes (a bitmap) that must be among those of a waiting job; 0 leaves the choice open."""

    def time_limit(self, job: Job, partition: PartitionConf) -> int:
        """Return the seconds that a job would hold its nodes at most."""

    def set_time_limit(self, job: Job, minutes: int) -> None:
        """Change the limit of a running job."""

    def tasks(self, job: Job) -> int:
        """Return how many tasks of a pending record may start at once (1 if it is not an array)."""


class SchedPlugin:
    """Base class of scheduler plugins."""

    plugin_type = "sched/"
    plugin_name = ""
    api_version = API_VERSION
    keeps_head = False  # whether none of its starts delays the planned start of the job of highest priority
    leads = True  # whether its passes come before the controller's own, and every ``sched_interval`` while jobs wait
    looks_deeper = False  # whether it tries jobs beyond ``default_queue_depth``, where the controller stops

    def __init__(self, host: Host) -> None:
        """Keep the controller that the plugin schedules for."""
        self.host = host
        self.errno = SUCCESS

    def schedule(self) -> int:
        """Invoke a scheduling pass; returns `SUCCESS`, or `ERROR` after setting the errno."""
        return SUCCESS

    def try_job(self, entry: Entry) -> bool:
        """Start a single new job ahead of waiting ones, if this scheduler allows that; True if it started."""
        return False

    def initial_priority(self, max_prio: int) -> int:
        """Return the priority of a new job, from 0, which holds it, to 4294967294.

        ``max_prio``: the lowest priority that a job has got so far (2 at least), so that a lower one is behind it.
        """
        return max_prio - 1

    def job_is_pending(self) -> None:
        """Note that some job is pending execution."""

    def get_errno(self) -> int:
        """Return the number of the last error, `SUCCESS` at first."""
        return self.errno

    def strerror(self, errnum: int) -> str | None:
        """Return the description of a scheduler specific error, ``None`` if this plugin has none."""
        return None

"""The stored records besides jobs, nodes and partitions: the snapshot's head, the counters, and one commit."""

from typing import Any

import msgspec

from slimsched.model.complex import ComplexState
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.model.reservation import Reservation
from slimsched.slurm.states import PENDING
from slimsched.state import documents


class Meta(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The cluster's counters and instants (seconds since 1970)."""

    now: int = 0
    boot_time: int = 0
    next_job_id: int = 1
    next_priority: int = 0
    reservations_made: int = 0
    triggers: list[dict[str, Any]] = []  # `Cluster.triggers`
    triggers_made: int = 0
    crontabs: dict[str, str] = {}
    last_backfill: int = 0
    rhythm: dict[str, int] = {}  # `Cluster.rhythm`
    settings: dict[str, str] = {}  # `Cluster.settings`
    pass_due: bool = False
    arrays_due: bool = False
    statistics: dict[str, int] = {}
    epoch: dict[str, int] = {}
    categories: dict[str, str] = {}  # `Cluster.categories`
    config_crc: int = 0  # of the cluster.toml that the last commit saw
    plugins: dict[str, dict[str, Any]] = {}  # plugin -> what its state_save returned


class Head(documents.Head, kw_only=True):
    """Head of the snapshot."""

    generation: int  # which data-N folder; `sim init --force` begins a new one
    segment: int  # the journal segment that follows this snapshot
    seq: int  # the last commit that it holds
    jobs: list[int] = []  # of each record in the part jobs: the job's id (0: of one to be read at once), and its length


class Mark(msgspec.Struct):
    """What tells whether the record of a job can be left unread."""

    job_id: int
    state: str = PENDING
    array_job_id: int = 0
    het_job_id: int = 0
    planned: bool = False


def plain(job: Job | Mark) -> bool:
    """Whether a job just waits, is part of no other and keeps no nodes: one finds it by its id only, or among all."""
    return job.state == PENDING and not (job.array_job_id or job.het_job_id or job.planned)


class Commit(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The changes of one command, as whole records: replaying them needs no knowledge of the command."""

    seq: int
    meta: Meta
    users: dict[str, int] | None = None  # None: unchanged
    jobs: list[Job] = []
    dropped: list[int] = []  # no longer live
    gone: list[Job] = []  # for the archive
    nodes: dict[str, NodeState] = {}
    partitions_reset: bool = False  # forget earlier changes of partitions
    partitions: dict[str, PartitionConf | None] = {}  # None: deleted
    reservations: dict[str, Reservation | None] = {}
    accounting: dict[str, dict[str, str] | None] = {}
    complexes: ComplexState | None = None  # None: unchanged


class Unread(Commit, kw_only=True):
    """A commit whose jobs and counters are left as they stand in the file."""

    meta: msgspec.Raw  # type: ignore[assignment]
    jobs: list[msgspec.Raw] = []  # type: ignore[assignment]


class Recorded(Commit, omit_defaults=True, kw_only=True):
    """A commit with what happened in it, in the order in which it happened. Only the history reads this.

    ``command`` and ``user``: whose doing it was.
    """

    command: str = ""
    user: str = ""
    events: list[dict[str, Any]] = []


class Historic(msgspec.Struct, kw_only=True):
    """The parts of a commit that the history reads: the cluster's counters after it, and its events."""

    seq: int
    meta: Meta
    command: str = ""
    user: str = ""
    events: list[dict[str, Any]] = []

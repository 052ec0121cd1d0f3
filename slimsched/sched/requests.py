"""The planner's questions about waiting jobs, kept from cycle to cycle while what they rest on stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.account import Book, has_flag
from slimsched.model.record import Record
from slimsched.select.openings import Foresight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.job import Job
    from slimsched.sched.api import Block, Candidates, Entry, Held, Host
    from slimsched.select.openings import Shape
    from slimsched.select.records import JobTest


class Request(Record):
    """The planner's question about one job; ``seconds``: how long its nodes must be free of promises.

    ``blocks``: whole nodes that reservations keep from it; ``held``: CPUs of nodes, ``None`` for none;
    ``preempts``: whether running jobs may go for it; ``preemptable``: those that would go now.
    ``most_cpus``: what it may have of nodes (`JobTest`).
    ``shape``: what it has in common with others, ``None`` for nothing; ``asked``: the same with the nodes it asks for.
    ``alone``: whether each node can be judged alone.
    ``least``: the priority from which on it may keep nodes from others, 0 if only the cluster's counts;
    ``reserves_nothing``: whether its QOS forbids that (``NoReserve``).
    """

    entry: Entry
    where: Candidates
    seconds: int
    blocks: list[Block] = []
    held: Held | None = None
    preempts: bool = False
    preemptable: Sequence[Job] = ()
    most_cpus: Mapping[int, int] = {}
    shape: Shape | None = None
    asked: tuple[Shape, int, int] | None = None
    alone: bool = False
    count: int = 0  # the fewest free nodes that will do: none if others may go for it
    least: int = 0
    reserves_nothing: bool = False

    @property
    def plain(self) -> bool:
        """Whether nothing but running jobs and promises keeps nodes from the job."""
        return not (self.blocks or self.held or self.preempts)

    def shaped(self, foresight: Foresight | None) -> Request:
        """Find out what the job has in common with others; returns the request."""
        self.count = 0 if self.preempts else self.where.min_nodes
        if self.plain and foresight is not None:
            self.shape = foresight.shape(self.test(self.where.bitmap))
            if self.shape is not None:
                self.asked = self.shape, self.where.bitmap, self.where.required
                self.alone = self.shape.size > 0
                self.count = self.shape.size or self.count
        return self

    def test(self, nodes: int, start: int = 0, until: int = 0) -> JobTest:
        """Return what to ask the select plugin about some nodes; see `JobTest` for the times."""
        found = self.where.question(self.entry.job, self.entry.partition, nodes)
        found.preemptee_candidates, found.exc_cores = self.preemptable, self.held_cpus(start)
        found.start, found.until = start, until
        found.most_cpus, found.amounts = self.most_cpus, False
        return found

    def held_cpus(self, start: int) -> Mapping[int, int]:
        """Return the CPUs that reservations hold of nodes while the job runs."""
        return self.held.between(start, start + self.seconds) if self.held else {}


class Requests:
    """The requests of a queue, each made once while nothing changes but what runs.

    They are not kept where reservations or complex attributes have a say, nor for jobs with licenses
    or those that may preempt others.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self.parameters = parameters = host.cluster.config.parameters
        self.exact = "bf_exact" in parameters
        self.margin = 0 if self.exact else 1  # seconds by which promises keep apart
        self.preempts = host.cluster.config.preempts
        self._match_extra = "bf_extra_constraints" in parameters
        self.state: tuple[int, ...] = ()
        self.passing = False  # whether one was asked for since the last renewal that does not stay as it is
        self.preempting = False  # whether one of these may end running jobs
        self._known: dict[int, tuple[Entry, Request | None]] = {}  # by the identity of the entry
        self.kept = False  # whether they are kept, as of the last reading
        self.foresight = host.select if isinstance(host.select, Foresight) else None

    def renew(self) -> None:
        """Forget what no longer holds; to be called before a cycle."""
        cluster = self._host.cluster
        changes = self.foresight.shape_changes if self.foresight else 0
        self.passing = self.preempting = False
        state = changes, cluster.layout_changes, cluster.epoch.get("accounting", 0) if self.preempts else 0
        self.kept = not (cluster.reservations or cluster.has_complexes)
        gone = len(self._known) > 2 * len(cluster.jobs) + 1000  # most are of jobs that wait no longer
        if state != self.state or not self.kept or gone:
            self.state = state
            self._known.clear()

    def read(self, queue: Sequence[Entry]) -> list[Request | None]:
        """Return the request of each entry of a queue as `of` does, or nothing but None if they are not kept."""
        if not self.kept:
            return [None] * len(queue)
        known = self._known
        return [known[id(entry)][1] if id(entry) in known else self._made(entry) for entry in queue]

    def of(self, entry: Entry) -> Request | None:
        """Return the request to the planner, ``None`` if too few nodes are up for the job or it waits for licenses."""
        known = self._known.get(id(entry))
        request = known[1] if known is not None else self._made(entry)
        if request is not None and request.preempts:
            request.preemptable = self._host.preemptable(entry.job, entry.partition)
        return request

    def _made(self, entry: Entry) -> Request | None:
        """Return a new request, which is kept if it stays as it is."""
        request = self._make(entry)
        preempts = request is not None and request.preempts
        if self.kept and not entry.job.request.takes_licenses and not preempts:
            self._known[id(entry)] = entry, request
        else:
            self.passing = True
            self.preempting |= preempts
        return request

    def seconds(self, entry: Entry) -> int:
        """Return how long to plan a job for: ``--time-min`` if it is given."""
        limit = self._host.time_limit(entry.job, entry.partition)
        shortest = entry.job.request.time_min
        return min(limit, shortest * 60) if shortest else limit

    def _make(self, entry: Entry) -> Request | None:
        host = self._host
        job, part = entry.job, entry.partition
        where = host.wanted(job, part, extra=self._match_extra)
        if where.bitmap.bit_count() < where.min_nodes or where.required & ~where.bitmap:
            return None
        if job.request.takes_licenses and not host.licensed(job):
            return None
        most_cpus = host.bounds(entry, where) if host.cluster.has_complexes else {}
        if most_cpus is None:
            return None
        request = Request(entry, where, self.seconds(entry) + self.margin, most_cpus=most_cpus)
        if host.cluster.reservations:
            request.blocks, request.held = host.blocks(job), host.held_cores(job)
        request.preempts = self.preempts and host.may_preempt(job, part)
        if host.cluster.accounting:
            request.least = host.least_priority(entry)
            request.reserves_nothing = has_flag(Book(host.cluster).qos(job.request.qos), "NoReserve")
        return request.shaped(self.foresight)

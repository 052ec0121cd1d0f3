"""The tally of what the jobs of each association, QOS, user and account use now; limits are compared with it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from slimsched.controller.accounts import limit_levels
from slimsched.controller.accounts.enforcement import enforced
from slimsched.controller.life import arrays
from slimsched.model.account import NORMAL, Book
from slimsched.model.record import Record
from slimsched.priority import tres
from slimsched.priority.usage import UsageLedger

if TYPE_CHECKING:
    from slimsched.controller.accounts.limit_levels import Level
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest
    from slimsched.select.api import Selection

Place = tuple[str, ...]
Amounts = dict[str, int]


class JobCounts(Record):
    """Jobs that run, tasks that have not ended, those of them whose age counts, and resources of the running ones."""

    running: int = 0
    accruing: int = 0
    submitted: int = 0
    amounts: Amounts = {}


class Counted(NamedTuple):
    """The counts of one job, and the places where it counts."""

    places: list[Place]
    running: bool
    accruing: int
    submitted: int
    amounts: Amounts


class Tally:
    """The use at each place: ``("assoc", KEY)``, ``("qos", Q)``, ``("user", Q, USER)``, ``("account", Q, ACCOUNT)``.

    It is counted once; later only jobs that changed are counted anew (`refresh`), as a pass asks after each start.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._changed = cluster.watch_jobs()
        self._mark: tuple[object, ...] = ()  # the records when all was counted
        self._instant: tuple[int, int] = (-1, 0)
        self.book = Book(cluster)
        self.refresh(cluster)

    def refresh(self, cluster: Cluster) -> None:
        """Bring the counts to the present."""
        also = {name: part.qos_name for name, part in cluster.partitions.items()}
        mark = also, cluster.epoch.get("accounting", 0), cluster.layout_changes  # of which some limits are a share
        if mark != self._mark:
            self._mark, self.also = mark, also
            self.book = Book(cluster)
            self.limits_accrual = self.book.limits_accrual
            self.places: dict[Place, JobCounts] = {}
            self._known: dict[Place, list[Place]] = {}
            self._counted: dict[int, Counted] = {}
            self._levels: dict[tuple[str | None, ...], list[Level]] = {}
            self._limiting: dict[tuple[str | None, ...], list[Level]] = {}
            self._changed.update(cluster.jobs)
        instant = cluster.now, len(cluster.dirty_accounting)
        if self._changed or instant != self._instant:
            self._instant = instant
            self.__dict__.pop("ledger", None)
        for job_id in self._changed:
            self._count(cluster, job_id)
        self._changed.clear()

    @cached_property
    def ledger(self) -> UsageLedger:
        """What was used so far, and what running jobs may use."""
        return UsageLedger(self.book.cluster)

    @cached_property
    def rules(self) -> frozenset[str]:
        """What ``AccountingStorageEnforce`` enforces."""
        return enforced(self.book.cluster.config)

    def levels(self, request: JobRequest, part: PartitionConf, user: str) -> list[Level]:
        """Return the records whose limits count for a job, the strongest first (`limit_levels.of`)."""
        asked = _asked(request, part, user)
        found = self._levels.get(asked)
        if found is None:
            found = self._levels[asked] = limit_levels.of(self.book, request, part, user)
        return found

    def limiting(self, request: JobRequest, part: PartitionConf, user: str) -> list[Level]:
        """Return those of `levels` that may keep the job from starting."""
        asked = _asked(request, part, user)
        found = self._limiting.get(asked)
        if found is None:
            levels = self.levels(request, part, user)
            found = self._limiting[asked] = [level for level in levels if level.limits_starts]
        return found

    def use(self, place: Place) -> JobCounts:
        """Return the use at a place."""
        return self.places.get(place) or JobCounts()

    def _count(self, cluster: Cluster, job_id: int) -> None:
        """Count a job as it is now instead of as it was."""
        before = self._counted.pop(job_id, None)
        if before is not None:
            self._add(before, -1)
        job = cluster.jobs.get(job_id)
        if job is not None and not job.finished:
            self._counted[job_id] = counted = self._as_it_is(job)
            self._add(counted, 1)

    def _as_it_is(self, job: Job) -> Counted:
        request = job.request
        partition = job.partition if job.active else request.partition.partition(",")[0]
        also = job.partition_qos if job.active else self.also.get(partition, "")
        names = (request.account, job.user_name, partition, request.qos, also)
        if names not in self._known:
            self._known[names] = places(self.book, *names)
        tasks = arrays.count(job.array_tasks) or 1
        at_once = 0 < job.eligible_time <= job.submit_time and not job.held and not self.limits_accrual
        accruing = tasks if job.pending and (job.accrue_time or at_once) else 0
        return Counted(self._known[names], job.active, accruing, tasks, tres.held(job) if job.active else {})

    def _add(self, job: Counted, sign: int) -> None:
        for place in job.places:
            use = self.places.setdefault(place, JobCounts())
            use.submitted += sign * job.submitted
            use.accruing += sign * job.accruing
            use.running += sign * job.running
            for name, amount in job.amounts.items():
                use.amounts[name] = use.amounts.get(name, 0) + sign * amount
            if not use.submitted:
                del self.places[place]


def _asked(request: JobRequest, part: PartitionConf, user: str) -> tuple[str | None, ...]:
    """Return what the limits of a job rest on."""
    return request.account, request.qos, user, part.partition_name, part.qos_name


def places(book: Book, account: str, user: str, partition: str, qos: str, also: str) -> list[Place]:
    """Return the places where a job counts: its association and those above it, its QOS, its partition's (``also``)."""
    account = account or book.default_account(user)
    found: list[Place] = [("assoc", key) for key, _ in book.line(account, user, partition)]
    for name in filter(None, dict.fromkeys((qos or NORMAL, also))):
        found += [("qos", name), ("user", name, user), ("account", name, account)]
    return found


def granted(cluster: Cluster, part: PartitionConf, selection: Selection) -> Amounts:
    """Return what a job would hold on the nodes selected for it, with what that is billed."""
    return tres.billed(cluster, part, tres.granted(selection.cpus, selection.memory, selection.gres))


def wanted(cluster: Cluster, part: PartitionConf | None, request: JobRequest) -> Amounts:
    """Return the least that a request asks for, with what that is billed, memory in MB."""
    return tres.billed(cluster, part, tres.wanted(request))


_TALLIES: WeakKeyDictionary[Cluster, Tally] = WeakKeyDictionary()


def of(cluster: Cluster) -> Tally:
    """Return the tally of this instant."""
    known = _TALLIES.get(cluster)
    if known is None:
        known = _TALLIES[cluster] = Tally(cluster)
    else:
        known.refresh(cluster)
    return known

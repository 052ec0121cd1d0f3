"""What the jobs of each association, QOS, user and account have at this instant: what limits are held against."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from slimsched.controller import arrays
from slimsched.model.account import NORMAL, Book
from slimsched.model.record import Record
from slimsched.priority.tres import gres
from slimsched.priority.usage import Ledger, held

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest
    from slimsched.select.api import Selection

Place = tuple[str, ...]
Amounts = dict[str, int]
COUNTERS = ("jobs_submitted", "jobs_started", "jobs_completed", "jobs_canceled", "jobs_failed")


class Use(Record):
    """Jobs that run, tasks that have not ended, those of them whose age counts, and resources of the running ones."""

    running: int = 0
    accruing: int = 0
    submitted: int = 0
    amounts: Amounts = {}


class Tally:
    """The use at each place: ``("assoc", KEY)``, ``("qos", Q)``, ``("user", Q, USER)``, ``("account", Q, ACCOUNT)``."""

    def __init__(self, cluster: Cluster) -> None:
        self.book = Book(cluster)
        self.places: dict[Place, Use] = {}
        self.also = {name: part.qos for name, part in cluster.partitions.items() if part.qos != "N/A"}
        self._known: dict[Place, list[Place]] = {}
        for job in cluster.jobs.values():
            if not job.finished:
                self._add(job)

    @cached_property
    def ledger(self) -> Ledger:
        """What was used so far, and what running jobs may use."""
        return Ledger(self.book.cluster)

    @cached_property
    def rules(self) -> set[str]:
        """What ``AccountingStorageEnforce`` enforces."""
        from slimsched.controller.limits_assoc import enforced

        return enforced(self.book.cluster.config)

    def use(self, place: Place) -> Use:
        """Return the use at a place."""
        return self.places.get(place) or Use()

    def _add(self, job: Job) -> None:
        request = job.request
        partition = job.partition if job.active else request.partition.partition(",")[0]
        names = (request.account, job.user_name, partition, request.qos)
        if names not in self._known:
            self._known[names] = places(self.book, *names, self.also.get(partition, ""))
        had = held(job) if job.active else {}
        tasks = arrays.count(job.array_tasks) or 1
        for place in self._known[names]:
            use = self.places.setdefault(place, Use())
            use.submitted += tasks
            use.accruing += tasks if job.pending and job.accrue_time else 0
            use.running += job.active
            for name, amount in had.items():
                use.amounts[name] = use.amounts.get(name, 0) + amount


def places(book: Book, account: str, user: str, partition: str, qos: str, also: str) -> list[Place]:
    """Return the places where a job counts: its association and those above it, its QOS, its partition's (``also``)."""
    account = account or book.default_account(user)
    found: list[Place] = [("assoc", key) for key, _ in book.line(account, user, partition)]
    for name in filter(None, dict.fromkeys((qos or NORMAL, also))):
        found += [("qos", name), ("user", name, user), ("account", name, account)]
    return found


def granted(job: Job, selection: Selection) -> Amounts:
    """Return what a job would hold on the nodes selected for it."""
    cpus, nodes = sum(selection.cpus), len(selection.cpus)
    return {"cpu": cpus, "mem": sum(selection.memory), "node": nodes, **_gres(job.request, nodes)}


def wanted(request: JobRequest) -> Amounts:
    """Return what a request asks for at least, memory in MB."""
    nodes = request.min_nodes or 1
    cpus = max(nodes, (request.num_tasks or nodes) * (request.cpus_per_task or 1))
    memory = (request.mem_per_node or 0) * nodes or (request.mem_per_cpu or 0) * cpus
    return {"cpu": cpus, "mem": memory, "node": nodes, **_gres(request, nodes)}


def _gres(request: JobRequest, nodes: int) -> Amounts:
    return {name: count * nodes for name, count in gres(request.gres).items()}


_TALLIES: WeakKeyDictionary[Cluster, tuple[tuple[int, ...], Tally]] = WeakKeyDictionary()


def of(cluster: Cluster) -> Tally:
    """Return the tally of this instant; it is made anew when a job has come, started, gone or been requeued."""
    counted = tuple(cluster.statistics.get(name, 0) for name in COUNTERS)
    mark = (cluster.now, len(cluster.jobs), len(cluster.events), len(cluster.dirty_accounting), *counted)
    known = _TALLIES.get(cluster)
    if known is None or known[0] != mark:
        known = _TALLIES[cluster] = mark, Tally(cluster)
    return known[1]

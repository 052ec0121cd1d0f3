"""The hours of a cluster as slurmdbd sums them up: allocated, down, down as planned, wanted by waiting jobs, idle.

In an hour that is overbooked down time gives way to allocated time, then planned down time, then what jobs waited for.
Source: accounting_storage/mysql, "as_mysql_hourly_rollup".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.resources import capacity
from slimsched.render.accounts.sreport import HOUR, Whole
from slimsched.render.accounts.sreport_sums import held

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.reservation import Reservation
    from slimsched.render.accounts.events import Event
    from slimsched.render.accounts.sreport import Asked


MAINT, IGNORES = "MAINT", "IGNORE_JOBS"


class Became(Enum):
    """What became of the time of a resource; what is left is idle."""

    ALLOCATED = auto()
    DOWN = auto()
    PLANNED_DOWN = auto()
    PLANNED = auto()


class _Ledger:
    """The seconds of each resource in each hour of a period, by what became of them."""

    def __init__(self, start: int, end: int, resources: Iterable[str]) -> None:
        self.start, self.end = start, end
        self.resources = tuple(resources)
        self.hours: dict[str, dict[int, dict[Became, int]]] = {
            name: defaultdict(lambda: dict.fromkeys(Became, 0)) for name in self.resources
        }

    def book(self, became: Became, start: int, end: int, has: dict[str, int]) -> None:
        """Book the time between two instants, as far as it lies in the period."""
        for hour, seconds in self._hours(start, end):
            for name in self.resources:
                if has.get(name):
                    self.hours[name][hour][became] += seconds * has[name]

    def _hours(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the hours between two instants and how many seconds of each lie between them."""
        start, end = max(start, self.start), min(end, self.end)
        while start < end:
            hour = start - start % HOUR
            yield hour, min(end, hour + HOUR) - start
            start = hour + HOUR

    def total(self, name: str, count: int) -> dict[Became, int]:
        """Return the sums of a resource that the cluster has ``count`` of."""
        sums = dict.fromkeys(Became, 0)
        for hour, booked in self.hours[name].items():
            left = count * (min(self.end, hour + HOUR) - max(self.start, hour))
            for became in Became:
                granted = min(booked[became], left)
                sums[became] += granted
                left -= granted
        return sums


def utilization(cluster: Cluster, jobs: Iterable[Job], asked: Asked, away: Iterable[Event]) -> list[Whole]:
    """Return a row for each resource, none for a period before the cluster was made. ``away``: the nodes' events."""
    period = asked.hours(cluster)
    if period.end <= period.start:
        return []
    ledger = _Ledger(period.start, period.end, asked.resources)
    reserved = [each for each in cluster.reservations.values() if IGNORES not in each.flags]
    for job in jobs:
        _book_job(ledger, cluster, job, {each.name for each in reserved})
    for event in away:
        if event.node:
            _book_event(ledger, cluster, event, reserved)
    for resv in reserved:
        _book_reservation(ledger, cluster, resv)
    there = capacity(cluster.nodes)
    return [_row(cluster, asked, name, there.get(name, 0), ledger) for name in asked.resources]


def _row(cluster: Cluster, asked: Asked, name: str, count: int, ledger: _Ledger) -> Whole:
    sums = ledger.total(name, count)
    return Whole(
        cluster.config.get("ClusterName"),
        name,
        sums[Became.ALLOCATED],
        sums[Became.DOWN],
        sums[Became.PLANNED_DOWN],
        sums[Became.PLANNED],
        count * (ledger.end - ledger.start),
        asked.unit,
        count * (asked.end - asked.start),
    )


def _book_job(ledger: _Ledger, cluster: Cluster, job: Job, reserved: set[str]) -> None:
    """Book what a job held and, before that, the CPUs that it waited for; in a reservation its nodes count, not it."""
    if job.resv_name in reserved:
        return
    end = job.end_time if job.finished else cluster.now
    began = bool(job.nodes and job.start_time)
    if began:
        ledger.book(Became.ALLOCATED, job.start_time, end, {name: held(job, name) for name in ledger.resources})
    if job.eligible_time:
        waited = {"cpu": _wanted(cluster, job)}
        ledger.book(Became.PLANNED, job.eligible_time, job.start_time if began else end, waited)


def _wanted(cluster: Cluster, job: Job) -> int:
    """Return the CPUs that a job asks for, all tasks of an array together."""
    from slimsched.render.jobs.job_size import Sized
    from slimsched.text.idset import decode

    return Sized(job, cluster).requested_cpus * (len(decode(job.array_tasks)) if job.array_tasks else 1)


def _book_event(ledger: _Ledger, cluster: Cluster, event: Event, reserved: list[Reservation]) -> None:
    """Book the time in which a node took no jobs: what lies in a reservation is not the reservation's, too."""
    index = cluster.node_index.get(event.node)
    if index is None:
        return
    has = capacity([cluster.nodes[index]])
    end = event.end or cluster.now
    ledger.book(Became.DOWN, event.start, end, has)
    for resv in reserved:
        if cluster.bitmap_of(resv.nodes) >> index & 1:
            first, last = max(resv.start_time, event.start), min(resv.end_time, end)
            twice = Became.DOWN if MAINT in resv.flags else Became.ALLOCATED
            ledger.book(twice, first, last, {name: -count for name, count in has.items()})


def _book_reservation(ledger: _Ledger, cluster: Cluster, resv: Reservation) -> None:
    """Book the time of a reservation: nobody else could have its nodes."""
    nodes = [cluster.nodes[i] for i in iterate(cluster.bitmap_of(resv.nodes))]
    has = capacity(nodes) | ({"cpu": resv.core_cnt} if resv.cores else {})
    became = Became.PLANNED_DOWN if MAINT in resv.flags else Became.ALLOCATED
    ledger.book(became, resv.start_time, min(resv.end_time, cluster.now), has)

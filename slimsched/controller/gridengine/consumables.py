"""Consumable complex attributes in scheduling: what running jobs have booked, and what that leaves to another.

What is left bounds the CPUs that a job may have of each node, as free memory does, so that its slots are spread to
fit. A job for which too little is left waits for "Licenses", as it would in Slurm; it holds up nobody else. What is
booked follows from the running jobs, so nothing of it is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import Never, NotNow, SyntaxFault
from slimsched.model import bitmap
from slimsched.select.questions import answer
from slimsched.select.records import Mode
from slimsched.slurm import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.constraints.complexes.booking import Bookings, Demand, Placement
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.records import JobTest, Selection

CHANGED = "complexes"
"""Counts changes of definitions and configured values; 0 is a cluster that never had any of its own."""

LEVELS = ("complexes-global", "complexes-host", "complexes-queue")
"""The counters of changes in what each level offers, load values included."""


def place(ctl: Controller, test: JobTest) -> Selection:
    """Let the select plugin place a job where its consumables are left, with as many slots on a node as they allow.

    Raises `NotNow` and `Never` as the plugin does; `NotNow` (LICENSES) for want of a consumable. The question is
    narrowed as needed: most jobs fit where the plugin would put them anyway.
    """
    books = ledger(ctl)
    if books is None:
        return ctl.select.job_test(test, Mode.RUN_NOW)
    wanted, bounded, full = demands(ctl.cluster, test.job), False, test.bitmap
    while True:
        try:
            selection = ctl.select.job_test(test, Mode.RUN_NOW)
        except (NotNow, Never):
            if test.bitmap != full or (wanted and bounds(ctl, test) is None):
                raise NotNow(reasons.LICENSES) from None
            raise
        obstacle = books.obstacle(wanted, placement(ctl.cluster, test.partition, selection.bitmap, selection.cpus))
        if obstacle is None:
            return selection
        if obstacle.spot is not None and obstacle.spot.level == "global":
            raise NotNow(reasons.LICENSES)
        if not bounded:
            test.most_cpus, bounded = _most_cpus(ctl.cluster, books, wanted, test), True
        else:  # the master's place, or a plugin that ignores bounds
            test.bitmap &= ~(1 << ctl.cluster.node_index[obstacle.place.host])


def bounds(ctl: Controller, test: JobTest, books: Bookings | None = None) -> Mapping[int, int] | None:
    """Return the CPUs that a job may have of each node (of those not named: all), ``None`` if it lacks a consumable.

    It lacks one if it could not start even if nothing but its consumables were in use. ``books``: if not the present
    ones.
    """
    books = books or ledger(ctl)
    wanted = demands(ctl.cluster, test.job) if books is not None else []
    if books is None or not wanted:
        return {}
    from copy import copy

    trial = copy(test)
    trial.most_cpus = _most_cpus(ctl.cluster, books, wanted, test)
    selection = answer(ctl.select, trial, Mode.TEST_ONLY)
    if selection is None:
        return None if trial.most_cpus else {}  # without bounds the plugin itself refuses
    placed = placement(ctl.cluster, test.partition, selection.bitmap, selection.cpus)
    obstacle = books.obstacle(wanted, placed)
    short = obstacle is not None and obstacle.spot is not None and obstacle.spot.level == "global"
    return None if short else trial.most_cpus


def _most_cpus(cluster: Cluster, books: Bookings, wanted: list[Demand], test: JobTest) -> dict[int, int]:
    """Return how many CPUs of the job consumables leave on the nodes of its partition, where these are not all."""
    from slimsched.constraints.complexes.booking import Place

    offered = tuple(cluster.epoch.get(name, 0) for name in ("nodes", "partitions", *LEVELS))
    key = tuple(wanted), test.partition, test.max_nodes == 1, offered
    known = books.kept.get(key)
    if known is not None:
        return known
    found: dict[int, int] = {}
    master = False  # whether a node so far could have the job's first task
    for index in bitmap.iterate(cluster.partition_bitmap(test.partition)):
        node = cluster.nodes[index]
        where = Place(test.partition, node.name)
        most = books.most_slots(wanted, where)
        takes_master = books.takes_master(wanted, where)
        master = takes_master if test.max_nodes == 1 else master or takes_master
        if not master:  # the first of a job's nodes has its master
            most = 0
        if most < node.cpus:
            found[index] = most
    books.kept[key] = found
    return found


def shortage(ctl: Controller, test: JobTest) -> str:
    """Say which consumable keeps a job from the nodes that the select plugin would give it, "" if none does."""
    books = ledger(ctl)
    selection = answer(ctl.select, test, Mode.RUN_NOW)
    if selection is None:
        return ""
    placed = placement(ctl.cluster, test.partition, selection.bitmap, selection.cpus)
    obstacle = books.obstacle(demands(ctl.cluster, test.job), placed) if books is not None else None
    return obstacle.words if obstacle is not None else ""


def fits(ctl: Controller, test: JobTest, selection: Selection) -> bool:
    """Whether a selection has its consumables once the jobs that it preempts have given theirs back."""
    books = ledger(ctl)
    if books is None:
        return True
    for job in selection.preempted:
        books.release(job.job_id)
    try:
        placed = placement(ctl.cluster, test.partition, selection.bitmap, selection.cpus)
        return books.obstacle(demands(ctl.cluster, test.job), placed) is None
    finally:
        for job in selection.preempted:
            begin(ctl, job)


def placement(cluster: Cluster, partition: str, mask: int, cpus: list[int]) -> Placement:
    """Return the slots of a job's CPUs on its nodes; the master is on the first node, where the batch script runs."""
    from slimsched.constraints.complexes.booking import Place, Placement

    chosen = [cluster.nodes[i] for i in bitmap.iterate(mask)]
    counts = cpus or [node.cpus for node in chosen]
    slots = {Place(partition, node.name): count for node, count in zip(chosen, counts, strict=True)}
    return Placement(slots, next(iter(slots)))


def demands(cluster: Cluster, job: Job) -> list[Demand]:
    """Return what a job takes of consumables."""
    from slimsched.constraints.complexes import booking, places, request

    catalog = places.catalog_of(cluster)
    try:
        return booking.demands(request.read(job.request.hard_resources, catalog), catalog)
    except SyntaxFault:  # as in `complexes.nodes`
        return []


def ledger(ctl: Controller) -> Bookings | None:
    """Return what the running jobs have booked, None where nothing can be."""
    if not ctl.cluster.has_complexes:
        return None
    if ctl.bookings is None:
        ctl.bookings = booked(ctl.cluster)
    return ctl.bookings


def booked(cluster: Cluster, by: int | None = None) -> Bookings:
    """Return what the running jobs have booked; ``by``: those that outlast an instant, in seconds since 1970."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.complexes.booking import Bookings

    books = Bookings(places.catalog_of(cluster), places.booked_from(cluster))
    for job in cluster.begun():
        if job.active and (by is None or not job.end_time or job.end_time > by):
            _book(books, cluster, job)
    return books


def _book(books: Bookings, cluster: Cluster, job: Job) -> None:
    placed = placement(cluster, job.partition, cluster.bitmap_of(job.nodes), job.cpus)
    books.book(job.job_id, demands(cluster, job), placed)


def begin(ctl: Controller, job: Job) -> None:
    """Book what a job takes when it gets its nodes."""
    if ctl.bookings is not None:
        _book(ctl.bookings, ctl.cluster, job)


def finish(ctl: Controller, job: Job) -> None:
    """Give back what a job has booked."""
    if ctl.bookings is not None:
        ctl.bookings.release(job.job_id)

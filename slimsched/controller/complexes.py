"""Grid Engine's complex attributes in scheduling: nodes that serve a request, what running jobs have booked.

A consumable that is short makes a job wait for "Licenses", as it would in Slurm; it holds up nobody else. What is
booked follows from the running jobs, so nothing of it is stored.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.errors import Never, NotNow, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.select.records import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.constraints.complexes.booking import Demand, Ledger, Placement
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest
    from slimsched.select.records import JobTest, Selection

CHANGED = "complexes"
"""Counts changes of definitions and configured values; 0 is a cluster that never had any of its own."""

SHORT = "Licenses"
"""Reason of a job that waits for a consumable."""


def concern(cluster: Cluster, request: JobRequest) -> bool:
    """Whether complex attributes matter to a job: it asks for some, or the cluster has some that it cannot avoid."""
    return bool(request.hard_resources or request.soft_resources or _own(cluster))


def _own(cluster: Cluster) -> bool:
    """Whether a cluster has anything of its own to offer, by command or from its configuration."""
    return bool(cluster.epoch.get(CHANGED)) or any(part.complexes for part in cluster.partitions.values())


def check(cluster: Cluster, request: JobRequest) -> None:
    """Refuse requests that are wrong, in Grid Engine's words. Raises `UserError`."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.complexes import request as reader

    catalog = places.catalog_of(cluster)
    try:
        reader.read(request.hard_resources, catalog)
        reader.read(request.soft_resources, catalog, soft=True)
    except SyntaxFault as fault:
        raise UserError(fault.message, notes=fault.lines()[:2]) from None


def nodes(cluster: Cluster, request: JobRequest, partition: str) -> int:
    """Return the nodes that satisfy a job's hard requests through a partition, whatever is booked."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.evaluate import matching

    try:
        return matching(cluster, places.hard(cluster, request.hard_resources, partition, parallel=is_parallel(request)))
    except SyntaxFault:  # an attribute that the job asks for was deleted or redefined since
        return 0


def is_parallel(request: JobRequest) -> bool:
    """Whether a job has more than one slot."""
    return max(request.num_tasks or 1, request.min_nodes or 1) * (request.cpus_per_task or 1) > 1


def job_test(ctl: Controller, test: JobTest) -> Selection:
    """Let the select plugin place a job where it fits: on the nodes with the fewest soft violations, as booked now.

    Raises `NotNow` and `Never` as the plugin does; ``NotNow("Licenses")`` for want of a consumable.
    """
    if not concern(ctl.cluster, test.job.request):
        return ctl.select.job_test(test, Mode.RUN_NOW)
    refusal: NotNow | Never = NotNow()
    for allowed in _preferred(ctl.cluster, test):
        tried = copy.copy(test)
        tried.bitmap = allowed
        try:
            return _unbooked(ctl, tried)
        except (NotNow, Never) as found:
            refusal = found
    raise refusal


def _preferred(cluster: Cluster, test: JobTest) -> Iterator[int]:
    """Yield ever larger sets of a job's candidates, by their number of violated soft requests."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.evaluate import matching

    texts = test.job.request.soft_resources
    exactly = [test.bitmap]  # [n]: nodes with n violations
    for violation in places.soft(cluster, texts, test.partition) if texts else ():
        mask = matching(cluster, violation)
        worse = [have & mask for have in exactly]
        exactly = [have & ~mask | more for have, more in zip([*exactly, 0], [0, *worse], strict=True)]
    allowed = 0
    for more in exactly:
        if more:
            allowed |= more
            yield allowed
    if not allowed:
        yield 0


def _unbooked(ctl: Controller, test: JobTest) -> Selection:
    """Place a job outside of the nodes whose consumables are too short for it."""
    books = ledger(ctl)
    wanted = demands(ctl.cluster, test.job) if books is not None else []
    full = test.bitmap
    while True:
        try:
            selection = ctl.select.job_test(test, Mode.RUN_NOW)
        except (NotNow, Never):
            if test.bitmap == full:
                raise
            raise NotNow(SHORT) from None
        placed = placement(ctl.cluster, test.partition, selection.bitmap, selection.cpus)
        obstacle = books.obstacle(wanted, placed) if books is not None else None
        if books is None or obstacle is None:
            return selection
        if obstacle.spot is not None and obstacle.spot.level == "global":
            raise NotNow(SHORT)
        test.bitmap &= ~(1 << ctl.cluster.node_index[obstacle.place.host])
        test.bitmap &= _roomy(ctl.cluster, books, wanted, test, min(placed.slots.values()))


def shortage(ctl: Controller, test: JobTest) -> str:
    """Say which consumable keeps a job from the nodes that the select plugin would give it, "" if none does."""
    books = ledger(ctl)
    try:
        selection = ctl.select.job_test(test, Mode.RUN_NOW)
    except (NotNow, Never):
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


def _roomy(cluster: Cluster, books: Ledger, wanted: list[Demand], test: JobTest, slots: int) -> int:
    """Return the nodes that have room for some slots each, were the job on that node alone."""
    return bitmap.of(
        i
        for i in bitmap.iterate(test.bitmap)
        if books.obstacle(wanted, placement(cluster, test.partition, 1 << i, [slots])) is None
    )


def placement(cluster: Cluster, partition: str, mask: int, cpus: list[int]) -> Placement:
    """Return the slots that CPUs on nodes are; the master runs where the batch script does, on the first."""
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
    except SyntaxFault:  # as in `nodes`
        return []


def ledger(ctl: Controller) -> Ledger | None:
    """Return what the running jobs have booked, None where nothing can be."""
    if not _own(ctl.cluster):
        return None
    if ctl.bookings is None:
        from slimsched.constraints.complexes import places
        from slimsched.constraints.complexes.booking import Ledger

        ctl.bookings = Ledger(places.catalog_of(ctl.cluster), places.booked_from(ctl.cluster))
        for job in ctl.cluster.jobs.values():
            if job.active:
                begin(ctl, job)
    return ctl.bookings


def begin(ctl: Controller, job: Job) -> None:
    """Book what a job takes that has just got its nodes."""
    if ctl.bookings is not None:
        mask = ctl.cluster.bitmap_of(job.nodes)
        ctl.bookings.book(job.job_id, demands(ctl.cluster, job), placement(ctl.cluster, job.partition, mask, job.cpus))


def finish(ctl: Controller, job: Job) -> None:
    """Give back what a job has booked."""
    if ctl.bookings is not None:
        ctl.bookings.release(job.job_id)


def changed(ctl: Controller) -> None:
    """Note that definitions or values changed: every answer about them is void, and jobs may start."""
    ctl.cluster.changed(CHANGED, "complexes-global", "complexes-host", "complexes-queue")
    ctl.cluster.pass_due = True
    ctl.bookings = None

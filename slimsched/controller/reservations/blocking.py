"""Advance reservations, as a job meets them: which nodes are kept from it, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model import bitmap
from slimsched.sched.api import Block, Held

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.reservation import Reservation

MAINT = "MAINT"
ANYWHERE = "ANY_NODES"


def blocks(cluster: Cluster, job: Job) -> list[Block]:
    """Return what reservations keep from a job; only maintenance keeps anything from a job in a reservation."""
    mine = names(job)
    roams = not mine or any(ANYWHERE in resv.flags for resv in _own(cluster, job))
    return [
        Block(r.start_time, r.end_time, cluster.bitmap_of(r.nodes), MAINT in r.flags)
        for r in cluster.reservations.values()
        if r.name not in mine and r.end_time > cluster.now and r.nodes and not r.cores and (roams or MAINT in r.flags)
    ]


def holder(cluster: Cluster, job: Job) -> Held | None:
    """Return the CPUs of nodes that reservations keep from a job; ``None`` if they hold whole nodes only."""
    ends = tuple(resv.end_time for resv in cluster.reservations.values() if resv.cores)
    return Held(ends, lambda start, end: held_cores(cluster, job, start, end)) if ends else None


def held_cores(cluster: Cluster, job: Job, start: int, end: int) -> dict[int, int]:
    """Return the CPUs that a job cannot have of nodes from ``start`` to ``end``, as reservations hold part of them.

    A job of the reservation gets those CPUs, any other job the rest of them; CPUs that jobs of the other kind
    already have are not counted twice.
    """
    mine = names(job)
    found: dict[int, int] = {}
    for resv in cluster.reservations.values():
        if not resv.cores or resv.start_time >= end or resv.end_time <= start:
            continue
        inside = resv.name in mine
        for name, cpus in resv.cores.items():
            node = cluster.nodes[cluster.node_index[name]]
            kept = node.cpus - cpus if inside else cpus
            kept -= _taken_by(cluster, resv.name, node.index, inside=not inside)
            found[node.index] = found.get(node.index, 0) + max(0, kept)
    return found


def _taken_by(cluster: Cluster, reservation: str, index: int, *, inside: bool) -> int:
    """Return the CPUs of a node that jobs of a reservation have, or (``inside`` false) all other jobs."""
    cpus = 0
    for job in cluster.begun():
        if job.active and (job.resv_name == reservation) is inside:
            mask = cluster.bitmap_of(job.nodes)
            if mask >> index & 1:
                cpus += job.cpus[(mask & ((1 << index) - 1)).bit_count()]
    return cpus


def taken(found: list[Block], start: int, end: int) -> tuple[int, bool]:
    """Return the nodes that are kept at any time from ``start`` to ``end``, and whether maintenance keeps some."""
    nodes, maint = 0, False
    for block in found:
        if block.start < end and block.end > start:
            nodes |= block.nodes
            maint = maint or block.maint
    return nodes, maint


def kept(cluster: Cluster, job: Job, seconds: int) -> tuple[int, bool]:
    """Return the nodes that reservations keep from a job of so many seconds now, and whether for maintenance."""
    return taken(blocks(cluster, job), cluster.now, cluster.now + seconds)


def names(job: Job) -> list[str]:
    """Return the reservations that a job asked to run in."""
    return job.request.reservation.split(",") if job.request.reservation else []


def inside(cluster: Cluster, job: Job) -> int:
    """Return the nodes of a job's own reservations that are open now."""
    return _places(cluster, [resv for resv in _own(cluster, job) if _open(resv, cluster.now)])


def own_nodes(cluster: Cluster, job: Job) -> int:
    """Return the nodes of a job's own reservations: of those that are open or, as long as none is, of all."""
    return inside(cluster, job) or _places(cluster, _own(cluster, job))


def _places(cluster: Cluster, found: list[Reservation]) -> int:
    nodes = 0
    for resv in found:
        nodes |= place(cluster, resv)
    return nodes


def place(cluster: Cluster, resv: Reservation) -> int:
    """Return the nodes that jobs of a reservation may have: its own, or (``ANY_NODES``) whatever nobody reserved."""
    return bitmap.full(len(cluster.nodes)) if ANYWHERE in resv.flags else cluster.bitmap_of(resv.nodes)


def opens(cluster: Cluster, job: Job) -> int:
    """Return the instant from which one of a job's own reservations can be used, 0 if all are gone."""
    return min((cluster.now if _open(r, cluster.now) else r.start_time for r in _own(cluster, job)), default=0)


def _own(cluster: Cluster, job: Job) -> list[Reservation]:
    return [r for name in names(job) if (r := cluster.reservations.get(name)) and r.end_time > cluster.now]


def _open(resv: Reservation, now: int) -> bool:
    return resv.start_time <= now or "FLEX" in resv.flags

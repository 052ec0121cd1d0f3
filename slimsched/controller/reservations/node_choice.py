"""The choice of nodes for a reservation, and of others in place of nodes that fail it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.reservations import times
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.reservation import Reservation

OVERLAP = frozenset({"OVERLAP"})
MAY_MEET = frozenset({"MAINT", "OVERLAP"})  # reservations with one of these share nodes with any other
KEPT = frozenset({"SPEC_NODES", "STATIC_ALLOC", "MAINT"})
"""Flags of reservations that keep their nodes in any state."""


def put(cluster: Cluster, resv: Reservation, nodes: int) -> None:
    """Give a reservation its nodes, and the counts that follow from them."""
    resv.nodes, resv.node_cnt = cluster.hostlist_of(nodes), nodes.bit_count()
    chosen = [cluster.nodes[i] for i in bitmap.iterate(nodes)]
    cpus = [resv.cores.get(node.name, node.cpus) for node in chosen]
    resv.core_cnt = sum(count // node.threads_per_core for node, count in zip(chosen, cpus, strict=True))
    resv.tres = f"cpu={sum(cpus)}" if chosen else ""


def busy(cluster: Cluster, resv: Reservation) -> int:
    """Return the nodes on which jobs will still run when the reservation begins, unless it ignores jobs."""
    if "IGNORE_JOBS" in resv.flags:
        return 0
    nodes = 0
    for job in cluster.jobs.values():
        inside = resv.name and resv.name in job.request.reservation.split(",")
        if job.active and not inside and (not job.end_time or job.end_time > resv.start_time):
            nodes |= cluster.bitmap_of(job.nodes)
    return nodes


def still_running(cluster: Cluster, nodes: int) -> str:
    """Return the note on nodes that a reservation cannot have because of jobs."""
    return f"jobs on {cluster.hostlist_of(nodes)} may still run then; flags=ignore_jobs reserves them all the same"


def met(cluster: Cluster, resv: Reservation) -> int:
    """Return the nodes that other reservations hold at any time of this one, if that matters to it and to them."""
    return 0 if MAY_MEET.intersection(resv.flags) else held(cluster, resv, MAY_MEET)


def held(cluster: Cluster, resv: Reservation, passed_over: frozenset[str] = frozenset()) -> int:
    """Return the nodes of other reservations at any time of this one, except those with certain flags."""
    nodes = 0
    for other in cluster.reservations.values():
        if other.name == resv.name or passed_over.intersection(other.flags):
            continue
        if times.meet(resv, other, cluster.now):
            nodes |= cluster.bitmap_of(other.nodes)
    return nodes


def choose(ctl: Controller, resv: Reservation, count: int, but_for: int = 0) -> tuple[int, dict[int, int]]:
    """Return ``count`` nodes of the partition of a reservation, none of ``but_for``, and the CPUs of each if some only.

    Nodes in service that nobody has reserved come first; the select plugin chooses. Raises `SlurmError`.
    """
    taken = busy(ctl.cluster, resv) | but_for
    free = next((free for nodes in _choices(ctl, resv) if (free := nodes & ~taken).bit_count() >= count), None)
    if free is None:
        held = busy(ctl.cluster, resv)
        raise SlurmError(Errno.NODES_BUSY, notes=(still_running(ctl.cluster, held),) if held else ())
    return ask(ctl, resv, count, free)


def ask(ctl: Controller, resv: Reservation, count: int, free: int) -> tuple[int, dict[int, int]]:
    """Let the select plugin choose among ``free`` nodes; as `choose`. Raises `SlurmError` if none of them will do."""
    cores: dict[int, int] = {}
    chosen = ctl.select.resv_test(resv, count, free, cores)
    if chosen is None:
        raise SlurmError(Errno.NODES_BUSY)
    return chosen, cores


def _choices(ctl: Controller, resv: Reservation) -> Iterator[int]:
    """Yield growing sets of nodes to choose from; only ``MAINT`` may use drained nodes, and at last down ones."""
    cluster = ctl.cluster
    nodes = cluster.partition_bitmap(resv.partition) if resv.partition else 0
    if resv.features:
        from slimsched.constraints import slurm_features
        from slimsched.constraints.evaluate import matching

        nodes &= matching(cluster, slurm_features.parse(resv.features))
    in_service = nodes & ctl.sets.up
    yield in_service & ~held(cluster, resv)
    yield in_service & ~held(cluster, resv, OVERLAP)
    if MAY_MEET.intersection(resv.flags):
        yield in_service
    if "MAINT" in resv.flags:
        yield nodes & ~ctl.sets.down
        yield nodes


def resized(ctl: Controller, resv: Reservation, count: int) -> int:
    """Return the nodes of a reservation of another size: its idle ones go first, the lowest of them ahead.

    Raises `SlurmError` if it cannot grow so much.
    """
    have = ctl.cluster.bitmap_of(resv.nodes)
    surplus = have.bit_count() - count
    if surplus < 0:
        return have | choose(ctl, resv, -surplus, have)[0]
    idle = have & ~with_jobs(ctl.cluster)
    if idle.bit_count() > surplus:
        return have & ~bitmap.lowest(idle, surplus)
    return bitmap.lowest(have & ~idle, count) if surplus else have


def replace(ctl: Controller) -> None:
    """Replace nodes that are out of service in reservations that were made by a count of nodes.

    ``REPLACE`` gives back nodes that jobs have taken as well. A reservation keeps what cannot be replaced at present.
    """
    cluster = ctl.cluster
    for resv in cluster.reservations.values():
        fixed = KEPT.intersection(resv.flags) or (resv.cores and resv.node_cnt > 1)
        if resv.nodes and resv.partition and resv.end_time >= cluster.now and not fixed:
            _replace(ctl, resv)


def _replace(ctl: Controller, resv: Reservation) -> None:
    cluster = ctl.cluster
    now = cluster.bitmap_of(resv.nodes)
    good = now & ctl.sets.up & cluster.partition_bitmap(resv.partition)
    if "REPLACE" in resv.flags:
        good &= ~with_jobs(cluster)
    missing = resv.node_cnt - good.bit_count()
    asked = copy.copy(resv)
    asked.core_cnt = resv.core_cnt if resv.cores else 0
    while missing:
        try:
            new, cores = choose(ctl, asked, missing, now)
        except SlurmError:
            missing //= 2
            continue
        rest = bitmap.lowest(now & ~good, resv.node_cnt - good.bit_count() - missing)
        resv.cores = {cluster.nodes[node].name: cpus for node, cpus in cores.items()}
        put(cluster, resv, good | new | rest)
        cluster.dirty_reservations.add(resv.name)
        cluster.changed("reservations")
        cluster.record("reservation-update", reservation=resv.name, nodes=resv.nodes)
        return


def with_jobs(cluster: Cluster) -> int:
    """Return the nodes that jobs hold."""
    nodes = 0
    for job in cluster.jobs.values():
        if job.active:
            nodes |= cluster.bitmap_of(job.nodes)
    return nodes

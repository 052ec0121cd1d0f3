"""``scontrol create``, ``update`` and ``delete`` of reservations: which nodes they get, and what they may not meet."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller import checks
from slimsched.controller.reservation_fields import FLAGS, Draft, read
from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError
from slimsched.model import bitmap
from slimsched.model.reservation import Reservation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.update_job import Assignment
    from slimsched.controller.users import User
    from slimsched.model.cluster import Cluster

MAY_MEET = frozenset({"MAINT", "OVERLAP"})  # reservations with one of these share nodes with any other
PERIODS = {"HOURLY": 3600, "DAILY": 86400, "WEEKLY": 7 * 86400, "WEEKDAY": 86400, "WEEKEND": 86400}
MOST_LATE = 600
"""Seconds that a reservation's start may lie back when it is made."""

HORIZON = 8 * 86400
"""How far a recurring reservation is looked ahead for meetings, in seconds."""

CREATED, UPDATED = "No reservation created.", "No reservation update."


def create(ctl: Controller, name: str, assignments: Sequence[Assignment], user: User) -> str:
    """Make a reservation and return its name. Raises `UserError` for the command, `SlurmError` for the controller."""
    cluster = ctl.cluster
    draft = Draft(cluster, Reservation(name=name), CREATED)
    read(draft, assignments)
    resv = draft.resv
    _check_command(draft)
    if name in cluster.reservations:
        raise SlurmError(Errno.RESERVATION_NAME_DUP)
    if resv.start_time < cluster.now - MOST_LATE:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    _complete(ctl, draft)
    if not resv.name:
        resv.name = _free_name(cluster, _owner(resv))
    _keep(ctl, resv, "create")
    return resv.name


def _check_command(draft: Draft) -> None:
    """Refuse a creation that lacks something or contradicts itself; note that a whole partition is meant."""
    resv = draft.resv
    if not draft.start_given:
        raise draft.error("A start time must be given.")
    if not draft.end_given and draft.duration is None:
        raise draft.error("An end time or duration must be given.")
    if draft.end_given and draft.duration not in (None, resv.end_time - resv.start_time):
        raise draft.error("StartTime + Duration does not equal EndTime.")
    if draft.end_given and resv.start_time > resv.end_time:
        raise draft.error("Start time cannot be after end time.")
    everything = (draft.node_text or "").upper() == "ALL"
    flags = {*resv.flags, *(("PART_NODES",) if resv.partition and everything else ())}
    if "PART_NODES" in flags and not (resv.partition and everything):
        raise draft.error("PART_NODES flag requires specifying a Partition and ALL nodes.")
    if "FORCE_START" in flags and not flags & PERIODS.keys():
        raise UserError(f"FORCE_START flag requires a reoccuring reservation. {draft.outcome}")
    if not (draft.core_cnt or draft.node_cnt or draft.node_text or resv.licenses or resv.burst_buffer):
        if not resv.partition:
            raise draft.error("CoreCnt, Nodes, NodeCnt, TRES or Watts must be specified.")
        flags.add("PART_NODES")
        draft.node_text = "ALL"
    resv.flags = [flag for flag in FLAGS if flag in flags]
    if not (resv.users or resv.groups or resv.accounts or resv.allowed_partitions or resv.qos):
        raise draft.error("Either Users/Groups, AllowedPartitions, QOS and/or Accounts must be specified.")
    if resv.users and resv.groups:
        raise draft.error("Users and Groups are mutually exclusive.  You can have one or the other, but not both.")


def update(ctl: Controller, name: str, assignments: Sequence[Assignment]) -> None:
    """Change a reservation. Raises `UserError` or `SlurmError`, and changes nothing then."""
    found = ctl.cluster.reservations.get(name)
    if found is None:
        raise SlurmError(Errno.RESERVATION_INVALID)
    trial = copy.copy(found)
    trial.flags = list(found.flags)
    draft = Draft(ctl.cluster, trial, UPDATED)
    read(draft, assignments)
    if draft.skip:
        _skip(trial)
    if draft.start_given:
        if found.start_time <= ctl.cluster.now:
            raise SlurmError(Errno.RSV_ALREADY_STARTED)
        if trial.start_time < ctl.cluster.now - MOST_LATE:
            raise SlurmError(Errno.INVALID_TIME_VALUE)
    if not draft.end_given and draft.duration is None:
        draft.duration = found.end_time - found.start_time
    if not (trial.users or trial.groups or trial.accounts or trial.allowed_partitions or trial.qos):
        raise SlurmError(Errno.RESERVATION_EMPTY)
    _complete(ctl, draft)
    _keep(ctl, trial, "update")


def _skip(resv: Reservation) -> None:
    """Move a recurring reservation to its next time. Raises `SlurmError` for any other."""
    period = next((PERIODS[flag] for flag in resv.flags if flag in PERIODS), 0)
    if not period:
        raise SlurmError(Errno.RESERVATION_NO_SKIP)
    resv.start_time += period
    resv.end_time += period


def delete(ctl: Controller, name: str) -> None:
    """Remove a reservation that no unfinished job asks for. Raises `SlurmError`."""
    cluster = ctl.cluster
    if name not in cluster.reservations:
        raise SlurmError(Errno.RESERVATION_INVALID)
    if any(name in job.request.reservation.split(",") for job in cluster.jobs.values() if not job.finished):
        raise SlurmError(Errno.RESERVATION_BUSY)
    del cluster.reservations[name]
    _note(ctl, name, "delete")


def _keep(ctl: Controller, resv: Reservation, event: str) -> None:
    ctl.cluster.reservations[resv.name] = resv
    if ctl.agenda is not None:
        ctl.agenda.note_reservation(resv)
    _note(ctl, resv.name, event)


def _note(ctl: Controller, name: str, event: str) -> None:
    cluster = ctl.cluster
    cluster.dirty_reservations.add(name)
    cluster.pass_due = True
    cluster.changed("reservations")
    resv = cluster.reservations.get(name)
    cluster.record(f"reservation-{event}", reservation=name, **(_told(resv) if resv else {}))


def _told(resv: Reservation) -> dict[str, object]:
    """Return what the history keeps of a reservation."""
    whom = ",".join(filter(None, (resv.users, resv.accounts, resv.groups)))
    return {"nodes": resv.nodes, "start": resv.start_time, "end": resv.end_time, "for": whom}


def _owner(resv: Reservation) -> str:
    """Return the first of those for whom a reservation is."""
    whom = resv.users or resv.accounts or resv.groups or resv.allowed_partitions or resv.qos
    return whom.partition(",")[0].lstrip("-")


def _free_name(cluster: Cluster, owner: str) -> str:
    number = len(cluster.reservations) + 1
    while f"{owner}_{number}" in cluster.reservations:
        number += 1
    return f"{owner}_{number}"


# time and nodes


def _complete(ctl: Controller, draft: Draft) -> None:
    """Settle end and nodes of a reservation and check it against jobs and other reservations."""
    cluster, resv = ctl.cluster, draft.resv
    if draft.duration is not None:
        resv.end_time = resv.start_time + draft.duration
    if resv.end_time <= max(resv.start_time, cluster.now):
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    nodes = _nodes(ctl, draft)
    resv.nodes = cluster.hostlist_of(nodes)
    resv.node_cnt = nodes.bit_count()
    chosen = [cluster.nodes[i] for i in bitmap.iterate(nodes)]
    cpus = [resv.cores.get(node.name, node.cpus) for node in chosen]
    resv.core_cnt = sum(count // node.threads_per_core for node, count in zip(chosen, cpus, strict=True))
    resv.tres = f"cpu={sum(cpus)}" if chosen else ""


def _nodes(ctl: Controller, draft: Draft) -> int:
    """Return the nodes of a reservation: those named, as many as asked for, or those it has already."""
    cluster, resv = ctl.cluster, draft.resv
    if draft.node_text is not None:
        nodes, resv.cores = _named(draft), {}
    elif draft.node_cnt is not None or draft.core_cnt:
        resv.partition = resv.partition or cluster.default_partition
        return _chosen(ctl, draft, draft.node_cnt or 0)
    else:
        nodes = cluster.bitmap_of(resv.nodes)
    if _meeting(cluster, resv) & nodes:
        raise SlurmError(Errno.RESERVATION_OVERLAP)
    if _busy(cluster, resv) & nodes:
        raise SlurmError(Errno.NODES_BUSY)
    if not nodes and not ("ANY_NODES" in resv.flags and resv.licenses):
        raise SlurmError(Errno.INVALID_NODE_NAME)
    return nodes


def _named(draft: Draft) -> int:
    """Return the nodes of ``Nodes=`` and note by a flag how they were named."""
    cluster, resv = draft.cluster, draft.resv
    text = draft.node_text or ""
    if draft.node_sign:
        have, named = cluster.bitmap_of(resv.nodes), checks.node_set(cluster, text)
        return have | named if draft.node_sign == "+" else have & ~named
    everything = text.upper() == "ALL"
    flags = {*resv.flags, "SPEC_NODES"}
    if everything and "PART_NODES" in flags and resv.partition:
        nodes = cluster.partition_bitmap(resv.partition)
    else:
        nodes = checks.node_set(cluster, text)
        if everything:
            flags.add("ALL_NODES")
    resv.flags = [flag for flag in FLAGS if flag in flags]
    return nodes


def _chosen(ctl: Controller, draft: Draft, count: int) -> int:
    """Return ``count`` nodes of the reservation's partition that are free at its time; the select plugin chooses."""
    cluster, resv = ctl.cluster, draft.resv
    free = cluster.partition_bitmap(resv.partition) if resv.partition else 0
    if resv.features:
        from slimsched.constraints import slurm_features
        from slimsched.constraints.evaluate import matching

        free &= matching(cluster, slurm_features.parse(resv.features))
    free &= ~_meeting(cluster, resv) & ~_busy(cluster, resv)
    if free.bit_count() < count:
        raise SlurmError(Errno.NODES_BUSY)
    resv.core_cnt = draft.core_cnt or 0
    cores: dict[int, int] = {}
    chosen = ctl.select.resv_test(resv, count, free, cores)
    if chosen is None and draft.core_cnt:
        raise SlurmError(Errno.NODES_BUSY)
    resv.cores = {cluster.nodes[node].name: cpus for node, cpus in cores.items()}
    return bitmap.lowest(free, count) if chosen is None else chosen


def _busy(cluster: Cluster, resv: Reservation) -> int:
    """Return the nodes on which jobs will still run when the reservation begins, unless it ignores jobs."""
    if "IGNORE_JOBS" in resv.flags:
        return 0
    nodes = 0
    for job in cluster.jobs.values():
        inside = resv.name and resv.name in job.request.reservation.split(",")
        if job.active and not inside and (not job.end_time or job.end_time > resv.start_time):
            nodes |= cluster.bitmap_of(job.nodes)
    return nodes


def _meeting(cluster: Cluster, resv: Reservation) -> int:
    """Return the nodes that other reservations hold at any time of this one."""
    if MAY_MEET.intersection(resv.flags):
        return 0
    mine, nodes = _spans(resv), 0
    for other in cluster.reservations.values():
        if other.name == resv.name or MAY_MEET.intersection(other.flags):
            continue
        if any(a < y and x < b for a, b in mine for x, y in _spans(other)):
            nodes |= cluster.bitmap_of(other.nodes)
    return nodes


def _spans(resv: Reservation) -> list[tuple[int, int]]:
    """Return the times of a reservation, of a recurring one those within the horizon."""
    period = next((PERIODS[flag] for flag in resv.flags if flag in PERIODS), 0)
    steps = range(0, HORIZON, period) if period else (0,)
    return [(resv.start_time + step, resv.end_time + step) for step in steps]

"""``scontrol create``, ``update`` and ``delete`` of reservations: which nodes they get, and what they may not meet."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.requests import rights, text_checks
from slimsched.controller.reservations import access, node_choice, rules, times
from slimsched.controller.reservations.rules import FLAGS
from slimsched.controller.update.reservation import CREATED, UPDATED, Draft
from slimsched.errors import SlurmError, UserError
from slimsched.model.reservation import Reservation
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.controller.update.fields import Request
    from slimsched.model.cluster import Cluster

MOST_LATE = 600
"""Seconds that a reservation's start may lie back when it is made."""


def create(ctl: Controller, request: Request, user: User) -> str:
    """Make a reservation and return its name. Raises `UserError` for the command, `SlurmError` for the controller."""
    cluster, name = ctl.cluster, request.name
    rights.require(cluster, rights.OPERATOR)
    draft = Draft(ctl, Reservation(name=name), CREATED)
    draft.put(request.fields)
    resv = draft.trial
    _check_command(draft)
    if resv.start_time < cluster.now - MOST_LATE:
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    rules.check_new([*resv.flags, *_by_what(draft)])
    resv.name = ""
    _complete(ctl, draft)
    cluster.reservations_made += 1
    if name in cluster.reservations:
        raise _taken()
    resv.name = name or _free_name(cluster, _owner(resv))
    _keep(ctl, resv, "create")
    return resv.name


def _by_what(draft: Draft) -> list[str]:
    """Return the flags for the nodes and cores that the command gives."""
    given = {rules.NODES: draft.node_text, rules.CORES: draft.core_cnt}
    return [name for name, value in given.items() if value is not None]


def _check_command(draft: Draft) -> None:
    """Refuse a creation that lacks something or contradicts itself; note that a whole partition is meant."""
    resv = draft.trial
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
    if "FORCE_START" in flags and not flags & rules.RECURRING:
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


def update(ctl: Controller, request: Request) -> None:
    """Change a reservation. Raises `UserError` or `SlurmError`, and changes nothing then."""
    rights.require(ctl.cluster, rights.OPERATOR)
    found = ctl.cluster.reservations.get(request.name)
    if found is None:
        raise _unknown(ctl, request.name)
    trial = copy.copy(found)
    trial.flags = list(found.flags)
    draft = Draft(ctl, trial, UPDATED)
    draft.put(request.fields)
    present = [*trial.flags, *([rules.CORES] if found.cores else ())]
    rules.check_change({*trial.flags} - {*found.flags} | {*_by_what(draft)}, present)
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
    job = access.loser(ctl.cluster, trial)
    if job is not None:
        raise SlurmError(Errno.RESERVATION_BUSY, detail=f"Reservation update rejected because of JobId={job.job_id}")
    _keep(ctl, trial, "update")


def _skip(resv: Reservation) -> None:
    """Move a recurring reservation to its next time. Raises `SlurmError` for any other."""
    by = times.distance(resv.flags, resv.start_time)
    if not by:
        raise SlurmError(Errno.RESERVATION_NO_SKIP)
    resv.start_time += by
    resv.end_time += by


def _unknown(ctl: Controller, name: str) -> SlurmError:
    from slimsched.controller.requests import strangers

    return SlurmError(Errno.RESERVATION_INVALID, notes=strangers.notes(ctl.cluster, "reservation", [name]))


def delete(ctl: Controller, name: str) -> None:
    """Remove a reservation that no unfinished job asks for. Raises `SlurmError`."""
    cluster = ctl.cluster
    rights.require(cluster, rights.OPERATOR)
    if name not in cluster.reservations:
        raise _unknown(ctl, name)
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
    cluster.record(f"reservation-{event}", reservation=name, **(_event_fields(resv) if resv else {}))


def _event_fields(resv: Reservation) -> dict[str, object]:
    """Return what the history keeps of a reservation."""
    whom = ",".join(filter(None, (resv.users, resv.accounts, resv.groups)))
    return {"nodes": resv.nodes, "start": resv.start_time, "end": resv.end_time, "for": whom}


def _owner(resv: Reservation) -> str:
    """Return the first account of a reservation, or else its first user."""
    whom = resv.accounts or resv.users or resv.groups or "resv"
    return whom.partition(",")[0].removeprefix("-")


def _free_name(cluster: Cluster, owner: str) -> str:
    """Return a name with the number of the reservation: how many have been made so far."""
    while f"{owner}_{cluster.reservations_made}" in cluster.reservations:
        cluster.reservations_made += 1
    return f"{owner}_{cluster.reservations_made}"


def _taken() -> SlurmError:
    """Return the refusal of a name; the refused command has used up a number."""
    error = SlurmError(Errno.RESERVATION_NAME_DUP)
    error.commits = True
    return error


# time and nodes


def _complete(ctl: Controller, draft: Draft) -> None:
    """Settle end and nodes of a reservation and check it against jobs and other reservations."""
    cluster, resv = ctl.cluster, draft.trial
    if draft.duration is not None:
        resv.end_time = resv.start_time + draft.duration
    if resv.end_time <= max(resv.start_time, cluster.now):
        raise SlurmError(Errno.INVALID_TIME_VALUE)
    nodes = _nodes(ctl, draft)
    node_choice.put(cluster, resv, nodes)


def _nodes(ctl: Controller, draft: Draft) -> int:
    """Return the nodes of a reservation: those named, as many as asked for, or those it has already."""
    cluster, resv = ctl.cluster, draft.trial
    if draft.node_text is not None:
        nodes, resv.cores = _named(draft), {}
    elif draft.node_cnt is not None or draft.core_cnt:
        resv.partition = resv.partition or _first_allowed(resv) or cluster.default_partition
        return _counted(ctl, draft)
    else:
        nodes = cluster.bitmap_of(resv.nodes)
    if node_choice.met(cluster, resv) & nodes:
        raise SlurmError(Errno.RESERVATION_OVERLAP)
    held = node_choice.busy(cluster, resv) & nodes
    if held:
        raise SlurmError(Errno.NODES_BUSY, notes=(node_choice.still_running(cluster, held),))
    if not nodes and not ("ANY_NODES" in resv.flags and resv.licenses):
        raise SlurmError(Errno.INVALID_NODE_NAME)
    if draft.node_text is not None and draft.core_cnt:
        resv.core_cnt = draft.core_cnt
        nodes = _with_cores(ctl, resv, *node_choice.ask(ctl, resv, nodes.bit_count(), nodes))
    return nodes


def _first_allowed(resv: Reservation) -> str:
    """Return the first partition from which a reservation may be used, "" if only some may not."""
    first = resv.allowed_partitions.partition(",")[0]
    return "" if first.startswith("-") else first


def _counted(ctl: Controller, draft: Draft) -> int:
    """Return as many free nodes as asked for, and note the CPUs of each if cores are counted."""
    resv = draft.trial
    resv.core_cnt = draft.core_cnt or 0
    if resv.nodes and not resv.cores and draft.node_cnt is not None:
        return node_choice.resized(ctl, resv, draft.node_cnt)
    return _with_cores(ctl, resv, *node_choice.choose(ctl, resv, draft.node_cnt or 0))


def _with_cores(ctl: Controller, resv: Reservation, nodes: int, cores: dict[int, int]) -> int:
    """Note the CPUs that a reservation has of each node, if it has only some; return the nodes."""
    resv.cores = {ctl.cluster.nodes[node].name: cpus for node, cpus in cores.items()}
    return nodes


def _named(draft: Draft) -> int:
    """Return the nodes of ``Nodes=`` and note by a flag how they were named."""
    cluster, resv = draft.ctl.cluster, draft.trial
    text = draft.node_text or ""
    if draft.node_sign:
        have, named = cluster.bitmap_of(resv.nodes), text_checks.node_set(cluster, text)
        return have | named if draft.node_sign == "+" else have & ~named
    everything = text.upper() == "ALL"
    flags = {*resv.flags, "SPEC_NODES"}
    if everything and "PART_NODES" in flags and resv.partition:
        nodes = cluster.partition_bitmap(resv.partition)
    else:
        nodes = text_checks.node_set(cluster, text)
        if everything:
            flags.add("ALL_NODES")
    resv.flags = [flag for flag in FLAGS if flag in flags]
    return nodes

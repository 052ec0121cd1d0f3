"""Triggers of ``strigger``: what has happened to jobs, nodes and the cluster, and the programs that run because of it.

Source: strigger(1). slurmctld looks every 15 seconds; here it is seen at the instant at which it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from slimsched.controller.requests import rights
from slimsched.errors import SlurmError
from slimsched.executor import limits
from slimsched.model import bitmap, trigger
from slimsched.model.trigger import Trigger
from slimsched.slurm import states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node

ALL = "*"
"""The target of a trigger for every node."""

RECONFIG = "reconfig"
USER_TRIGGERS = "allow_user_triggers"
"""The word of ``SlurmctldParameters`` with which others than administrators may make triggers."""

CONDITIONS: dict[str, Callable[[Node, bool], bool]] = {
    "down": lambda node, busy: node.state == states.DOWN,
    "up": lambda node, busy: node.state != states.DOWN,
    "drained": lambda node, busy: states.DRAIN in node.flags and not busy,
    "draining": lambda node, busy: states.DRAIN in node.flags and busy,
    "resume": lambda node, busy: not {states.DRAIN, states.FAIL}.intersection(node.flags),
    "fail": lambda node, busy: states.FAIL in node.flags,
    "idle": lambda node, busy: node.up and not busy,
}
"""Kind of a trigger of nodes -> whether a node is in its state; it fires for those that come into it."""


def add(ctl: Controller, made: Trigger, user: User) -> None:
    """Take in a new trigger of a user. Raises `SlurmError`."""
    from slimsched.controller.requests import strangers

    cluster = ctl.cluster
    if USER_TRIGGERS not in cluster.config.get("SlurmctldParameters").split(","):
        rights.require(cluster, rights.ADMINISTRATOR, Errno.ACCESS_DENIED)
    if made.resource == "job":
        job = cluster.jobs.get(int(made.target))
        if job is None:
            raise SlurmError(Errno.INVALID_JOB_ID, notes=strangers.jobs(cluster, [int(made.target)]))
        if job.finished:
            raise SlurmError(Errno.ALREADY_DONE)
    elif made.resource == "node" and made.target != ALL:
        try:
            cluster.bitmap_of(made.target)
        except (KeyError, ValueError):
            raise SlurmError(Errno.INVALID_NODE_NAME, notes=strangers.nodes(cluster, made.target)) from None
    made.user_id, made.user_name = user.uid, user.name
    known = trigger.read(cluster)
    if any(_same(one, made) for one in known):
        raise SlurmError(Errno.TRIGGER_DUP)
    cluster.triggers_made += 1
    made.trigger_id = cluster.triggers_made
    if made.kind in CONDITIONS:
        made.seen = _in_state(cluster, made)
    trigger.keep(cluster, [*known, made])
    _note(ctl, made)


def _same(one: Trigger, other: Trigger) -> bool:
    fields = ("resource", "target", "kind", "offset", "program", "user_id")
    return all(getattr(one, field) == getattr(other, field) for field in fields)


def clear(ctl: Controller, meant: Callable[[Trigger], bool], user: User) -> bool:
    """Remove the triggers that are meant, of others as root only; whether there were any."""
    known = trigger.read(ctl.cluster)
    left = [one for one in known if not (meant(one) and user.uid in (0, one.user_id))]
    trigger.keep(ctl.cluster, left)
    return len(left) < len(known)


def look(ctl: Controller) -> None:
    """See what has happened, and run the programs of the triggers whose time has come."""
    cluster = ctl.cluster
    left = []
    for one in trigger.read(cluster):
        if not one.due and (happened := _happened(ctl, one)):
            one.argument, when = happened
            one.due = max(1, when)
            if one.due > cluster.now:
                _note(ctl, one)
        if 0 < one.due <= cluster.now:
            _fire(ctl, one)
            if not one.permanent or one.resource == "job":
                continue
            one.due, one.argument = 0, ""
        if one.resource == "job" and not one.due and not _lives(cluster, one):
            continue  # nothing can happen any more
        left.append(one)
    trigger.keep(cluster, left)
    ctl.events_seen = len(cluster.events)


def next_instants(cluster: Cluster) -> Iterator[int]:
    """Yield the instants at which a trigger is to be looked at."""
    for one in trigger.read(cluster):
        if when := one.due or _limit(cluster, one):
            yield when


def _note(ctl: Controller, one: Trigger) -> None:
    if ctl.agenda is not None and (when := one.due or _limit(ctl.cluster, one)):
        ctl.agenda.note_trigger(when)


def _fire(ctl: Controller, one: Trigger) -> None:
    ctl.cluster.record("trigger", trigger=one.trigger_id, program=one.program, argument=one.argument)
    ctl.executor.run_program([*one.program.split(), one.argument], one.user_id)


def _happened(ctl: Controller, one: Trigger) -> tuple[str, int] | None:
    """Return what the program of a trigger is to be told, and when it runs, if its event has come."""
    cluster = ctl.cluster
    if one.resource == "job":
        job = cluster.jobs.get(int(one.target))
        if one.kind == "time":
            limit = _limit(cluster, one)
            over = job is not None and job.state == states.TIMEOUT and one.offset <= 0
            return (one.target, limit) if over or 0 < limit <= cluster.now else None
        ended = job.end_time if job is not None else cluster.now
        return None if job is not None and not job.finished else (one.target, ended + one.offset)
    if one.kind == RECONFIG:
        again = any(event["event"] == "reconfigure" for event in _events(ctl))
        return (RECONFIG, cluster.now + one.offset) if again else None
    if one.kind not in CONDITIONS:
        return None  # there are no daemons that could fail
    now = _in_state(cluster, one)
    came = set(now).difference(one.seen).union(_passed_through(ctl, one))
    one.seen = now
    if not came:
        return None
    return cluster.hostlist_of(bitmap.of(cluster.node_index[name] for name in came)), cluster.now + one.offset


def _lives(cluster: Cluster, one: Trigger) -> bool:
    job = cluster.jobs.get(int(one.target))
    return job is not None and not job.finished


def _limit(cluster: Cluster, one: Trigger) -> int:
    """Return when the time limit of a running job acts on its trigger, 0 if there is none."""
    if one.kind != "time":
        return 0
    job = cluster.jobs.get(int(one.target))
    end = limits.killed_at(cluster, job) if job is not None and job.state == states.RUNNING else None
    return 0 if end is None else end + one.offset


def _events(ctl: Controller) -> list[dict[str, object]]:
    """Return what has happened since the last look; each commit begins a new list."""
    events = ctl.cluster.events
    return events[ctl.events_seen :] if ctl.events_seen <= len(events) else events


def _passed_through(ctl: Controller, one: Trigger) -> Iterable[str]:
    """Return nodes that went down, though they may be up again."""
    if one.kind != "down":
        return ()
    meant = _meant(ctl.cluster, one)
    nodes = [str(event["node"]) for event in _events(ctl) if event["event"] == "node" and event["state"] == states.DOWN]
    return [name for name in nodes if meant >> ctl.cluster.node_index[name] & 1]


def _meant(cluster: Cluster, one: Trigger) -> int:
    return bitmap.full(len(cluster.nodes)) if one.target == ALL else cluster.bitmap_of_known(one.target)


def _in_state(cluster: Cluster, one: Trigger) -> list[str]:
    """Return the nodes of a trigger that are in the state that it waits for."""
    busy = 0
    for job in cluster.jobs.values():
        if job.active and job.nodes:
            busy |= cluster.bitmap_of_known(job.nodes)
    holds = CONDITIONS[one.kind]
    nodes = (cluster.nodes[i] for i in bitmap.iterate(_meant(cluster, one)))
    return [node.name for node in nodes if holds(node, bool(busy >> node.index & 1))]

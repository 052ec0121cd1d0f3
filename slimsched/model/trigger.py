"""The trigger: a program that runs once something has happened to a job, to nodes, or to the cluster.

The cluster keeps triggers as plain data, so that a command that has none to do with does not define them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster


class Trigger(msgspec.Struct, omit_defaults=True, kw_only=True):
    """A program to run ``offset`` seconds after (negative: ahead of) an event; instants in seconds since 1970."""

    trigger_id: int = 0
    resource: str  # job, node, slurmctld, slurmdbd, database, other
    target: str  # a job id, a hostlist, * for every node
    kind: str  # of the event: fini, time, down, ...
    program: str  # with its arguments
    offset: int = 0
    user_id: int = 0
    user_name: str = ""
    permanent: bool = False  # it stays once it has run
    seen: list[str] = []  # nodes that are already in the state it waits for
    due: int = 0  # the event has come: when the program runs
    argument: str = ""  # what the program is told then


def read(cluster: Cluster) -> list[Trigger]:
    """Return the triggers of a cluster; changes count once they are kept."""
    return msgspec.convert(cluster.triggers, list[Trigger])


def keep(cluster: Cluster, triggers: list[Trigger]) -> None:
    """Make these the triggers of a cluster."""
    cluster.triggers = msgspec.to_builtins(triggers)

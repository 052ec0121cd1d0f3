"""The events of ``sacctmgr show event``: since when the cluster has been there, and when nodes took no jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests.users import uid_of
from slimsched.model.resources import capacity, counted, gres
from slimsched.render.accounts.sacctmgr import all_nodes
from slimsched.text import sizes

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node
    from slimsched.state.records import Historic

BAD = ("DRAIN", "FAIL", "DOWN")
"""States in which a node takes no jobs, the flags first."""


class Event(NamedTuple):
    """An event: the cluster came, or a node took no jobs. ``end`` is 0 as long as it lasts; ``now`` is today."""

    cluster: str
    node: str
    start: int
    end: int
    now: int
    state: str
    reason: str
    user: str
    nodes: str
    tres: str

    @property
    def kind(self) -> str:
        """What it happened to, one of `KINDS_OF_EVENT`."""
        return "Node" if self.node else "Cluster"

    @property
    def cpus(self) -> int:
        """The CPUs among its resources."""
        return int(dict(each.split("=") for each in self.tres.split(",")).get("cpu", 0))


def events(cluster: Cluster, commits: Iterable[Historic]) -> list[Event]:
    """Return the cluster's own event and those of its nodes, in the order in which they began.

    ``commits`` is the history; a node that is bad since before it has an event, too. What begins at this very second
    is not shown, as in Slurm.
    """
    here = cluster.config.get("ClusterName")
    text = "Cluster Registered TRES"
    found = [Event(here, "", cluster.boot_time, 0, cluster.now, "", text, "", all_nodes(cluster), _of_all(cluster))]
    lasting: dict[str, Event] = {}
    for name, time, state, reason, user in _changes(commits):
        before = lasting.get(name)
        if before is not None and before.state != state:
            found.append(lasting.pop(name)._replace(end=time))
        if state and name not in lasting and name in cluster.node_index:
            who = f"{user}({uid_of(cluster, user)})"
            lasting[name] = _of_node(cluster, cluster.nodes[cluster.node_index[name]], time, state, reason, who)
    for node in cluster.nodes:
        state = next((word for word in BAD if word in (*node.flags, node.state)), "")
        if state and node.name not in lasting:
            who = f"{node.reason_user}({node.reason_uid})" if node.reason_user else ""
            lasting[node.name] = _of_node(cluster, node, node.reason_time, state, node.reason, who)
    found += [event for event in lasting.values() if event.node in cluster.node_index]
    return [found[0], *sorted(found[1:], key=lambda event: (event.start, event.node))]


def _changes(commits: Iterable[Historic]) -> Iterator[tuple[str, int, str, str, str]]:
    """Yield node, time, bad state ("" for a good one), reason and user of each change of a node's state."""
    for commit in commits:
        for event in commit.events:
            if event.get("event") == "node":
                words = str(event.get("state", "")).split("+")
                state = next((word for word in BAD if word in words), "")
                yield event["node"], int(event["time"]), state, str(event.get("reason", "")), commit.user


def _of_node(cluster: Cluster, node: Node, start: int, state: str, reason: str, user: str) -> Event:
    known = counted(cluster.config)
    devices = {name: count for name, count in gres(node.gres).items() if name in known}
    has = {"billing": node.cpus, "cpu": node.cpus, "mem": node.real_memory, **devices}
    return Event(
        cluster.config.get("ClusterName"), node.name, start, 0, cluster.now, state, reason, user, "", _told(has)
    )


def _of_all(cluster: Cluster) -> str:
    has = capacity(cluster.nodes)
    return _told({name: has.get(name, 0) for name in counted(cluster.config)})


def _told(has: dict[str, int]) -> str:
    return ",".join(f"{name}={sizes.megabytes(amount) if name == 'mem' else amount}" for name, amount in has.items())

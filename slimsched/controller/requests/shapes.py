"""Node shapes: the nodes grouped by what their hardware is, so that a submission looks at kinds and not at nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from slimsched.model import bitmap
from slimsched.model.record import Value

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node

EPOCHS = ("nodes", "gres", "features")


class Shape(Value, frozen=True):
    """The hardware of some nodes; memory and disk in MB."""

    cpus: int
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    real_memory: int
    tmp_disk: int
    gres: str


Shapes = list[tuple[Shape, int]]
"""Each shape with its nodes as a bitmap."""

_SHAPES: WeakKeyDictionary[Cluster, tuple[list[int], Shapes]] = WeakKeyDictionary()


def shapes(cluster: Cluster) -> Shapes:
    """Return the shapes of the cluster's nodes, from a cache until node data change."""
    now = [len(cluster.nodes), *(cluster.epoch.get(key, 0) for key in EPOCHS)]
    known = _SHAPES.get(cluster)
    if known is None or known[0] != now:
        groups: dict[Shape, list[int]] = {}
        for node in cluster.nodes:
            groups.setdefault(_shape(node), []).append(node.index)
        known = _SHAPES[cluster] = now, [(shape, bitmap.of(nodes)) for shape, nodes in groups.items()]
    return known[1]


def _shape(node: Node) -> Shape:
    return Shape(
        node.cpus,
        node.sockets,
        node.cores_per_socket,
        node.threads_per_core,
        node.real_memory,
        node.tmp_disk,
        node.gres,
    )

"""The offers of a cluster on each level, attribute by attribute.

Grid Engine's global level is the cluster, its host a node, its queue a partition, its queue instance a partition on
a node; its slots are CPUs. A node reports its size by itself; ``sim slurmd --load`` reports the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import builtin, entries, match

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.node import Node

Texts = Mapping[str, str]
Pair = tuple[str | None, str | None]
"""A configured value, and a reported or built-in one."""

REPORTED: dict[str, Callable[[Node], str]] = {
    "arch": lambda node: "lx-amd64",
    "num_proc": lambda node: str(node.cpus),
    "m_socket": lambda node: str(node.sockets),
    "m_core": lambda node: str(node.sockets * node.cores_per_socket),
    "m_thread": lambda node: str(node.sockets * node.cores_per_socket * node.threads_per_core),
    "mem_total": lambda node: f"{node.real_memory}M",
}
"""Load values that follow from a node's size; they never change while it is up."""

FIELDS: dict[str, Callable[[PartitionConf, Node], str]] = {
    "qname": lambda part, node: part.partition_name,
    "hostname": lambda part, node: node.name,
    "slots": lambda part, node: str(node.cpus),
    "h_rt": lambda part, node: "INFINITY" if part.max_time is None else str(part.max_time * 60),
}
"""The fields that every partition has on a node; it may limit some of the other `builtin.QUEUE_FIELDS`."""


def of_cluster(cluster: Cluster, part: PartitionConf | None, node: Node, name: str) -> Pair:
    """Return what the cluster as a whole offers."""
    return cluster.complexes.values.get(name), cluster.complexes.load.get(name)


def of_host(cluster: Cluster, part: PartitionConf | None, node: Node, name: str) -> Pair:
    """Return what a node offers, and what it reports."""
    load = node.load.get(name)
    if load is None and name in REPORTED:
        load = REPORTED[name](node)
    return node.complexes.get(name), load


def of_queue(cluster: Cluster, part: PartitionConf | None, node: Node, name: str) -> Pair:
    """Return what a partition offers on a node, and its own field."""
    if part is None:
        return None, None
    own = FIELDS[name](part, node) if name in FIELDS else limits(part).get(name, builtin.QUEUE_FIELDS.get(name))
    return entries.stored(part.complexes).get(name) if part.complexes else None, own


def limits(part: PartitionConf) -> Texts:
    """Return the resource limits that a partition sets, but for ``h_rt``, which is its ``MaxTime``."""
    return entries.stored(part.resource_limits) if part.resource_limits else {}


READERS: dict[str, Callable[[Cluster, PartitionConf | None, Node, str], Pair]] = {
    match.GLOBAL: of_cluster,
    match.HOST: of_host,
    match.QUEUE: of_queue,
}
"""Source of node data -> the function that reads one value, from the highest level down."""


def texts(cluster: Cluster, partition: str, node: Node) -> list[tuple[Texts, Texts]]:
    """Return all that each level offers to a partition on a node ("": no partition), in the order of ``qstat -F``."""
    reported = {**{name: read(node) for name, read in REPORTED.items()}, **node.load}
    everywhere = cluster.complexes.values, cluster.complexes.load
    part = cluster.partitions.get(partition)
    if part is None:
        return [everywhere, (node.complexes, reported), ({}, {})]
    own = {name: read(part, node) for name, read in FIELDS.items() if name != "h_rt"}
    own |= {**builtin.QUEUE_FIELDS, **limits(part)}
    own["h_rt"] = FIELDS["h_rt"](part, node)
    return [everywhere, (node.complexes, reported), (entries.stored(part.complexes), own)]

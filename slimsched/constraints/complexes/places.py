"""Complex attributes of a cluster: its catalog, what it offers as columns over the nodes, and jobs' predicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from slimsched.constraints.columns import NodeColumn, column
from slimsched.constraints.complexes import levels, match, request
from slimsched.constraints.complexes.booking import Offered, Spot
from slimsched.constraints.complexes.catalog import Catalog, Semantics
from slimsched.constraints.complexes.offers import Offer, offer
from slimsched.constraints.complexes.values import ValueFault
from slimsched.constraints.predicate import Member, Predicate
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.complex import ComplexState

_CATALOGS: WeakKeyDictionary[Cluster, tuple[ComplexState, int, Catalog]] = WeakKeyDictionary()


def catalog_of(cluster: Cluster) -> Catalog:
    """Return the attributes of a cluster; the same object as long as they do not change."""
    known = _CATALOGS.get(cluster)
    if known is None or known[0] is not cluster.complexes or known[1] != len(cluster.nodes):
        semantics: Semantics = "6.0" if cluster.config.complex_semantics == "6.0" else "8.1"
        hosts = {node.name.lower(): node.name for node in cluster.nodes}
        made = Catalog(cluster.complexes.attributes.values(), semantics, hosts)
        known = _CATALOGS[cluster] = cluster.complexes, len(cluster.nodes), made
    return known[2]


def offers_at(cluster: Cluster, source: str, name: str, partition: str) -> Iterator[tuple[int, Offer]]:
    """Yield the nodes on which a level offers an attribute; a value that its definition now refuses does not count."""
    attribute = catalog_of(cluster).attributes[name]
    read = levels.READERS[source]
    part = cluster.partitions.get(partition)
    nodes = cluster.nodes
    if source == match.QUEUE:
        nodes = [nodes[i] for i in bitmap.iterate(cluster.partition_bitmap(partition))]
    for node in nodes:
        try:
            found = offer(attribute, *read(cluster, part, node, name))
        except ValueFault:
            continue
        if found is not None:
            yield node.index, found


def column_of(cluster: Cluster, source: str, key: str) -> NodeColumn:
    """Return one column: an attribute as a level offers it."""
    name, level = match.attribute_of(key)
    if source == match.QUEUE and level not in cluster.partitions:
        return NodeColumn({})
    return column((found.value, index) for index, found in offers_at(cluster, source, name, level))


def booked_from(cluster: Cluster) -> Offered:
    """Return the function that gives a ledger what can be booked."""

    def offered(spot: Spot, name: str) -> tuple[str | None, str | None]:
        if spot.level == "global":
            return cluster.complexes.values.get(name), cluster.complexes.load.get(name)
        partition, _, host = spot.name.rpartition("@")
        node = cluster.nodes[cluster.node_index[host]]
        if spot.level == "host":
            return node.complexes.get(name), node.load.get(name)
        fixed, limit = levels.of_queue(cluster, cluster.partitions.get(partition), node, name)
        # a limit holds for each request, so it is left to the predicate where there is a capacity to book
        return fixed, limit if fixed is None or name == "slots" else None

    return offered


def in_partition(partition: str) -> Predicate:
    """Return the predicate of the nodes of a partition."""
    return Member(match.column(match.QUEUE, "qname", partition), match.ANYTHING, "its nodes")


def hard(cluster: Cluster, texts: Iterable[str], partition: str, *, parallel: bool = False) -> Predicate:
    """Return the predicate of a job's hard requests in a partition. Raises `SyntaxFault`."""
    return _hard(catalog_of(cluster), tuple(texts), partition, parallel)


def soft(cluster: Cluster, texts: Iterable[str], partition: str) -> list[Predicate]:
    """Return the predicates that count a job's soft violations in a partition. Raises `SyntaxFault`."""
    return _soft(catalog_of(cluster), tuple(texts), partition)


@lru_cache(maxsize=4096)
def _hard(catalog: Catalog, texts: tuple[str, ...], partition: str, parallel: bool) -> Predicate:
    return match.hard(request.read(texts, catalog), catalog, partition, parallel=parallel)


@lru_cache(maxsize=4096)
def _soft(catalog: Catalog, texts: tuple[str, ...], partition: str) -> list[Predicate]:
    return match.soft(request.read(texts, catalog, soft=True), catalog, partition)

"""The evaluation of predicates into node bitmaps: by column, and once per change of the data that they read.

Jobs share constraints (Grid Engine calls that job categories), so a cluster's `Evaluator` keeps each
answer together with the epochs of the data behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, proxy, ref

from slimsched.constraints.columns import ExtraData, NodeColumn, NodeTable, column, union
from slimsched.constraints.predicate import And, Compare, Member, Or, Predicate, fold
from slimsched.model.bitmap import Bitmap

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

CACHE_SIZE = 4096
"""Answers kept per cluster; the least recently used goes first."""

COMPLEXES = ("complexes-global", "complexes-host", "complexes-queue")
"""The sources of Grid Engine's complex attributes, by level."""

EVALUATIONS = "constraint_evaluations"
HITS = "constraint_cache_hits"


def evaluate(predicate: Predicate, table: NodeTable) -> Bitmap:
    """Return the nodes for which ``predicate`` holds."""
    return fold(predicate, lambda node, parts: step(node, parts, table))


def step(node: Predicate, parts: Sequence[Bitmap], table: NodeTable) -> Bitmap:
    """Return the nodes for which ``node`` holds, given those of its children."""
    if isinstance(node, Compare):
        return _compare(node, table.column(node.column))
    if isinstance(node, Member):
        return union(nodes for groups in table.column(node.column).kinds.values() for nodes in node.values.pick(groups))
    if isinstance(node, And):
        mask = table.full
        for part in parts:
            mask &= part
        return mask
    if isinstance(node, Or):
        mask = 0
        for part in parts:
            mask |= part
        return mask
    return table.full & ~parts[0]


def _compare(node: Compare, data: NodeColumn) -> Bitmap:
    mask = 0
    for kind, (holds, wanted) in node.rule.tests(node.op, node.value).items():
        groups = data.kinds.get(kind)
        if groups:
            mask |= union([nodes for value, nodes in groups.items() if holds(value, wanted)])
    return mask


class Evaluator:
    """The cached answers for one cluster. Get it by `evaluator`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster: Cluster = proxy(cluster)
        self._complexes = partial(_complexes, ref(cluster))
        self._extra = ExtraData()
        self._seen: dict[str, int] = {}
        self._answers: dict[Predicate, tuple[list[int], Bitmap]] = {}
        self.table = self._new_table()

    def bitmap(self, predicate: Predicate) -> Bitmap:
        """Return the nodes for which ``predicate`` holds at present."""
        epochs = self._cluster.epoch
        now = [epochs.get(source, 0) for source in sorted(predicate.reads)]
        known = self._answers.pop(predicate, None)
        if known is not None and known[0] == now:
            self._answers[predicate] = known
            self._count(HITS)
            return known[1]
        self.refresh(predicate)
        self._count(EVALUATIONS)
        mask = evaluate(predicate, self.table)
        self._answers[predicate] = now, mask
        if len(self._answers) > CACHE_SIZE:
            del self._answers[next(iter(self._answers))]
        return mask

    def refresh(self, predicate: Predicate) -> NodeTable:
        """Bring the columns that ``predicate`` reads up to date and return the table."""
        if len(self._cluster.nodes) != self.table.count:
            self.table, self._seen = self._new_table(), {}
        for source in predicate.reads:
            epoch = self._cluster.epoch.get(source, 0)
            if self._seen.get(source) != epoch:
                self._seen[source] = epoch
                self.table.forget(source)
                if source == "extra":
                    self._extra.replace(node.extra for node in self._cluster.nodes)
        return self.table

    def _new_table(self) -> NodeTable:
        sources = {"extra": self._extra.column, "features": self._features, "nodes": self._places}
        sources |= {source: partial(self._complexes, source) for source in COMPLEXES}
        return NodeTable(len(self._cluster.nodes), sources)

    def _features(self, _: str) -> NodeColumn:
        return column((name, node.index) for node in self._cluster.nodes for name in split(node.active_features))

    def _places(self, key: str) -> NodeColumn:
        return column((node.name if key == "host" else node.index, node.index) for node in self._cluster.nodes)

    def _count(self, what: str) -> None:
        counts = self._cluster.statistics
        counts[what] = counts.get(what, 0) + 1


def _complexes(cluster: ref[Cluster], source: str, key: str) -> NodeColumn:
    from slimsched.constraints.complexes import places

    found = cluster()
    return NodeColumn({}) if found is None else places.column_of(found, source, key)


_EVALUATORS: WeakKeyDictionary[Cluster, Evaluator] = WeakKeyDictionary()


def evaluator(cluster: Cluster) -> Evaluator:
    """Return the evaluator of ``cluster``."""
    found = _EVALUATORS.get(cluster)
    if found is None:
        found = _EVALUATORS[cluster] = Evaluator(cluster)
    return found


def matching(cluster: Cluster, predicate: Predicate) -> Bitmap:
    """Return the nodes of ``cluster`` for which ``predicate`` holds at present."""
    return evaluator(cluster).bitmap(predicate)


def split(features: str) -> list[str]:
    """Return the names in a node's comma-separated features."""
    return [name for name in features.split(",") if name]

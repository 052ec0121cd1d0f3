"""Node data as columns: for each value, the nodes that have it.

Nodes share values, so a comparison is made once per distinct value and not once per node. A column is built
when a predicate first reads it; a `NodeTable` keeps the columns of one state of the node data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slimsched.constraints.predicate import ColumnName
from slimsched.model import bitmap
from slimsched.model.bitmap import Bitmap

if TYPE_CHECKING:
    from slimsched.constraints.node_extra import Values

Nodes = list[int] | Bitmap
"""The nodes of one value: their indices if they are few, their bitmap if they are many."""

_MANY = 64


class NodeColumn:
    """The values of one kind of data, by type (``True`` and ``1.0`` are one dictionary key, but not one value)."""

    __slots__ = ("_rows", "kinds")

    def __init__(self, kinds: dict[type, dict[Any, Nodes]]) -> None:
        for groups in kinds.values():
            for value, nodes in groups.items():
                if isinstance(nodes, list) and len(nodes) >= _MANY:
                    groups[value] = bitmap.of(nodes)
        self.kinds = kinds
        self._rows: dict[int, list[Any]] | None = None

    def values(self, index: int) -> Sequence[Any]:
        """Return the values of one node (several for features), for messages."""
        if self._rows is None:
            self._rows = {}
            for groups in self.kinds.values():
                for value, nodes in groups.items():
                    for node in bitmap.iterate(nodes) if isinstance(nodes, int) else nodes:
                        self._rows.setdefault(node, []).append(value)
        return self._rows.get(index, ())


def union(parts: Iterable[Nodes]) -> Bitmap:
    """Return the nodes of several values."""
    mask, few = 0, []
    for nodes in parts:
        if isinstance(nodes, int):
            mask |= nodes
        else:
            few += nodes
    return mask | bitmap.of(few) if few else mask


def column(values: Iterable[tuple[Any, int]]) -> NodeColumn:
    """Return the column of pairs of a value and the index of a node that has it."""
    kinds: dict[type, dict[Any, Nodes]] = {}
    for value, node in values:
        kind = type(value)
        groups: Any = kinds.get(kind)
        if groups is None:
            groups = kinds[kind] = defaultdict(list)
        groups[value].append(node)
    return NodeColumn(kinds)


class ExtraData:
    """The Extra texts of all nodes, each distinct text decoded once for as long as a node has it."""

    def __init__(self, texts: Iterable[str | None] = ()) -> None:
        self._decoded: dict[str, Values | None] = {}
        self._rows: list[tuple[int, Values]] = []  # of the nodes that have data
        if texts:
            self.replace(texts)

    def replace(self, texts: Iterable[str | None]) -> None:
        """Take the nodes' texts after a change."""
        from slimsched.constraints.node_extra import lenient  # brings json and re, which most commands do without

        old, new = self._decoded, {}
        self._rows = rows = []
        for index, text in enumerate(texts):
            if text:
                if text not in new:
                    new[text] = old[text] if text in old else lenient(text)
                values = new[text]
                if values:
                    rows.append((index, values))
        self._decoded = new

    def column(self, key: str) -> NodeColumn:
        """Return the values under ``key``; a missing key, a null, a list or an object has no value."""
        from slimsched.constraints.node_extra import scalar

        found = ((scalar(values[key]), index) for index, values in self._rows if key in values)
        return column(pair for pair in found if pair[0] is not None)


class NodeTable:
    """The node data that predicates read, as columns.

    ``sources`` gives, per source of data, the function that builds one of its columns; ``count`` is the
    number of nodes.
    """

    def __init__(self, count: int, sources: Mapping[str, Callable[[str], NodeColumn]]) -> None:
        self.count = count
        self.full = bitmap.full(count)
        self._sources = sources
        self._columns: dict[ColumnName, NodeColumn] = {}

    def column(self, name: ColumnName) -> NodeColumn:
        """Return a column, built at its first use; these nodes have no values in a source that they lack."""
        found = self._columns.get(name)
        if found is None:
            build = self._sources.get(name.source)
            found = self._columns[name] = build(name.key) if build else NodeColumn({})
        return found

    def forget(self, source: str) -> None:
        """Drop the columns of ``source``, whose data changed."""
        for name in [name for name in self._columns if name.source == source]:
            del self._columns[name]

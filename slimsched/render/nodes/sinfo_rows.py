"""The lines of ``sinfo``: nodes of a partition, grouped if all printed values are equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.render.nodes.node_view import views
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.render.columns import Field
    from slimsched.render.nodes.node_view import NodeView


class NodeRow:
    """Nodes of one partition (the first of several, if the partition is not shown); perhaps none."""

    __slots__ = ("cluster", "mask", "nodes", "part", "place")

    def __init__(self, part: PartitionConf, place: int, cluster: Cluster, nodes: Sequence[NodeView] = ()) -> None:
        self.part, self.place, self.cluster = part, place, cluster
        self.nodes: list[NodeView] = []
        self.mask = 0  # the same nodes as a set
        self.add(nodes)

    def add(self, nodes: Sequence[NodeView]) -> None:
        """Add nodes, each once."""
        for view in nodes:
            bit = 1 << view.node.index
            if not self.mask & bit:
                self.nodes.append(view)
                self.mask |= bit

    @property
    def state(self) -> str:
        """The long word of its nodes' state."""
        return self.nodes[0].state if self.nodes else "n/a"

    @property
    def rank(self) -> int:
        """What its nodes' state sorts by."""
        return self.nodes[0].rank if self.nodes else 0

    @property
    def names(self) -> str:
        """Its nodes as a hostlist."""
        return self.cluster.hostlist_of(self.mask)

    def first(self, text: Callable[[NodeView], str], empty: str = "n/a") -> str:
        """Return a text of its first node, for what its nodes agree in."""
        return text(self.nodes[0]) if self.nodes else empty

    def spread(self, value: Callable[[NodeView], int], between: str = "+") -> str:
        """Return a number of its nodes: ``4``, or ``4+`` (``4-8``) if it differs among them."""
        values = [value(view) for view in self.nodes] or [0]
        low, high = min(values), max(values)
        if low == high:
            return str(low)
        return f"{low}+" if between == "+" else f"{low}{between}{high}"

    def node_counts(self) -> tuple[int, int, int, int]:
        """Return how many of its nodes are allocated, idle, neither, and in all."""
        busy = sum(map(_busy, self.nodes))
        other = sum(not _busy(view) and _away(view) for view in self.nodes)
        return busy, len(self.nodes) - busy - other, other, len(self.nodes)

    def cpu_counts(self) -> tuple[int, int, int, int]:
        """Return how many CPUs are allocated, idle, neither, and in all."""
        total = sum(view.node.cpus for view in self.nodes)
        used = sum(view.cpus_used for view in self.nodes)
        idle = sum(view.node.cpus - view.cpus_used for view in self.nodes if not _away(view))
        return used, idle, total - used - idle, total


def _busy(view: NodeView) -> bool:
    """Whether a node has jobs, also if it gets no new ones."""
    return view.base in (states.ALLOCATED, states.MIXED) or states.COMPLETING in view.flags


def _away(view: NodeView) -> bool:
    """Whether a node is drained or down; one that does not respond may be idle all the same."""
    return view.base == states.DOWN or states.DRAIN in view.flags


class Selection:
    """The partitions and nodes that ``sinfo`` shows."""

    def __init__(self) -> None:
        self.partitions: set[str] | None = None
        self.hidden = False  # hidden partitions too
        self.future = False  # future nodes
        self.by_node = False  # a line for each node and partition
        self.empty = True  # a line for a partition without nodes
        self.tests: list[Callable[[NodeView], bool]] = []

    def shows(self, view: NodeView) -> bool:
        """Whether a node is shown."""
        if view.base == states.FUTURE and not self.future:
            return False
        return all(test(view) for test in self.tests)


def rows(cluster: Cluster, selection: Selection, shared: Sequence[Field]) -> list[NodeRow]:
    """Return the rows, in the order of partitions and nodes; nodes of a row agree in the ``shared`` fields."""
    found: dict[tuple[str, ...], NodeRow] = {}
    nodes = views(cluster)
    for place, part in enumerate(cluster.partitions.values()):
        if selection.partitions is None:
            if part.hidden and not selection.hidden:
                continue
        elif part.partition_name not in selection.partitions:
            continue
        chosen = [nodes[i] for i in iterate(cluster.partition_bitmap(part.partition_name)) if selection.shows(nodes[i])]
        singles: Iterable[NodeRow] = (NodeRow(part, place, cluster, [view]) for view in chosen)
        if not chosen and selection.empty:
            singles = (NodeRow(part, place, cluster),)
        for single in singles:
            own = (single.nodes[0].node.name, part.partition_name) if selection.by_node else ()
            _merge(found, (*own, *(field.text(single) for field in shared)), single)
    return list(found.values())


def _merge(found: dict[tuple[str, ...], NodeRow], key: tuple[str, ...], single: NodeRow) -> None:
    """Add a node to the row that agrees with it, once."""
    row = found.setdefault(key, single)
    if row is not single:
        row.add(single.nodes)

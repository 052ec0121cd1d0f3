"""The CPUs of a node that a job has: ``CPU_IDs=0-1`` of ``scontrol show job -d``.

A test of a job only counts CPUs. Their numbers are given when the job begins: the lowest free ones, a task's CPUs on
one socket and the tasks on the sockets in turn (one socket after the other with CR_CORE_DEFAULT_DIST_BLOCK).
Jobs that share CPUs have a set of numbers for each row.
"""

from __future__ import annotations

from slimsched.model.bitmap import full, iterate, lowest, of
from slimsched.select.column import Column
from slimsched.select.gres import fold_ids, unfold_ids
from slimsched.select.pool import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.select.pool import Hold, NodeKind, Pool

__all__ = ["CpuSets", "fold_ids", "unfold_ids"]


class CpuSets:
    """The CPUs in use by node and row."""

    def __init__(self, nodes: int, *, block: bool) -> None:
        """``nodes``: how many there are; ``block``: fill a socket before the next."""
        self._block = block
        self._nodes = nodes
        self._used: dict[int, Column] = {}  # by row: the CPUs of each node, as a set

    def _row(self, row: int) -> Column:
        """Return the column of a row that nobody has been in so far."""
        used = self._used[row] = Column({0: full(self._nodes)}, self._nodes)
        used.values()
        return used

    def take(self, hold: Hold, pool: Pool, per_task: int) -> None:
        """Give a job CPUs of each of its nodes (whole units); ``per_task``: for each task."""
        parts: list[Part] = []
        for part in hold.parts:
            used = self._used.get(part.row) or self._row(part.row)
            given: dict[int, int] = {}  # CPUs -> nodes
            for kind, same in pool.by_kind(part.nodes):
                for taken, nodes in used.parts(same):
                    found = self._choose(kind, part.cpus, taken, per_task)
                    given[found] = given.get(found, 0) | nodes
                    used.move(taken, taken | found, nodes)
            for found, nodes in given.items():
                parts.append(Part(nodes, part.cpus, part.memory, part.gres, part.row, found))
        hold.parts = parts

    def _choose(self, kind: NodeKind, cpus: int, taken: int, per_task: int) -> int:
        """Return the CPUs that a job gets of a node."""
        free = full(kind.cpus) & ~taken
        if self._block or kind.sockets < 2 or cpus <= per_task or cpus >= free.bit_count():
            return lowest(free, cpus)
        return _in_turn(free, kind, cpus, per_task)

    def mark(self, hold: Hold) -> None:
        """Note CPUs that a job has already."""
        for part in hold.parts:
            used = self._used.get(part.row) or self._row(part.row)
            for taken, nodes in used.parts(part.nodes):
                used.move(taken, taken | part.ids, nodes)

    def free(self, hold: Hold) -> None:
        """Give a job's CPUs back."""
        for part in hold.parts:
            used = self._used.get(part.row) or self._row(part.row)
            for taken, nodes in used.parts(part.nodes):
                used.move(taken, taken & ~part.ids, nodes)


def _in_turn(free: int, kind: NodeKind, cpus: int, per_task: int) -> int:
    """Return ``cpus`` of ``free``, task by task on one socket after the other."""
    size = kind.cores * kind.threads
    parts = [free & full(size) << s * size for s in range(kind.sockets)]
    step = max(kind.unit, per_task)
    order: list[int] = []
    pieces = [list(iterate(part)) for part in parts]
    while any(pieces):
        for piece in pieces:
            order += piece[:step]
            del piece[:step]
    return of(order[:cpus])

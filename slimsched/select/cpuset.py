"""The CPUs of a node that a job has: ``CPU_IDs=0-1`` of ``scontrol show job -d``.

A test of a job only counts CPUs. Their numbers are given when the job begins: the lowest free ones, a task's CPUs on
one socket and the tasks on the sockets in turn (one socket after the other with CR_CORE_DEFAULT_DIST_BLOCK).
Jobs that share CPUs have a set of numbers for each row.
"""

from __future__ import annotations

from slimsched.model.bitmap import full, iterate, lowest, of
from slimsched.select.gres import fold_ids, unfold_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.select.pool import Hold, NodeKind, Pool

__all__ = ["CpuSets", "fold_ids", "unfold_ids"]


class CpuSets:
    """The CPUs in use by node and row."""

    def __init__(self, *, block: bool) -> None:
        """``block``: fill a socket before the next."""
        self._block = block
        self._used: dict[tuple[int, int], int] = {}

    def take(self, hold: Hold, pool: Pool, per_task: int) -> None:
        """Give a job CPUs of each of its nodes (whole units); ``per_task``: for each task."""
        kinds, uses, use_of, used = pool.kinds, pool.uses, pool.use_of, self._used
        known: dict[tuple[int, int, int], int] = {}  # most nodes of a job are alike
        for k, node in enumerate(hold.nodes):
            number, cpus, place = uses[use_of[node]].kind, hold.shares[k].cpus, (node, hold.rows[k])
            taken = used.get(place, 0)
            found = known.get((number, cpus, taken))
            if found is None:
                found = known[number, cpus, taken] = self._choose(kinds[number], cpus, taken, per_task)
            used[place] = taken | found
            hold.ids[k] = found

    def _choose(self, kind: NodeKind, cpus: int, taken: int, per_task: int) -> int:
        """Return the CPUs that a job gets of a node."""
        free = full(kind.cpus) & ~taken
        if self._block or kind.sockets < 2 or cpus <= per_task or cpus >= free.bit_count():
            return lowest(free, cpus)
        return _in_turn(free, kind, cpus, per_task)

    def mark(self, hold: Hold) -> None:
        """Note CPUs that a job has already."""
        for place, ids in zip(zip(hold.nodes, hold.rows, strict=True), hold.ids, strict=True):
            self._used[place] = self._used.get(place, 0) | ids

    def free(self, hold: Hold) -> None:
        """Give a job's CPUs back."""
        used = self._used
        for place, ids in zip(zip(hold.nodes, hold.rows, strict=True), hold.ids, strict=True):
            left = used.get(place, 0) & ~ids
            if left:
                used[place] = left
            else:
                used.pop(place, None)


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

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
    from slimsched.select.pool import NodeKind

__all__ = ["CpuSets", "fold_ids", "unfold_ids"]


class CpuSets:
    """The CPUs in use by node and row."""

    def __init__(self, *, block: bool) -> None:
        """``block``: fill a socket before the next."""
        self._block = block
        self._used: dict[tuple[int, int], int] = {}

    def take(self, node: int, row: int, kind: NodeKind, cpus: int, per_task: int) -> int:
        """Take ``cpus`` (whole units) for a job with ``per_task`` for each task; return their mask."""
        used = self._used.get((node, row), 0)
        in_order = self._block or kind.sockets < 2 or cpus <= per_task
        if in_order and not used:
            found = (1 << min(cpus, kind.cpus)) - 1
        else:
            free = full(kind.cpus) & ~used
            found = lowest(free, cpus) if in_order else _in_turn(free, kind, cpus, per_task)
        self._used[node, row] = used | found
        return found

    def mark(self, node: int, row: int, mask: int) -> None:
        """Note CPUs that a job has already."""
        self._used[node, row] = self._used.get((node, row), 0) | mask

    def free(self, node: int, row: int, mask: int) -> None:
        """Give CPUs back."""
        left = self._used.get((node, row), 0) & ~mask
        if left:
            self._used[node, row] = left
        else:
            self._used.pop((node, row), None)


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

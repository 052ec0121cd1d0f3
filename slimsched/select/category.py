"""The room that each node has for a category of jobs, kept up to date as nodes change.

`room` is the rule for one node. `NodeCpus` holds a number for every node and, on demand, the set of nodes with at least
k, so that a test of a job is a lookup and an AND. `Room` is the column of a category in a pool.
"""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.select.column import Column
from slimsched.select.gres import Gres, free_of
from slimsched.select.need import ONE_ROW, RESERVED, SHARED, WHOLE_MEMORY, Need
from slimsched.select.pool import NodeKind, NodeUse, Pool

MAX_ROOMS = 512
MAX_DEPTH = 64
"""The depth of forks beyond which columns are computed again."""


def room(need: Need, kind: NodeKind, use: NodeUse) -> int:
    """Return how many CPUs of a node a job of the category can get, 0 if the node will not do."""
    cpus = open_cpus(need, kind, use)
    if not cpus or kind.tmp_disk < need.tmp_disk or kind.sockets < need.sockets or kind.cores < need.cores:
        return 0
    if need.socket_tasks > kind.cores * kind.threads:
        return 0
    if need.threads:
        if need.threads > kind.threads:
            return 0
        cpus = cpus // kind.threads * need.threads
    if need.max_node_cpus:
        cpus = min(cpus, need.max_node_cpus)
    if need.cap:
        cpus = min(cpus, max(0, need.cap.of(kind.sockets) - dict(use.capped).get(need.cap.partition, 0)))
    if need.gres or need.task_gres or need.job_gres:
        cpus = _within_gres(need, kind, use, cpus)
    cpus = _within_memory(need, kind, use, cpus)
    if not need.overcommit:
        cpus -= cpus % need.cpus_per_task
    return cpus if cpus >= need.node_cpus else 0


def open_cpus(need: Need, kind: NodeKind, use: NodeUse) -> int:
    """Return the CPUs that sharing leaves to the job."""
    cpus = max(0, kind.cpus - need.withheld(kind.threads))
    if not use.users:
        return cpus
    if need.mode == RESERVED or use.mode == RESERVED:
        return 0
    if (use.alone or need.alone) and (use.users[0] != need.user or use.users[-1] != need.user):
        return 0
    if need.mode == ONE_ROW:
        return 0 if use.mode == SHARED else cpus - use.rows[0]
    if use.mode == ONE_ROW:
        return 0
    return cpus if len(use.rows) < need.rows else cpus - min(use.rows)


def _within_memory(need: Need, kind: NodeKind, use: NodeUse, cpus: int) -> int:
    if not need.memory:
        return cpus
    free = kind.memory - use.memory
    if need.mem_per_node == WHOLE_MEMORY:
        return 0 if use.memory else cpus
    if need.mem_per_node > free:
        return 0
    return min(cpus, free // need.mem_per_cpu) if need.mem_per_cpu else cpus


def _within_gres(need: Need, kind: NodeKind, use: NodeUse, cpus: int) -> int:
    """Return the CPUs that go with the gres that are free, 0 if these are too few."""
    for want in need.gres:
        if usable(need, kind, use, want, cpus) < want.amount:
            return 0
    for want in need.task_gres:
        tasks = usable(need, kind, use, want, cpus) // max(1, want.amount)
        cpus = min(cpus, tasks * need.cpus_per_task)
    if need.job_gres and not all(usable(need, kind, use, want, cpus) for want in need.job_gres):
        return 0
    return cpus


def usable(need: Need, kind: NodeKind, use: NodeUse, want: Gres, cpus: int) -> int:
    """Return how many of a gres a job can get of a node: GPUs only with the CPUs and memory that go with each."""
    count = free_of(kind.gres, use.gres, want)
    if want.name == "gpu":
        if need.cpus_per_gpu:
            count = min(count, cpus // need.cpus_per_gpu)
        if need.mem_per_gpu and need.memory:
            count = min(count, (kind.memory - use.memory) // need.mem_per_gpu)
    return count


def room_of(pool: Pool, need: Need) -> Room:
    """Return the column of a category in a pool, from that of the pool's parent if it is a fork."""
    found = pool.rooms.get(need)
    if found is None:
        if len(pool.rooms) >= MAX_ROOMS:
            pool.rooms.clear()
        near = pool.parent is not None and pool.depth <= MAX_DEPTH
        parent = room_of(pool.parent, need) if near and pool.parent else None
        if parent:
            parent.refresh()
        found = pool.rooms[need] = Room(need, pool, parent)
    return found


class NodeCpus(Column):
    """A number of CPUs for each node, with the sets of nodes that have at least so many."""

    __slots__ = ("_masks",)

    MAX_MASKS = 256

    def __init__(self, sets: dict[int, int], size: int) -> None:
        super().__init__(sets, size)
        self._masks: dict[int, int] = {}  # at least k, for those asked about

    @classmethod
    def of(cls, values: list[int]) -> NodeCpus:
        """Return the column of a list."""
        return cls(bitmap.grouped(enumerate(values)), len(values))

    def refresh(self) -> None:
        """Bring the column up to date."""

    def values(self) -> list[int]:
        """Return the CPUs of every node (not to be changed)."""
        self.refresh()
        return super().values()

    def at_least(self, cpus: int) -> int:
        """Return the nodes that have so many CPUs."""
        self.refresh()
        mask = self._masks.get(cpus)
        if mask is None:
            if len(self._masks) >= self.MAX_MASKS:
                self._masks.clear()
            mask = 0
            for value, nodes in self.sets.items():
                if value >= cpus:
                    mask |= nodes
            self._masks[cpus] = mask
        return mask

    def levels(self, cpus: int) -> list[int]:
        """Return the numbers of CPUs from ``cpus`` up that some node has, ascending; as of the last `refresh`."""
        return sorted(value for value in self.sets if value >= cpus)

    def exactly(self, cpus: int) -> int:
        """Return the nodes that have so many CPUs; as of the last `refresh`."""
        return self.sets.get(cpus, 0)

    def total(self, nodes: int) -> int:
        """Return the CPUs of some nodes together; as of the last `refresh`."""
        return sum(cpus * (nodes & held).bit_count() for cpus, held in self.sets.items())

    def move(self, old: int, new: int, nodes: int) -> None:
        """Note that some nodes had ``old`` CPUs each and have ``new`` ones now."""
        super().move(old, new, nodes)
        low, high = (old, new) if old < new else (new, old)
        for k, mask in self._masks.items():
            if low < k <= high:
                self._masks[k] = mask ^ nodes


class Room(NodeCpus):
    """What a category can get of each node of a pool, kept up to date with it."""

    __slots__ = ("_caps", "_epoch", "_need", "_pool", "_seen")

    def __init__(self, need: Need, pool: Pool, parent: Room | None = None) -> None:
        """``parent``: the same category in the pool that ``pool`` is a fork of, up to date."""
        super().__init__({}, pool.numbers.size)
        self._need = need
        self._pool = pool
        self._epoch = pool.epoch
        self._caps: dict[int, int] = parent._caps if parent else {}
        if parent is None:
            self._build()
        else:
            self._masks, self.sets = parent._masks.copy(), parent.sets.copy()
            self._seen = 0

    def refresh(self) -> None:
        """Follow the moves of nodes since the last call."""
        pool = self._pool
        if self._epoch != pool.epoch:
            self._epoch = pool.epoch
            self._caps = {}
            self._build()
        elif self._seen != len(pool.log):
            caps, of_use = self._caps, self.of_use
            for old, new, nodes in pool.log[self._seen :]:
                before = caps[old] if old in caps else of_use(old)
                now = caps[new] if new in caps else of_use(new)
                if before != now:
                    self.move(before, now, nodes)
            self._seen = len(pool.log)

    def _build(self) -> None:
        """Fill the column: the rule is applied once for each distinct use, not for each node."""
        self.sets, self._masks, self._values = {}, {}, []
        for number, nodes in self._pool.numbers.sets.items():
            cpus = self.of_use(number)
            self.sets[cpus] = self.sets.get(cpus, 0) | nodes
        self._seen = len(self._pool.log)

    def of_use(self, number: int) -> int:
        """Return the CPUs that the category can get of a node in a use, by its number; as of the last `refresh`."""
        cap = self._caps.get(number)
        if cap is None:
            use = self._pool.uses[number]
            cap = self._caps[number] = room(self._need, self._pool.kinds[use.kind], use)
        return cap

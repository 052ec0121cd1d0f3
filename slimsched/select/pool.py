"""The pool of free resources on every node: the state that jobs are tested against.

A node's use is one small record (`NodeUse`), and equal ones are stored once; a node holds the number of its own.
So a copy of the whole cluster, to see what would be free when some jobs have ended, copies one list of integers,
and what a category of jobs can get of a node is worked out once for each distinct use, not for each node.
"""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.model.record import Value, replaced
from slimsched.select import gres
from slimsched.select.need import IDLE, Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.node import Node
    from slimsched.select.category import Room


class NodeKind(Value, frozen=True):
    """The resources of a node; equal for nodes with the same configuration."""

    cpus: int  # less those set aside for the system
    memory: int  # MB, likewise
    unit: int  # CPUs that are allocated together: one, those of a core, those of a socket
    threads: int  # CPUs of a core
    sockets: int
    cores: int  # per socket
    tmp_disk: int
    gres: tuple[gres.Gres, ...]


class NodeUse(Value, frozen=True):
    """What is taken of a node."""

    kind: int
    mode: int  # IDLE, SHARED, ONE_ROW or RESERVED
    rows: tuple[int, ...]  # CPUs taken, by row: more than one row when CPUs are oversubscribed
    memory: int  # MB
    gres: tuple[int, ...]  # mask of devices, by entry of the node's gres
    users: tuple[int, ...]  # users of the jobs here, one entry per job, ascending
    alone: int  # how many of the jobs share only with their own user
    capped: tuple[tuple[str, int], ...] = ()  # CPUs taken by jobs of partitions that have a limit, by partition


class Share:
    """What one job takes of a node; its nodes that give the same have one object together."""

    __slots__ = ("cpus", "gres", "memory")

    def __init__(self, cpus: int, memory: int, taken: tuple[int, ...]) -> None:
        """``cpus`` in whole units; ``taken``: mask of devices, by entry of the node's gres."""
        self.cpus = cpus
        self.memory = memory
        self.gres = taken


class Hold:
    """What one job holds; ``running`` is false while it is suspended and uses only memory and gres."""

    __slots__ = ("alone", "capped", "ids", "mask", "mode", "need", "nodes", "rows", "running", "shares", "user")

    def __init__(self, need: Need, user: int, nodes: list[int], shares: list[Share]) -> None:
        """``shares``: of each node in turn."""
        self.need = need
        self.mode = need.mode
        self.alone = int(need.alone)
        self.capped = need.cap.partition if need.cap else ""
        self.user = user
        self.nodes = nodes
        self.shares = shares
        self.mask = bitmap.of(nodes)
        self.rows = [0] * len(nodes)  # the row that it is in, by node
        self.ids = [0] * len(nodes)  # the CPUs that it has, by node
        self.running = True


Move = tuple[int, int]
"""The number of a use that a node gets, and the row that the job is in."""


class Pool:
    """The use of all nodes by a set of jobs, with a log of the nodes that changed."""

    MAX_USES = 100_000

    def __init__(self, kinds: Sequence[NodeKind]) -> None:
        """All nodes idle; ``kinds`` gives the kind of each."""
        self.kinds: list[NodeKind] = list(dict.fromkeys(kinds))
        number = {kind: k for k, kind in enumerate(self.kinds)}
        self.uses: list[NodeUse] = []
        self._numbers: dict[NodeUse, int] = {}
        self._moves: dict[
            tuple[object, ...], Move
        ] = {}  # a use and what is taken or given back -> the use from then on
        idle = [self._intern(_idle(k, kind)) for k, kind in enumerate(self.kinds)]
        self.use_of: list[int] = [idle[number[kind]] for kind in kinds]
        self.log: list[int] = []
        self.epoch = 0  # counts the times the log was cut
        self.parent: Pool | None = None
        self.depth = 0
        self.rooms: dict[Need, Room] = {}

    def fork(self) -> Pool:
        """Return a copy for trials; it is valid as long as this pool does not change."""
        copy = object.__new__(Pool)
        copy.kinds, copy.uses, copy._numbers, copy._moves = self.kinds, self.uses, self._numbers, self._moves
        copy.use_of = self.use_of.copy()
        copy.log = []
        copy.epoch = 0
        copy.parent = self
        copy.depth = self.depth + 1
        copy.rooms = {}
        return copy

    def less(self, cpus: Mapping[int, int]) -> Pool:
        """Return the pool less some CPUs of nodes, by index."""
        if not cpus:
            return self
        fork = self.fork()
        for index, count in cpus.items():
            kind = self.kind(index)
            fork.refit(index, replaced(kind, cpus=max(0, kind.cpus - count)))
        return fork

    def use(self, index: int) -> NodeUse:
        """Return what is taken of a node."""
        return self.uses[self.use_of[index]]

    def kind(self, index: int) -> NodeKind:
        """Return what a node has."""
        return self.kinds[self.uses[self.use_of[index]].kind]

    def add(self, hold: Hold) -> None:
        """Book all that a job holds: memory and gres, and its CPUs if it runs."""
        hold.rows = self._move(hold, adds=True)

    def remove(self, hold: Hold) -> None:
        """Free all that a job holds."""
        self._move(hold, adds=False)

    def _move(self, hold: Hold, *, adds: bool) -> list[int]:
        """Add or take away what a job holds of its nodes; return the row that it is in, by node."""
        use_of, rows = self.use_of, []
        known: dict[tuple[int, Share, int], Move] = {}
        for node, share, row in zip(hold.nodes, hold.shares, hold.rows, strict=True):
            key = use_of[node], share, row
            move = known.get(key)
            if move is None:
                move = known[key] = self._moved(*key, hold, adds=adds)
            use_of[node] = move[0]
            rows.append(move[1])
        self.log += hold.nodes
        self._trim()
        return rows

    def _moved(self, number: int, share: Share, row: int, hold: Hold, *, adds: bool) -> Move:
        """Return what becomes of a use; it is the same for all jobs that take the same."""
        what = share.cpus, share.memory, share.gres, hold.mode, hold.user, hold.alone, hold.capped, hold.running
        key = number, row, adds, what
        move = self._moves.get(key)
        if move is None:
            if len(self._moves) >= self.MAX_USES:
                self._moves.clear()
            use = self.uses[number]
            move = self._with(use, hold, share, row) if adds else (self._without(use, hold, share, row), row)
            self._moves[key] = move
        return move

    def _with(self, use: NodeUse, hold: Hold, share: Share, row: int) -> tuple[int, int]:
        """Return the number of a use with a job's share added, and the row that the job is in."""
        kind, memory = self.kinds[use.kind], use.memory + share.memory
        taken = gres.plus(kind.gres, use.gres, share.gres) if share.gres else use.gres
        if not hold.running:
            return self._intern(replaced(use, memory=memory, gres=taken)), row
        rows, row = _into_row(use.rows, share.cpus, kind.cpus)
        mode, users, alone = max(use.mode, hold.mode), _with(use.users, hold.user), use.alone + hold.alone
        capped = _counted(use.capped, hold.capped, share.cpus)
        return self._intern(NodeUse(use.kind, mode, rows, memory, taken, users, alone, capped)), row

    def _without(self, use: NodeUse, hold: Hold, share: Share, row: int) -> int:
        """Return the number of a use with a job's share taken away."""
        memory = use.memory - share.memory
        taken = gres.minus(self.kinds[use.kind].gres, use.gres, share.gres) if share.gres else use.gres
        if not hold.running:
            return self._intern(replaced(use, memory=memory, gres=taken))
        rows, users = _out_of_row(use.rows, row, share.cpus), _without(use.users, hold.user)
        mode, alone = use.mode if users else IDLE, use.alone - hold.alone
        capped = _counted(use.capped, hold.capped, -share.cpus)
        return self._intern(NodeUse(use.kind, mode, rows, memory, taken, users, alone, capped))

    def refit(self, index: int, kind: NodeKind) -> None:
        """Give a node another kind, keeping what is taken of it (gres stay with the entries of the same place)."""
        if kind not in self.kinds:
            self.kinds.append(kind)
        use = self.use(index)
        taken = (use.gres + (0,) * len(kind.gres))[: len(kind.gres)]
        self.use_of[index] = self._intern(replaced(use, kind=self.kinds.index(kind), gres=taken))
        self.log.append(index)
        self._trim()

    def _intern(self, use: NodeUse) -> int:
        number = self._numbers.setdefault(use, len(self.uses))
        if number == len(self.uses):
            self.uses.append(use)
        return number

    def _trim(self) -> None:
        """Forget a log that is long, and the uses that no node has any more if there are many."""
        if len(self.log) <= 4 * len(self.use_of) + 1000:
            return
        self.log.clear()
        self.epoch += 1
        if len(self.uses) > self.MAX_USES and self.parent is None:
            live = [self.uses[number] for number in self.use_of]
            self.uses, self._numbers, self._moves = [], {}, {}
            self.use_of = [self._intern(use) for use in live]


def _with(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    return tuple(sorted((*users, user))) if users else (user,)


def _without(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    place = users.index(user)
    return users[:place] + users[place + 1 :]


def _counted(capped: tuple[tuple[str, int], ...], partition: str, cpus: int) -> tuple[tuple[str, int], ...]:
    """Return the CPUs by partition after some of one were taken, or given back; none for a partition without limit."""
    if not partition:
        return capped
    total = dict(capped)
    total[partition] = total.get(partition, 0) + cpus
    return tuple(sorted((name, count) for name, count in total.items() if count))


def _idle(number: int, kind: NodeKind) -> NodeUse:
    return NodeUse(number, IDLE, (0,), 0, (0,) * len(kind.gres), (), 0)


def _into_row(rows: tuple[int, ...], cpus: int, limit: int) -> tuple[tuple[int, ...], int]:
    """Put ``cpus`` in the first row with room for them, else in a new one; return the rows and its place."""
    for k, taken in enumerate(rows):
        if taken + cpus <= limit:
            return (*rows[:k], taken + cpus, *rows[k + 1 :]), k
    return (*rows, cpus), len(rows)


def _out_of_row(rows: tuple[int, ...], place: int, cpus: int) -> tuple[int, ...]:
    left = [*rows[:place], rows[place] - cpus, *rows[place + 1 :]]
    while len(left) > 1 and not left[-1]:
        left.pop()
    return tuple(left)


def kind_of(node: Node, unit: str) -> NodeKind:
    """Return the resources of a node; ``unit`` is the unit of allocation: CPU, CORE, SOCKET or BOARD."""
    cores = max(1, node.sockets * node.cores_per_socket)
    threads = max(1, node.cpus // cores)
    per_unit = {"SOCKET": threads * node.cores_per_socket, "BOARD": node.cpus // max(1, node.boards)}
    return NodeKind(
        cpus=max(0, node.cpus - node.core_spec_count * threads),
        memory=max(0, node.real_memory - node.mem_spec_limit),
        unit=max(1, per_unit.get(unit, threads)),
        threads=threads,
        sockets=node.sockets,
        cores=node.cores_per_socket,
        tmp_disk=node.tmp_disk,
        gres=gres.parse(node.gres),
    )

"""The pool of free resources on every node: the state that jobs are tested against.

A node's use is one small record (`NodeUse`), and equal ones are stored once, with a number. The nodes in one use are a
set. So a copy of the whole cluster, to see what would be free when some jobs have ended, copies a few sets, and what a
category of jobs can get of a node is worked out once for each distinct use, not for each node.
"""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.model.record import Value, replaced
from slimsched.select import gres
from slimsched.select.column import Column
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


class Part:
    """Nodes of which one job takes the same, and that are the same to it."""

    __slots__ = ("cpus", "gres", "ids", "memory", "nodes", "row")

    def __init__(self, nodes: int, cpus: int, memory: int, taken: tuple[int, ...], row: int = 0, ids: int = 0) -> None:
        """``cpus`` of each, in whole units; ``taken``: mask of devices, by entry of the node's gres.

        ``row``: the one that the job is in there; ``ids``: the CPUs that it has of each.
        """
        self.nodes = nodes
        self.cpus = cpus
        self.memory = memory
        self.gres = taken
        self.row = row
        self.ids = ids


class Hold:
    """What one job holds; ``running`` is false while it is suspended and uses only memory and gres."""

    __slots__ = ("alone", "capped", "mask", "mode", "need", "order", "parts", "running", "user")

    def __init__(self, need: Need, user: int, parts: list[Part], order: list[int] | None = None) -> None:
        """``order``: the nodes as the job's record has them, where that is not the order of the node table."""
        self.need = need
        self.mode = need.mode
        self.alone = int(need.alone)
        self.capped = need.cap.partition if need.cap else ""
        self.user = user
        self.parts = parts
        self.order = order
        self.mask = 0
        for part in parts:
            self.mask |= part.nodes
        self.running = True


Moves = dict[tuple[int, int], int]
"""The numbers of a use before and after -> the nodes that pass from one to the other."""

_Booked = tuple[int, int]
"""The number of a use that a node gets, and the row that the job is in."""


class Pool:
    """The use of all nodes by a set of jobs, with a log of the moves from one use to another."""

    MAX_USES = 100_000
    MAX_LOG = 4000

    def __init__(self, kinds: Sequence[NodeKind]) -> None:
        """All nodes idle; ``kinds`` gives the kind of each."""
        self.kinds: list[NodeKind] = list(dict.fromkeys(kinds))
        number = {kind: k for k, kind in enumerate(self.kinds)}
        self.uses: list[NodeUse] = []
        self._numbers: dict[NodeUse, int] = {}
        self._moves: dict[
            tuple[object, ...], _Booked
        ] = {}  # a use and what is taken or given back -> the use from then on
        idle = [self._intern(_idle(k, kind)) for k, kind in enumerate(self.kinds)]
        sets = bitmap.grouped(enumerate([idle[number[kind]] for kind in kinds]))
        self.numbers = Column(sets, len(kinds))
        self.numbers.values()
        self.log: list[tuple[int, int, int]] = []  # numbers of uses before and after, and the nodes
        self.epoch = 0  # counts the times the log was cut
        self.parent: Pool | None = None
        self.depth = 0
        self.rooms: dict[Need, Room] = {}

    def fork(self) -> Pool:
        """Return a copy for trials; it is valid as long as this pool does not change."""
        copy = object.__new__(Pool)
        copy.kinds, copy.uses, copy._numbers, copy._moves = self.kinds, self.uses, self._numbers, self._moves
        copy.numbers = self.numbers.fork()
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
        return self.uses[self.numbers.at(index)]

    def kind(self, index: int) -> NodeKind:
        """Return what a node has."""
        return self.kinds[self.use(index).kind]

    def by_kind(self, nodes: int) -> list[tuple[NodeKind, int]]:
        """Return the kinds of some nodes, each with those of the nodes that are of it."""
        if len(self.kinds) == 1:
            return [(self.kinds[0], nodes)]
        found: dict[int, int] = {}
        for number, same in self.numbers.parts(nodes):
            kind = self.uses[number].kind
            found[kind] = found.get(kind, 0) | same
        return [(self.kinds[kind], same) for kind, same in found.items()]

    def add(self, hold: Hold) -> None:
        """Book all that a job holds: memory and gres, and its CPUs if it runs."""
        numbers, log, parts = self.numbers, self.log, []
        for part in hold.parts:
            rows: dict[int, int] = {}
            for old, nodes in numbers.parts(part.nodes):
                new, row = self._moved(old, part, hold, adds=True)
                numbers.move(old, new, nodes)
                log.append((old, new, nodes))
                rows[row] = rows.get(row, 0) | nodes
            if len(rows) == 1 and part.row in rows:
                parts.append(part)
            else:
                parts += [Part(nodes, part.cpus, part.memory, part.gres, row, part.ids) for row, nodes in rows.items()]
        hold.parts = parts
        if len(log) > self.MAX_LOG:
            self._trim()

    def remove(self, hold: Hold) -> None:
        """Free all that a job holds."""
        self.follow(self.given_back(hold, hold.mask))

    def given_back(self, hold: Hold, nodes: int) -> Moves:
        """Return what becomes of some nodes when a job's hold on them is freed."""
        moves: Moves = {}
        for part in hold.parts:
            for old, same in self.numbers.parts(part.nodes & nodes):
                uses = old, self._moved(old, part, hold, adds=False)[0]
                moves[uses] = moves.get(uses, 0) | same
        return moves

    def follow(self, moves: Moves) -> None:
        """Let nodes pass from one use to another."""
        numbers, log = self.numbers, self.log
        for (old, new), nodes in moves.items():
            numbers.move(old, new, nodes)
            log.append((old, new, nodes))
        if len(log) > self.MAX_LOG:
            self._trim()

    def changed(self, epoch: int, place: int) -> int:
        """Return the nodes that have passed to another use since the log was so long; all, if it was cut since."""
        nodes = 0
        if epoch != self.epoch:
            return bitmap.full(self.numbers.size)
        for _, _, moved in self.log[place:]:
            nodes |= moved
        return nodes

    def _moved(self, number: int, part: Part, hold: Hold, *, adds: bool) -> _Booked:
        """Return what becomes of a use; it is the same for all jobs that take the same."""
        what = part.cpus, part.memory, part.gres, hold.mode, hold.user, hold.alone, hold.capped, hold.running
        key = number, part.row, adds, what
        move = self._moves.get(key)
        if move is None:
            if len(self._moves) >= self.MAX_USES:
                self._moves.clear()
            use = self.uses[number]
            move = self._with(use, hold, part) if adds else (self._without(use, hold, part), part.row)
            self._moves[key] = move
        return move

    def _with(self, use: NodeUse, hold: Hold, part: Part) -> _Booked:
        """Return the number of a use with what a job takes added, and the row that the job is in."""
        kind, memory = self.kinds[use.kind], use.memory + part.memory
        taken = gres.plus(kind.gres, use.gres, part.gres) if part.gres else use.gres
        if not hold.running:
            return self._intern(replaced(use, memory=memory, gres=taken)), part.row
        rows, row = _into_row(use.rows, part.cpus, kind.cpus)
        mode, users, alone = max(use.mode, hold.mode), _with(use.users, hold.user), use.alone + hold.alone
        capped = _counted(use.capped, hold.capped, part.cpus)
        return self._intern(NodeUse(use.kind, mode, rows, memory, taken, users, alone, capped)), row

    def _without(self, use: NodeUse, hold: Hold, part: Part) -> int:
        """Return the number of a use with what a job takes given back."""
        memory = use.memory - part.memory
        taken = gres.minus(self.kinds[use.kind].gres, use.gres, part.gres) if part.gres else use.gres
        if not hold.running:
            return self._intern(replaced(use, memory=memory, gres=taken))
        rows, users = _out_of_row(use.rows, part.row, part.cpus), _without(use.users, hold.user)
        mode, alone = use.mode if users else IDLE, use.alone - hold.alone
        capped = _counted(use.capped, hold.capped, -part.cpus)
        return self._intern(NodeUse(use.kind, mode, rows, memory, taken, users, alone, capped))

    def refit(self, index: int, kind: NodeKind) -> None:
        """Give a node another kind, keeping what is taken of it (gres stay with the entries of the same place)."""
        if kind not in self.kinds:
            self.kinds.append(kind)
        use = self.use(index)
        taken = (use.gres + (0,) * len(kind.gres))[: len(kind.gres)]
        old, new = self.numbers.at(index), self._intern(replaced(use, kind=self.kinds.index(kind), gres=taken))
        self.numbers.move(old, new, 1 << index)
        self.log.append((old, new, 1 << index))

    def _intern(self, use: NodeUse) -> int:
        number = self._numbers.setdefault(use, len(self.uses))
        if number == len(self.uses):
            self.uses.append(use)
        return number

    def _trim(self) -> None:
        """Forget the log, and the uses that no node has any more if there are many."""
        self.log.clear()
        self.epoch += 1
        if len(self.uses) > self.MAX_USES and self.parent is None:
            live = [(self.uses[number], nodes) for number, nodes in self.numbers.sets.items()]
            self.uses, self._numbers, self._moves = [], {}, {}
            self.numbers = Column({self._intern(use): nodes for use, nodes in live}, self.numbers.size)
            self.numbers.values()


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

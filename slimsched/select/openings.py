"""Openings: the instants at which nodes open for a job, one by one, a forecast for many waiting jobs at once.

WILL_RUN places one job in one future after another. Most jobs ask for a number of nodes each of which suffices by
itself; for these it is enough to know from which instant on each node will do, and that is the same for all jobs
of a category. `Forecast` works it out once per change of the books.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from slimsched.model import bitmap
from slimsched.select.category import room_of
from slimsched.select.need import ONE_ROW, RESERVED, Need
from slimsched.select.place import ask_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.select.best_fit import Ask
    from slimsched.select.category import Room
    from slimsched.select.ledger import Ledger
    from slimsched.select.pool import Pool
    from slimsched.select.records import JobTest

Steps = list[tuple[int, int]]
"""Instants, the present first, each with the nodes that are open from then on."""


class Shape:
    """The common part of jobs of a category that ask for the same numbers: there is one object for all of them."""

    __slots__ = ("alike", "amounts", "ask", "need", "nodes", "size")

    def __init__(self, need: Need, ask: Ask, size: int, nodes: int, *, alike: bool) -> None:
        """``alike``: whether all ``nodes`` are the same to the job, which takes them whole."""
        self.need = need
        self.ask = ask  # whatever nodes a job requires
        self.size = size  # how many nodes the job takes; 0 if its nodes must be judged together, by WILL_RUN
        self.nodes = nodes  # those that would do if they were empty
        self.alike = alike
        self.amounts: tuple[int, int, str] | None = None  # CPUs, memory and gres of each node, once they were wanted


class Openings:
    """The nodes that one job waits for: any ``count`` of the ``nodes`` that are open by then."""

    __slots__ = ("count", "nodes", "shape", "steps")

    def __init__(self, shape: Shape, nodes: int, steps: Steps) -> None:
        self.shape, self.count = shape, shape.size
        self.nodes = nodes
        self.steps = steps

    def first(self, usable: int) -> int:
        """Return the place of the first step with enough nodes among the ``usable`` ones."""
        steps, count = self.steps, self.count
        low, high = 0, len(steps)
        while low < high:
            middle = (low + high) // 2
            if (steps[middle][1] & usable).bit_count() < count:
                low = middle + 1
            else:
                high = middle
        return low

    def soonest(self, usable: int, required: int) -> tuple[int, int]:
        """Return the first step with enough nodes among the ``usable`` ones and all ``required`` ones; there is one."""
        steps = self.steps
        i = self.first(usable)
        while required & ~steps[i][1]:
            i += 1
        return steps[i]


class Foresight(ABC):
    """Optional functions of a select plugin beyond the guide's, for schedulers that plan many jobs.

    One that does not is asked WILL_RUN instead.
    """

    waits_for_start = True
    """Whether nodes for a planned start are chosen by what is free then (see `JobTest.start`)."""

    @property
    @abstractmethod
    def shape_changes(self) -> int:
        """How often shapes have become void: the nodes, or what makes two jobs alike, have changed."""

    @property
    @abstractmethod
    def changes(self) -> int:
        """How often what jobs hold, or when they end, has changed."""

    @abstractmethod
    def first_end(self) -> int:
        """Return when the first running job reaches its limit; one that has reached it may end in a second."""

    @abstractmethod
    def shape(self, request: JobTest) -> Shape | None:
        """Return what a job has in common with others, whatever its nodes; ``None`` for one that is like no other."""

    @abstractmethod
    def open_now(self, shape: Shape) -> int:
        """Return the nodes that would each do for a job at present."""

    @abstractmethod
    def openings(self, shape: Shape, candidates: int) -> Openings:
        """Return the instants from which each of the ``candidates`` by itself would do for a job."""

    @abstractmethod
    def pick(self, request: JobTest, openings: Openings, instant: int) -> int:
        """Return the nodes that a job would get of ``request.bitmap`` at ``instant``; Never if too few.

        The nodes are open for the job by then; ``openings``: what `openings` answered for it.
        """

    def may_suffice(self, shape: Shape, nodes: int, instant: int) -> bool:
        """Whether some nodes may do for a job by an instant, as jobs end; if not, WILL_RUN would find a later one.

        A plugin need not know.
        """
        return True

    @abstractmethod
    def idle(self) -> int:
        """Return the nodes on which some CPU is free."""


def _count(need: Need, ask: Ask, levels: list[int]) -> int:
    """Return how many nodes a job takes, 0 if the number depends on the choice of nodes.

    ``levels``: the numbers of CPUs that empty nodes give to it.
    """
    together = need.job_gres or need.contiguous or need.alone or ask.req_nodes > ask.min_nodes
    if together or need.mode not in (RESERVED, ONE_ROW):
        return 0
    if ask.cpus <= ask.min_nodes * ask.node_cpus:
        return ask.min_nodes
    count = max(ask.min_nodes, -(-ask.cpus // levels[0])) if need.mode == RESERVED and len(levels) == 1 else 0
    return count if count <= ask.max_nodes else 0


class Forecast:
    """The openings of one plugin's nodes."""

    MAX_SHAPES = 10_000

    def __init__(self, cluster: Cluster, ledger: Ledger, empty: Pool) -> None:
        """``empty``: the pool with every node idle."""
        self._cluster = cluster
        self._parameters = cluster.config.parameters
        self._ledger = ledger
        self._empty = empty
        self._shapes: dict[tuple[Need, int, int, int], Shape] = {}
        self._shapes_of: tuple[int, int] = (-1, 0)  # the state of the empty pool that they hold for
        self._state: tuple[int, int] = (-1, -1)
        self._steps: dict[tuple[Need | None, int], Steps] = {}
        self._openings: dict[tuple[Shape, int], Openings] = {}
        self._empty_nodes: int | None = None
        self._idle = 0
        self._seen = (-1, 0)  # how much of the pool's log has been read

    def of(self, shape: Shape, candidates: int) -> Openings:
        """Return what a job waits for among the candidates."""
        self._refresh()
        found = self._openings.get((shape, candidates))
        if found is None:
            if shape.need.mode == RESERVED:
                found = Openings(shape, shape.nodes, self._whole(candidates))
            else:
                steps = self._shared(shape.need, candidates)
                found = Openings(shape, steps[-1][1], steps)
            self._openings[shape, candidates] = found
        return found

    def open_now(self, shape: Shape) -> int:
        """Return the nodes that would each do for a job at present."""
        need = shape.need
        if need.mode != RESERVED:
            return room_of(self._ledger.pool, need).at_least(need.node_cpus)
        return self.empty_nodes()

    def empty_nodes(self) -> int:
        """Return the nodes that no job uses."""
        self._refresh()
        if self._empty_nodes is None:
            used = 0
            for hold in self._ledger.holds.values():
                used |= hold.mask
            self._empty_nodes = bitmap.full(len(self._cluster.nodes)) & ~used
        return self._empty_nodes

    def shape(self, need: Need, request: JobTest) -> Shape:
        """Return what is the same for all jobs of the category with these numbers; it is kept."""
        empty = self._empty
        state = empty.epoch, len(empty.log)
        if state != self._shapes_of or len(self._shapes) > self.MAX_SHAPES:
            self._shapes.clear()
            self._shapes_of = state
        key = need, request.min_nodes, request.max_nodes, request.req_nodes
        shape = self._shapes.get(key)
        if shape is None:
            ask, empty_room = ask_of(need, request), room_of(empty, need)
            ask.required = 0
            levels = empty_room.levels(need.node_cpus)
            alike = need.mode == RESERVED and len(levels) == 1 and not (need.spread or need.least_loaded)
            nodes = empty_room.at_least(need.node_cpus)
            shape = self._shapes[key] = Shape(need, ask, _count(need, ask, levels), nodes, alike=alike)
        return shape

    def idle(self) -> int:
        """Return the nodes on which some CPU is free."""
        pool = self._ledger.pool
        if self._seen[0] != pool.epoch:
            changed: Iterable[tuple[int, int]] = pool.numbers.sets.items()
        elif self._seen[1] != len(pool.log):
            changed = [(new, nodes) for _, new, nodes in pool.log[self._seen[1] :]]
        else:
            return self._idle
        for number, nodes in changed:
            use = pool.uses[number]
            full = use.mode == RESERVED or (use.mode == ONE_ROW and use.rows[0] >= pool.kinds[use.kind].cpus)
            self._idle = self._idle & ~nodes if full else self._idle | nodes
        self._seen = pool.epoch, len(pool.log)
        return self._idle

    def _whole(self, candidates: int) -> Steps:
        """Return the steps for jobs that take whole nodes: a node opens when the last job on it ends."""
        steps = self._steps.get((None, candidates))
        if steps is None:
            ends = self._ledger.futures.ends(self._cluster.now)
            seen, opened = 0, [0] * len(ends)
            for place in range(len(ends) - 1, -1, -1):
                mask = ends[place][2].mask
                opened[place] = mask & ~seen
                seen |= mask
            idle = bitmap.full(len(self._cluster.nodes)) & ~seen
            steps = self._steps[None, candidates] = self._add_up(idle, opened, candidates)
        return steps

    def _shared(self, need: Need, candidates: int) -> Steps:
        """Return the steps for jobs that share nodes: a node opens when enough of what it holds is free."""
        steps = self._steps.get((need, candidates))
        if steps is None:
            room = room_of(self._ledger.pool, need)
            now = room.at_least(need.node_cpus)
            able = room_of(self._empty, need).at_least(need.node_cpus)
            opened = self._opened(room, need.node_cpus, able & ~now & candidates)
            steps = self._steps[need, candidates] = self._add_up(now, opened, candidates)
        return steps

    def _opened(self, room: Room, cpus: int, closed: int) -> list[int]:
        """Return which of the ``closed`` nodes open with the end of each job."""
        futures, opened = self._ledger.futures, []
        for place, (_, _, hold) in enumerate(futures.ends(self._cluster.now)):
            new = 0
            if hold.mask & closed:
                for (_, use), nodes in futures.moves(place).items():
                    if nodes & closed and room.of_use(use) >= cpus:
                        new |= nodes & closed
                closed &= ~new
            opened.append(new)
        return opened

    def _add_up(self, now: int, opened: list[int], candidates: int) -> Steps:
        """Return the steps: open nodes are summed, and ends within one window count as one (see `Futures`)."""
        steps, futures, parameters, place = [(self._cluster.now, now)], self._ledger.futures, self._parameters, 0
        linear, exact = parameters.text("bf_window_linear"), "bf_exact" in parameters
        for end, ended in futures.after(self._cluster.now, candidates, linear, exact=exact):
            for nodes in opened[place:ended]:
                now |= nodes
            place = ended
            if now == steps[-1][1]:
                continue
            if exact and end == steps[-1][0]:
                steps[-1] = end, now
            else:
                steps.append((end, now))
        return steps

    def _refresh(self) -> None:
        """Forget the steps if anything has changed."""
        state = self._ledger.futures.version, self._cluster.now
        if state != self._state:
            self._state = state
            self._steps, self._openings, self._empty_nodes = {}, {}, None

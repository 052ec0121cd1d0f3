"""Finding nodes for a job in a pool: the one test behind RUN_NOW, TEST_ONLY, WILL_RUN and preemption."""

from __future__ import annotations

from slimsched.errors import Never
from slimsched.model import bitmap
from slimsched.select import best_fit, topology
from slimsched.select.category import NodeCpus, room_of, usable
from slimsched.select.grant import JobGres, cpus_within, grant
from slimsched.select.gres import Gres, free_of
from slimsched.select.need import RESERVED, SHARED, Need
from slimsched.select.records import JobTest, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.openings import Shape
    from slimsched.select.pool import Pool

_GPUS = Gres("gpu", "", 0)


class Placer:
    """Places jobs on the nodes of one cluster."""

    def __init__(self, cluster: Cluster, empty: Pool, *, whole_units: bool, linear: bool) -> None:
        """``empty``: the pool with every node idle.

        ``whole_units``: a job is given cores or sockets, and all their CPUs count as its own.
        ``linear``: whether a job that does not say how many tasks it has asks for one node.
        """
        self.linear = linear
        self.whole_units = whole_units
        self.cluster = cluster
        self.empty = empty
        self._groups: list[int] = []
        self._power = -1
        self.topology = topology.read(cluster)
        self._plain: dict[Need, Need] = {}

    @property
    def groups(self) -> list[int]:
        """The nodes in the order in which they are taken: by power (up, coming up, off), then by Weight."""
        power = self.cluster.epoch.get("power", 0)
        if power != self._power:
            self._power = power
            ranks = bitmap.grouped(enumerate([(node.power_rank, node.weight) for node in self.cluster.nodes]))
            self._groups = [ranks[rank] for rank in sorted(ranks)]
        return self._groups

    def place(self, need: Need, pool: Pool, request: JobTest) -> Selection | None:
        """Return where the job fits in ``pool``; CPUs are oversubscribed only if it does not fit otherwise."""
        if need.mode == SHARED:
            plain = self._plain.get(need)
            if plain is None:
                plain = self._plain[need] = need.with_rows(1)
            found = self._place(plain, pool, request)
            if found:
                return found
        return self._place(need, pool, request)

    def _place(self, need: Need, pool: Pool, request: JobTest) -> Selection | None:
        room = self._room(need, pool, request)
        mask = room.at_least(need.node_cpus) & request.bitmap
        ask = self._enough(need, request, room, mask)
        if ask is None:
            return None
        ask.req_nodes = max(ask.min_nodes, min(ask.req_nodes, mask.bit_count()))
        choose = self._choose_gres if need.job_gres else self._choose
        chosen = choose(need, pool, ask, room, mask)
        if not chosen or not request.amounts:
            return Selection(bitmap.of(chosen)) if chosen else None
        if (ask.req_nodes > ask.min_nodes or ask.room > ask.node_cpus) and not need.job_gres:
            from slimsched.select.dealing import dealt

            chosen = dealt(need, ask, chosen, {index: pool.kind(index).threads for index in chosen})
        return grant(need, pool, chosen, whole_units=self.whole_units)

    def _enough(self, need: Need, request: JobTest, room: NodeCpus, mask: int) -> best_fit.Ask | None:
        """Return what the job asks for, ``None`` if it is more than the nodes of ``mask`` have, whatever the choice."""
        if not mask or request.required & ~mask:
            return None
        ask = self._ask(need, request)
        return ask if best_fit.may_suffice(ask, room, mask) else None

    def lacks(self, need: Need, pool: Pool, request: JobTest) -> bool:
        """Whether the job certainly fits neither in ``pool`` nor where less is free."""
        room = self._room(need, pool, request)
        return self._enough(need, request, room, room.at_least(need.node_cpus) & request.bitmap) is None

    def pick(self, need: Need, pool: Pool, request: JobTest) -> int:
        """Return the nodes that a job gets of ``request.bitmap``, without the amounts; Never if too few."""
        room = self._room(need, pool, request)
        mask = room.at_least(need.node_cpus) & request.bitmap
        chosen = self._choose(need, pool, self._ask(need, request), room, mask)
        if not chosen:
            raise Never()
        return bitmap.of(chosen)

    def whole(self, shape: Shape, request: JobTest, free: int) -> Selection | None:
        """Return which of the ``free`` nodes, which are all alike and empty, a job gets that takes whole ones."""
        nodes = request.bitmap & shape.nodes & free
        count = shape.size
        if nodes.bit_count() < count:
            return None
        found = Selection(self.pick_alike(shape, request, nodes))
        if request.amounts:
            if shape.amounts is None:
                first = bitmap.lowest(found.bitmap, 1).bit_length() - 1
                room = room_of(self.empty, shape.need)
                room.refresh()
                cpus = room.at(first)
                given = grant(shape.need, self.empty, {first: cpus}, whole_units=self.whole_units)
                shape.amounts = given.cpus[0], given.memory[0], given.gres[0]
            cpus, memory, gres = shape.amounts
            found.cpus, found.memory, found.gres = [cpus] * count, [memory] * count, [gres] * count
        return found

    def pick_alike(self, shape: Shape, request: JobTest, nodes: int) -> int:
        """Return those of some nodes that a job gets which takes whole nodes that are all the same to it."""
        from slimsched.select.best_fit_uniform import alike, first

        return (first if self.wants_one_node(request) else alike)(nodes, shape.size, self.groups)

    def _room(self, need: Need, pool: Pool, request: JobTest) -> NodeCpus:
        """Return the CPUs that the job can get of each node, no more than it may have there."""
        room = room_of(pool, need)
        if not request.most_cpus:
            return room
        values = list(room.values())
        for index, most in request.most_cpus.items():
            cpus = min(values[index], cpus_within(need, pool.kind(index), most, whole_units=self.whole_units))
            if not need.overcommit:
                cpus -= cpus % need.cpus_per_task
            values[index] = cpus if cpus >= need.node_cpus else 0
        return NodeCpus.of(values)

    def wants_one_node(self, request: JobTest) -> bool:
        """Whether a job asks for one node, or for one task.

        One task by default counts with select/linear only, as recorded (`dependencies`; `-c 2` of workload W2).
        """
        asked = request.job.request
        one_task = request.min_nodes < 2 and asked.num_tasks == 1
        return asked.max_nodes == 1 or (one_task and (self.linear or "num_tasks" in asked.given))

    def _ask(self, need: Need, request: JobTest) -> best_fit.Ask:
        ask = ask_of(need, request)
        ask.one_node = self.wants_one_node(request)
        return ask

    def _choose(self, need: Need, pool: Pool, ask: best_fit.Ask, room: NodeCpus, mask: int) -> dict[int, int] | None:
        if need.spread:
            return best_fit.spread(ask, room, mask)
        if need.least_loaded and not need.contiguous:
            return best_fit.by_load(ask, room, mask)
        groups = self._by_gpus(pool, mask) if need.gpus and not self.linear else self.groups
        if self.topology and not need.contiguous:
            return best_fit.by_leaves(ask, room, mask, groups, self.topology.levels)
        if ask.one_node and ask.required.bit_count() < 2:
            return best_fit.first_fit(ask, room, mask, groups)
        return best_fit.best_fit(ask, room, mask, groups)

    def _by_gpus(self, pool: Pool, mask: int) -> list[int]:
        """Return the groups for a job that asks for GPUs: of nodes of one weight, those with most free GPUs first.

        Source: src/plugins/select/cons_tres/job_test.c, "Favor nodes with more co-located GPUs".
        """
        free: dict[int, int] = {}
        for number, nodes in pool.numbers.parts(mask):
            use = pool.uses[number]
            count = free_of(pool.kinds[use.kind].gres, use.gres, _GPUS)
            free[count] = free.get(count, 0) | nodes
        counts = sorted(free, reverse=True)
        return [both for group in self.groups for count in counts if (both := group & free[count])]

    def too_far(self, job: Job, nodes: int) -> bool:
        """Whether the nodes lie on more switches than the job wants, and it has not waited long enough for fewer."""
        most_leaves = job.request.switches
        if not most_leaves or self.topology is None or self.topology.leaves_of(nodes) <= most_leaves:
            return False
        wait = job.request.wait_for_switches
        most = self.cluster.config.parameters.number("max_switch_wait")
        since = job.eligible_time or job.submit_time
        return self.cluster.now - since < min(most if wait is None else wait, most)

    def reserve(self, cpus: list[int], count: int, nodes: int, mask: int, taken: dict[int, int] | None) -> int | None:
        """Return ``nodes`` of ``mask`` (whole, or ``count`` CPUs of them) for a reservation; fills ``taken``."""
        room = NodeCpus.of(cpus)
        ask = best_fit.Ask((max(1, nodes), nodes or len(cpus), nodes), count or 1, 1, whole=not count)
        mask &= room.at_least(1)
        if self.topology:
            chosen = best_fit.by_leaves(ask, room, mask, self.groups, self.topology.levels)
        else:
            chosen = best_fit.best_fit(ask, room, mask, self.groups)
        if not chosen:
            return None
        if taken is not None:
            taken.clear()
            taken.update(chosen if count else {})
        return bitmap.of(chosen)

    def _choose_gres(
        self, need: Need, pool: Pool, ask: best_fit.Ask, room: NodeCpus, mask: int
    ) -> dict[int, int] | None:
        """Choose nodes that together have the gres of the whole job, on as few nodes as will do."""
        cpus = room.values()
        free = {
            i: [usable(need, pool.kind(i), pool.use(i), g, cpus[i]) for g in need.job_gres]
            for i in bitmap.iterate(mask)
        }
        most = max(g.amount for g in need.job_gres)
        for count in range(ask.min_nodes, min(ask.max_nodes, max(most, ask.min_nodes)) + 1):
            fair = [-(-g.amount // count) for g in need.job_gres]
            rich = bitmap.of(i for i, have in free.items() if all(h >= f for h, f in zip(have, fair, strict=True)))
            if ask.required & ~rich:
                rich |= ask.required
            sized = ask.on(count)
            chosen = self._choose(need, pool, sized, room, rich)
            if chosen and all(sum(free[i][k] for i in chosen) >= g.amount for k, g in enumerate(need.job_gres)):
                return _with_gpu_cpus(need, pool, ask, cpus, chosen) if need.cpus_per_gpu else chosen
        return None


def _with_gpu_cpus(
    need: Need, pool: Pool, ask: best_fit.Ask, room: Sequence[int], chosen: dict[int, int]
) -> dict[int, int]:
    """Return the chosen nodes with the CPUs that go with the GPUs of each; more where the tasks need more."""
    handed = JobGres(need, len(chosen))
    gpus = [place for place, want in enumerate(need.job_gres) if want.name == "gpu"]
    wanted = {}
    for index in sorted(chosen):
        counts = handed.counts(pool.kind(index), pool.use(index), room[index])
        wanted[index] = max(need.least_cpus, sum(counts[place] for place in gpus) * need.cpus_per_gpu)
    if sum(wanted.values()) >= ask.cpus:
        return wanted
    return {index: max(wanted[index], cpus) for index, cpus in chosen.items()}


def ask_of(need: Need, request: JobTest) -> best_fit.Ask:
    """Return how many nodes and CPUs a job of a category wants."""
    min_nodes, max_nodes, req_nodes = request.min_nodes, request.max_nodes, request.req_nodes
    if need.num_tasks:  # never more nodes than tasks, unless asked for
        if need.tasks_per_node:
            min_nodes = max(min_nodes, -(-need.num_tasks // need.tasks_per_node))
        max_nodes = max(min_nodes, min(max_nodes, need.num_tasks))
    return best_fit.Ask(
        (max(1, min_nodes), max_nodes, min(max(req_nodes, min_nodes), max_nodes)),
        need.total_cpus(min_nodes),
        need.least_cpus,
        request.required,
        whole=need.mode == RESERVED,
        contiguous=need.contiguous,
        room=need.node_cpus,
    )

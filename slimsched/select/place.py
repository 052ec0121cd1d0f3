"""Finding nodes for a job in a pool: the one test behind RUN_NOW, TEST_ONLY, WILL_RUN and preemption."""

from __future__ import annotations

from dataclasses import replace

from slimsched.model import bitmap
from slimsched.select import fit
from slimsched.select.category import room_of
from slimsched.select.grant import grant
from slimsched.select.gres import free_of
from slimsched.select.need import RESERVED, SHARED, Need
from slimsched.select.records import JobTest, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.node import Node
    from slimsched.select.category import Room
    from slimsched.select.pool import Pool


class Placer:
    """Places jobs on the nodes of one cluster."""

    def __init__(self, nodes: Sequence[Node], *, whole_units: bool) -> None:
        """``whole_units``: a job is given cores or sockets, and all their CPUs count as its own."""
        self.whole_units = whole_units
        weights: dict[int, list[int]] = {}
        for node in nodes:
            weights.setdefault(node.weight, []).append(node.index)
        self.groups = [bitmap.of(weights[weight]) for weight in sorted(weights)]
        self._plain: dict[Need, Need] = {}

    def place(self, need: Need, pool: Pool, request: JobTest) -> Selection | None:
        """Return where the job fits in ``pool``; CPUs are oversubscribed only if it does not fit otherwise."""
        if need.mode == SHARED:
            plain = self._plain.get(need)
            if plain is None:
                plain = self._plain[need] = replace(need, rows=1)
            found = self._place(plain, pool, request)
            if found:
                return found
        return self._place(need, pool, request)

    def _place(self, need: Need, pool: Pool, request: JobTest) -> Selection | None:
        room = room_of(pool, need)
        mask = room.at_least(need.node_cpus) & request.bitmap
        if not mask or request.required & ~mask:
            return None
        ask = _ask(need, request)
        if mask.bit_count() < ask.min_nodes or (ask.max_nodes == 1 and not room.at_least(ask.cpus) & mask):
            return None
        choose = self._choose_gres if need.job_gres else self._choose
        chosen = choose(need, pool, ask, room, mask)
        return grant(need, pool, chosen, whole_units=self.whole_units) if chosen else None

    def _choose(self, need: Need, pool: Pool, ask: fit.Ask, room: Room, mask: int) -> dict[int, int] | None:
        if need.spread:
            return fit.spread(ask, room.values(), mask)
        if need.least_loaded and not need.contiguous:
            return fit.by_load(ask, room.values(), mask)
        return fit.best_fit(ask, room, mask, self.groups)

    def _choose_gres(self, need: Need, pool: Pool, ask: fit.Ask, room: Room, mask: int) -> dict[int, int] | None:
        """Choose nodes that together have the gres of the whole job, on as few nodes as will do."""
        free = {
            i: [free_of(pool.kind(i).gres, pool.use(i).gres, g) for g in need.job_gres] for i in bitmap.iterate(mask)
        }
        most = max(g.amount for g in need.job_gres)
        for count in range(ask.min_nodes, min(ask.max_nodes, max(most, ask.min_nodes)) + 1):
            fair = [-(-g.amount // count) for g in need.job_gres]
            rich = bitmap.of(i for i, have in free.items() if all(h >= f for h, f in zip(have, fair, strict=True)))
            if ask.required & ~rich:
                rich |= ask.required
            sized = replace(ask, min_nodes=count, req_nodes=max(count, ask.req_nodes))
            chosen = self._choose(need, pool, sized, room, rich)
            if chosen and all(sum(free[i][k] for i in chosen) >= g.amount for k, g in enumerate(need.job_gres)):
                return chosen
        return None


def _ask(need: Need, request: JobTest) -> fit.Ask:
    min_nodes, max_nodes, req_nodes = request.min_nodes, request.max_nodes, request.req_nodes
    if need.num_tasks:  # never more nodes than tasks, unless asked for
        if need.tasks_per_node:
            min_nodes = max(min_nodes, -(-need.num_tasks // need.tasks_per_node))
        max_nodes = max(min_nodes, min(max_nodes, need.num_tasks))
    return fit.Ask(
        min_nodes=max(1, min_nodes),
        max_nodes=max_nodes,
        req_nodes=min(max(req_nodes, min_nodes), max_nodes),
        cpus=need.total_cpus(min_nodes),
        node_cpus=need.node_cpus,
        required=request.required,
        whole=need.mode == RESERVED,
        contiguous=need.contiguous,
    )

"""Choosing nodes: the best fit among sets of consecutive nodes, and its two variants.

Nodes that follow each other in the node table, can all be used and have the same weight form a set. Nodes that
are required come first. Then, as long as something is missing, the best set is chosen: of the lowest weight;
one that holds a required node; one that is large enough, the smallest such; else the largest. Of it one node
alone is taken if that suffices (again the tightest), else its nodes in order.

Source: behaviour recorded from Slurm 26.11 (``selection_*``, ``weights_mixed``, ``exclusive_vs_shared``).
"""

from __future__ import annotations

from itertools import chain

from slimsched.model.bitmap import iterate, of, runs, tightest_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from slimsched.select.category import NodeCpus


class Ask:
    """How many nodes and CPUs are wanted."""

    __slots__ = (
        "contiguous",
        "cpus",
        "max_nodes",
        "min_nodes",
        "node_cpus",
        "one_node",
        "req_nodes",
        "required",
        "room",
        "whole",
    )

    def __init__(
        self,
        nodes: tuple[int, int, int],
        cpus: int,
        node_cpus: int,
        required: int = 0,
        *,
        whole: bool = False,
        contiguous: bool = False,
        room: int = 0,
    ) -> None:
        """``nodes``: at least, at most, and as many as can be had; ``cpus`` in all, ``node_cpus`` at least on each.

        ``whole``: all CPUs of a node are taken; ``room``: that a node must have, though less may be taken of it.
        Set afterwards: ``one_node``, whether the job asks for one node by itself.
        """
        self.min_nodes, self.max_nodes, self.req_nodes = nodes
        self.cpus = cpus
        self.node_cpus = node_cpus
        self.required = required
        self.whole = whole
        self.contiguous = contiguous
        self.one_node = False
        self.room = max(room, node_cpus)

    def on(self, count: int) -> Ask:
        """Return the same on ``count`` nodes at least."""
        nodes = count, self.max_nodes, max(count, self.req_nodes)
        made = Ask(nodes, self.cpus, self.node_cpus, self.required, whole=self.whole, contiguous=self.contiguous)
        made.one_node, made.room = self.one_node and count == 1, self.room
        return made


class Fit:
    """One attempt: what is chosen so far and what is still missing."""

    __slots__ = ("ask", "chosen", "cpus", "least_nodes", "mask", "max_nodes", "nodes", "room")

    def __init__(self, ask: Ask, room: NodeCpus, mask: int) -> None:
        """``room``: CPUs that each node can give, up to date; ``mask``: the nodes to choose from."""
        self.ask = ask
        self.room = room
        self.mask = mask
        self.chosen: dict[int, int] = {}  # node -> CPUs
        self.cpus = ask.cpus
        self.nodes = max(ask.min_nodes, ask.req_nodes)
        self.least_nodes = ask.min_nodes
        self.max_nodes = ask.max_nodes

    @property
    def wants(self) -> bool:
        """Whether another node is wanted and allowed."""
        return (self.cpus > 0 or self.nodes > 0) and self.max_nodes > 0

    @property
    def complete(self) -> bool:
        """Whether CPUs and nodes suffice."""
        return self.cpus <= 0 and self.enough_nodes(0)

    @property
    def fewest(self) -> int:
        """How many more nodes reach the minimum, 0 or less if it is reached."""
        return self.nodes - max(0, self.ask.req_nodes - self.ask.min_nodes)

    def enough_nodes(self, count: int) -> bool:
        """Whether ``count`` more nodes reach the minimum."""
        return count >= self.fewest

    def take(self, index: int) -> None:
        """Choose a node, leaving enough of what is missing to the nodes that must follow."""
        cpus = self.room.at(index)
        if not self.ask.whole:
            rest = self.cpus - max(0, self.least_nodes - 1) * self.ask.room
            cpus = min(cpus, max(rest, self.ask.room))
        self.chosen[index] = cpus
        self.cpus -= cpus
        self.nodes -= 1
        self.least_nodes -= 1
        self.max_nodes -= 1

    def take_in_order(self, indices: Iterable[int]) -> None:
        """Choose nodes in the order given until nothing is missing."""
        for index in indices:
            if (self.cpus <= 0 and self.nodes <= 0) or self.max_nodes <= 0:
                return
            if index not in self.chosen:
                self.take(index)


def best_fit(ask: Ask, room: NodeCpus, mask: int, groups: Sequence[int]) -> dict[int, int] | None:
    """Return node -> CPUs, or ``None`` if the nodes of ``mask`` do not suffice.

    ``groups``: the nodes by weight, lightest first. If the best fit fails though there is enough in all,
    it took small nodes when few nodes are allowed; it is tried again without the smallest ones, and at last the
    largest nodes are taken.
    """
    fit = _consecutive(ask, room, mask, groups)
    if fit.complete:
        return fit.chosen
    if not may_suffice(ask, room, mask):
        return None
    rest = mask & ~ask.required
    for least in [cpus for cpus in room.levels(0) if room.exactly(cpus) & rest]:
        rest &= room.at_least(least + 1)
        fit = _consecutive(ask, room, rest | ask.required, groups)
        if fit.complete:
            return fit.chosen
    return None if ask.contiguous else by_load(ask, room, mask)


def first_fit(ask: Ask, room: NodeCpus, mask: int, groups: Sequence[int]) -> dict[int, int] | None:
    """Return the first node that fits, by weight and then in table order, for a job that asks for one node.

    Source: recorded from Slurm 26.11 (workload W1: each of 27 jobs of one CPU among unequal nodes).
    """
    able = room.at_least(max(ask.cpus, ask.node_cpus)) & mask
    if ask.required:
        able &= ask.required
    for group in groups:
        if able & group:
            index = _lowest(able & group)
            fit = Fit(ask, room, mask)
            fit.take(index)
            return fit.chosen if fit.complete else None
    return None


def may_suffice(ask: Ask, room: NodeCpus, mask: int) -> bool:
    """Whether the largest nodes, as many as are allowed, have the CPUs; if not, no choice has them."""
    if mask.bit_count() < ask.min_nodes:
        return False
    fixed = ask.required
    missing, left = ask.cpus, max(0, ask.max_nodes - fixed.bit_count())
    sets, able = room.sets, mask & ~fixed
    for cpus in sorted(sets, reverse=True):
        if missing <= 0 or not (left or fixed):
            break
        nodes = sets[cpus]
        free = min(left, (nodes & able).bit_count())
        missing -= cpus * (free + (nodes & fixed).bit_count() if fixed else free)
        left -= free
    return missing <= 0


def _consecutive(ask: Ask, room: NodeCpus, mask: int, groups: Sequence[int]) -> Fit:
    fit = Fit(ask, room, mask)
    if ask.required:
        needed = _span(ask.required) if ask.contiguous else ask.required
        if needed & ~mask:
            return fit  # a node between the required ones is not available
        fit.take_in_order(iterate(needed))
        if ask.contiguous:
            for first, end in runs(mask) if fit.wants else ():
                if ask.required >> first & (1 << end - first) - 1:
                    _take_near(fit, _lowest(ask.required >> first) + first, first, end)
            return fit
    if ask.required or ask.contiguous:
        _take_by_set(fit, _sets(fit, mask, groups))
        return fit
    _take_groups(fit, mask, groups)
    return fit


def _span(required: int) -> int:
    """Return all nodes from the first to the last required one."""
    return (1 << required.bit_length()) - (required & -required)


class _Set:
    """A set of consecutive nodes."""

    __slots__ = ("cpus", "end", "first", "nodes", "required", "weight")

    def __init__(self, first: int, end: int, weight: int, required: int) -> None:
        """Nodes ``first`` to before ``end``; ``required``: the first required one among them, -1 for none."""
        self.first, self.end, self.weight, self.required = first, end, weight, required
        self.nodes = self.cpus = 0  # without the required ones


def _sets(fit: Fit, mask: int, groups: Sequence[int]) -> list[_Set]:
    """Return the sets in the order of the node table. Required nodes have no weight: they belong to what follows.

    If the nodes of the job must follow each other, weights do not part them; that of the last node of a set counts.
    """
    required, contiguous = fit.ask.required, fit.ask.contiguous
    pieces = sorted((first, end, k) for k, group in enumerate(groups) for first, end in runs(mask & group))
    sets: list[_Set] = []
    for first, end, weight in pieces:
        within = required & (1 << end) - (1 << first)
        last = sets[-1] if sets else None
        if last is None or last.end != first or (last.nodes and not contiguous):
            last = _Set(first, end, weight, -1)
            sets.append(last)
        if last.required < 0 and within:
            last.required = _lowest(within)
        last.end, last.weight = end, weight
        more = ((1 << end) - (1 << first)) & ~within
        last.nodes += more.bit_count()
        last.cpus += fit.room.total(more)
    return [each for each in sets if each.nodes]


def _take_by_set(fit: Fit, sets: list[_Set]) -> None:
    """Take from the best set, until nothing is missing or nothing is left.

    Source: `_eval_nodes_consec` of src/plugins/topology/common/eval_nodes.c: the order in which the sets are
    compared counts, and one with a required node may be replaced by a tighter one of the same weight.
    """
    while fit.wants and sets:
        best, enough = sets[0], False
        for each in sets:
            ok = each.cpus >= fit.cpus and fit.enough_nodes(each.nodes)
            better = each is best or each.weight < best.weight or best.required < 0 <= each.required
            if not better and each.weight == best.weight:
                better = not enough or each.cpus < best.cpus if ok else each.cpus > best.cpus
            if better or (fit.ask.contiguous and ok and not enough):
                best, enough = each, ok
        if fit.ask.contiguous and not enough:
            return
        sets.remove(best)
        nodes = (1 << best.end) - (1 << best.first) & ~of(fit.chosen)
        if best.required >= 0:
            _take_near(fit, best.required, best.first, best.end)
        else:
            single = _tightest(fit, nodes) if fit.nodes <= 1 else -1
            fit.take_in_order(iterate(nodes) if single < 0 else (single,))


def _take_near(fit: Fit, start: int, first: int, end: int) -> None:
    """Take from a set that holds required nodes: upwards from the lowest of them, then downwards."""
    fit.take_in_order(range(start, end))
    fit.take_in_order(range(start - 1, first - 1, -1))


def _take_groups(fit: Fit, mask: int, groups: Sequence[int]) -> None:
    """Take from the sets of one weight after the other, the lightest first."""
    for group in groups:
        if not fit.wants:
            return
        if mask & group:
            _take_sets(fit, mask & group)


def _take_sets(fit: Fit, mask: int) -> None:
    """Take from the sets of one weight, the best first, until nothing is missing or nothing is left."""
    lone = _lone_node(fit, mask)
    if lone >= 0:
        fit.take(lone)
        return
    if alone := _one_set(fit, mask):
        fit.take_in_order(range(*alone))
        if not fit.wants:
            return
        mask &= ~((1 << alone[1]) - (1 << alone[0]))
    spans = runs(mask)
    values = fit.room.values() if len(spans) > 1 else []
    sums = [sum(values[first:end]) for first, end in spans]
    while fit.wants and spans:
        best = _best(fit, spans, sums) if len(spans) > 1 else 0
        first, end = spans.pop(best)
        del sums[best]
        single = _tightest(fit, mask & (1 << end) - (1 << first)) if fit.nodes <= 1 else -1
        fit.take_in_order(range(first, end) if single < 0 else (single,))


def _one_set(fit: Fit, mask: int) -> tuple[int, int] | None:
    """Return the best set if it is enough by itself and all nodes give the same number of CPUs, else ``None``."""
    cpus = next((cpus for cpus, nodes in fit.room.sets.items() if not mask & ~nodes), 0)
    if not cpus:
        return None
    return tightest_run(mask, max(1, fit.fewest, -(-fit.cpus // cpus)))


def _lone_node(fit: Fit, mask: int) -> int:
    """Return the single node that is certainly the best set, -1 if the other sets must be looked at.

    It can if one node is wanted and any will do: then a set of several has at least twice the least CPUs of a node.
    """
    if fit.nodes > 1 or fit.cpus > fit.ask.node_cpus:
        return -1
    lone = mask & ~(mask << 1) & ~(mask >> 1)
    least = 0
    for value in fit.room.levels(fit.cpus) if lone else ():
        nodes = fit.room.exactly(value) & mask
        least = least or (value if nodes else 0)
        if least and value >= 2 * least:
            break
        if nodes & lone:
            return _lowest(nodes & lone)
    return -1


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _best(fit: Fit, spans: Sequence[tuple[int, int]], sums: Sequence[int]) -> int:
    """Return the place of the smallest set that is large enough, else of the one with the most CPUs."""
    best, most, enough = 0, 0, False
    for k, cpus in enumerate(sums):
        first, end = spans[k]
        if cpus >= fit.cpus and fit.enough_nodes(end - first):
            better = not enough or cpus < most
            if better:
                best, most, enough = k, cpus, True
        elif cpus > most:
            best, most, enough = k, cpus, False  # of too few nodes, but Slurm compares the CPUs only
    return best


def _tightest(fit: Fit, mask: int) -> int:
    """Return the node with the fewest CPUs that are enough, the first of several; -1 if there is none."""
    for value in fit.room.levels(fit.cpus):
        found = fit.room.exactly(value) & mask
        if found:
            return _lowest(found)
    return -1


def by_leaves(
    ask: Ask, room: NodeCpus, mask: int, groups: Sequence[int], levels: Sequence[Sequence[int]]
) -> dict[int, int] | None:
    """Choose within the smallest set of the lowest level that suffices, on as few of its leaves as possible.

    ``levels``: node sets, the leaves of the network first.
    """
    for level in levels:
        able = [part & mask for part in level if not ask.required & ~part]
        able = [part for part in able if part.bit_count() >= ask.min_nodes]
        for part in sorted(able, key=int.bit_count):
            if not may_suffice(ask, room, part):
                continue
            fit = Fit(ask, room, part)
            fit.take_in_order(iterate(ask.required))
            _take_leaves(fit, [leaf & part for leaf in levels[0]], groups)
            if fit.complete:
                return fit.chosen
            chosen = best_fit(ask, room, part, groups)
            if chosen:
                return chosen
    return None


def _take_leaves(fit: Fit, leaves: Sequence[int], groups: Sequence[int]) -> None:
    """Take from leaves that hold required nodes, then from the smallest that is enough, else from the largest."""
    left = [leaf for leaf in leaves if leaf]
    while fit.wants and left:
        sizes = [(leaf.bit_count(), fit.room.total(leaf)) for leaf in left]
        enough = [cpus >= fit.cpus and fit.enough_nodes(nodes) for nodes, cpus in sizes]
        order = [
            (not leaf & fit.ask.required, not ok, cpus if ok else -cpus)
            for leaf, ok, (_, cpus) in zip(left, enough, sizes, strict=True)
        ]
        leaf = left.pop(order.index(min(order)))
        _take_groups(fit, leaf & ~fit.ask.required, groups)


def by_load(ask: Ask, room: NodeCpus, mask: int) -> dict[int, int] | None:
    """Choose the nodes with most free CPUs first (``LLN``, ``CR_LLN``); if any choice suffices, this one does."""
    fit = Fit(ask, room, mask)
    fit.take_in_order(iterate(ask.required))
    for cpus in reversed(room.levels(0)):
        fit.take_in_order(iterate(room.exactly(cpus) & mask))
    return fit.chosen if fit.complete else None


def spread(ask: Ask, room: NodeCpus, mask: int) -> dict[int, int] | None:
    """Choose as many nodes as are allowed, and share the CPUs out evenly (``--spread-job``)."""
    order = chain(iterate(ask.required), iterate(mask & ~ask.required))
    nodes = [i for i, _ in zip(order, range(min(ask.max_nodes, max(ask.cpus, ask.min_nodes))), strict=False)]
    given = dict.fromkeys(nodes, 0)
    missing = ask.cpus
    while missing > 0:
        open_nodes = [i for i in nodes if given[i] < room.at(i)]
        if not open_nodes:
            return None
        for i in open_nodes:
            step = min(ask.node_cpus, room.at(i) - given[i]) if missing > 0 else 0
            given[i] += step
            missing -= step
    return given if len(nodes) >= ask.min_nodes else None

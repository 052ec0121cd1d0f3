"""Choosing nodes: the best fit among sets of consecutive nodes, and its two variants.

Nodes that follow each other in the node table, can all be used and have the same weight form a set. Nodes that
are required come first. Then, as long as something is missing, the best set is chosen: of the lowest weight;
one that holds a required node; one that is large enough, the smallest such; else the largest. Of it one node
alone is taken if that suffices (again the tightest), else its nodes in order.

Source: behaviour recorded from Slurm 26.11 (``selection_*``, ``weights_mixed``, ``exclusive_vs_shared``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from slimsched.model.bitmap import iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_RUN = re.compile("1+")


@dataclass(slots=True)
class Ask:
    """How many nodes and CPUs are wanted."""

    min_nodes: int
    max_nodes: int
    req_nodes: int  # as many as this if they are there
    cpus: int  # in all
    node_cpus: int  # on each node at least
    required: int = 0
    whole: bool = False  # take all CPUs of a node
    contiguous: bool = False


class Fit:
    """One attempt: what is chosen so far and what is still missing."""

    __slots__ = ("ask", "chosen", "cpus", "mask", "max_nodes", "nodes", "values")

    def __init__(self, ask: Ask, values: Sequence[int], mask: int) -> None:
        """``values``: CPUs that each node can give; ``mask``: the nodes to choose from."""
        self.ask = ask
        self.values = values
        self.mask = mask
        self.chosen: dict[int, int] = {}  # node -> CPUs
        self.cpus = ask.cpus
        self.nodes = max(ask.min_nodes, ask.req_nodes)
        self.max_nodes = ask.max_nodes

    @property
    def wants(self) -> bool:
        """Whether another node is wanted and allowed."""
        return (self.cpus > 0 or self.nodes > 0) and self.max_nodes > 0

    @property
    def complete(self) -> bool:
        """Whether CPUs and nodes suffice."""
        return self.cpus <= 0 and self.enough_nodes(0)

    def enough_nodes(self, count: int) -> bool:
        """Whether ``count`` more nodes reach the minimum."""
        return count >= self.nodes - max(0, self.ask.req_nodes - self.ask.min_nodes)

    def take(self, index: int) -> None:
        """Choose a node, leaving enough of what is missing to the nodes that must follow."""
        cpus = self.values[index]
        if not self.ask.whole:
            rest = self.cpus - max(0, self.nodes - 1) * self.ask.node_cpus
            cpus = min(cpus, max(rest, self.ask.node_cpus))
        self.chosen[index] = cpus
        self.cpus -= cpus
        self.nodes -= 1
        self.max_nodes -= 1

    def take_in_order(self, indices: Iterable[int]) -> None:
        """Choose nodes in the order given until nothing is missing."""
        for index in indices:
            if not self.wants:
                return
            if index not in self.chosen:
                self.take(index)


def best_fit(ask: Ask, values: Sequence[int], mask: int, groups: Sequence[int]) -> dict[int, int] | None:
    """Return node -> CPUs, or ``None`` if the nodes of ``mask`` do not suffice.

    ``groups``: the nodes by weight, lightest first. If the best fit fails though there is enough in all,
    it took small nodes when few nodes are allowed; it is tried again without the smallest ones.
    """
    fit = _consecutive(ask, values, mask, groups)
    if fit.complete:
        return fit.chosen
    if not _may_suffice(ask, values, mask):
        return None
    rest = mask & ~ask.required
    for least in sorted({values[i] for i in iterate(rest)}):
        rest &= ~_mask_below(values, rest, least + 1)
        fit = _consecutive(ask, values, rest | ask.required, groups)
        if fit.complete:
            return fit.chosen
    return None


def _may_suffice(ask: Ask, values: Sequence[int], mask: int) -> bool:
    """Whether the largest nodes, as many as are allowed, have the CPUs."""
    if mask.bit_count() < ask.min_nodes:
        return False
    sizes = sorted((values[i] for i in iterate(mask & ~ask.required)), reverse=True)
    fixed = [values[i] for i in iterate(ask.required)]
    return sum(fixed) + sum(sizes[: max(0, ask.max_nodes - len(fixed))]) >= ask.cpus


def _mask_below(values: Sequence[int], mask: int, cpus: int) -> int:
    below = 0
    for i in iterate(mask):
        if values[i] < cpus:
            below |= 1 << i
    return below


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """Yield the sets of consecutive nodes as first node and the one after the last."""
    return (found.span() for found in _RUN.finditer(bin(mask)[:1:-1]))


def _consecutive(ask: Ask, values: Sequence[int], mask: int, groups: Sequence[int]) -> Fit:
    fit = Fit(ask, values, mask)
    fit.take_in_order(iterate(_span(ask.required) if ask.contiguous else ask.required))
    if not fit.wants:
        return fit
    sets = [_Set(rank, first, end, fit) for rank, group in enumerate(groups) for first, end in runs(mask & group)]
    sets = [s for s in sets if s.nodes]
    while fit.wants and sets:
        best = sets[0] if len(sets) == 1 else min(sets, key=lambda s: s.order(fit))
        if ask.contiguous and not best.suffices(fit):
            break
        fit.take_in_order(best.walk(fit))
        sets.remove(best)
        if ask.contiguous:
            break
    return fit


def _span(required: int) -> int:
    """Return all nodes from the first to the last required one."""
    return (1 << required.bit_length()) - (required & -required) if required else 0


class _Set:
    """Consecutive nodes of one weight."""

    __slots__ = ("_cpus", "_needed_cpus", "end", "first", "needed", "nodes", "rank", "values")

    def __init__(self, rank: int, first: int, end: int, fit: Fit) -> None:
        self.rank = rank
        self.first = first
        self.end = end
        self.values = fit.values
        inside = (fit.ask.required >> first) & ((1 << end - first) - 1)
        self.needed = -1 if not inside else first + (inside & -inside).bit_length() - 1
        self.nodes = end - first - inside.bit_count()
        self._needed_cpus = sum(self.values[first + i] for i in iterate(inside)) if inside else 0
        self._cpus = -1

    @property
    def cpus(self) -> int:
        """CPUs of its nodes, summed up when first asked for."""
        if self._cpus < 0:
            self._cpus = sum(self.values[self.first : self.end]) - self._needed_cpus
        return self._cpus

    def suffices(self, fit: Fit) -> bool:
        """Whether it holds all that is missing."""
        return self.cpus >= fit.cpus and fit.enough_nodes(self.nodes)

    def order(self, fit: Fit) -> tuple[bool, int, bool, int, int]:
        """Return the sort key: the best set has the least."""
        enough = self.suffices(fit)
        return (self.needed < 0, self.rank, not enough, self.cpus if enough else -self.cpus, self.first)

    def walk(self, fit: Fit) -> Iterable[int]:
        """Return its nodes in the order to take them."""
        if self.needed >= 0:  # stay close to the required node: upwards from it, then downwards
            return chain(range(self.needed, self.end), range(self.needed - 1, self.first - 1, -1))
        if fit.nodes <= 1:
            single = _tightest(self.values, self.first, self.end, fit.cpus)
            if single >= 0:
                return (single,)
        return range(self.first, self.end)


def _tightest(values: Sequence[int], first: int, end: int, cpus: int) -> int:
    """Return the node with the fewest CPUs that are enough, the first of several; -1 if there is none."""
    best = -1
    for i in range(first, end):
        if values[i] >= cpus and (best < 0 or values[i] < values[best]):
            best = i
            if values[i] == cpus:
                break
    return best


def by_load(ask: Ask, values: Sequence[int], mask: int) -> dict[int, int] | None:
    """Choose the nodes with most free CPUs first (``LLN``, ``CR_LLN``)."""
    fit = Fit(ask, values, mask)
    fit.take_in_order(iterate(ask.required))
    fit.take_in_order(sorted(iterate(mask), key=lambda i: (-values[i], i)))
    return fit.chosen if fit.complete else None


def spread(ask: Ask, values: Sequence[int], mask: int) -> dict[int, int] | None:
    """Choose as many nodes as are allowed, and share the CPUs out evenly (``--spread-job``)."""
    order = chain(iterate(ask.required), iterate(mask & ~ask.required))
    nodes = [i for i, _ in zip(order, range(min(ask.max_nodes, max(ask.cpus, ask.min_nodes))), strict=False)]
    given = dict.fromkeys(nodes, 0)
    missing = ask.cpus
    while missing > 0:
        open_nodes = [i for i in nodes if given[i] < values[i]]
        if not open_nodes:
            return None
        for i in open_nodes:
            step = min(ask.node_cpus, values[i] - given[i]) if missing > 0 else 0
            given[i] += step
            missing -= step
    return given if len(nodes) >= ask.min_nodes else None

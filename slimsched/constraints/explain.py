"""The reason why a node does not satisfy a predicate: the first part that fails, with the values compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from slimsched.constraints.columns import NodeTable
from slimsched.constraints.evaluate import step
from slimsched.constraints.predicate import And, Compare, Member, Predicate, fold, leaves, show
from slimsched.model.bitmap import Bitmap

_SHOWN = 3  # values named per failing part
_TYPES: dict[type, str] = {float: "a number", str: "text", bool: "a boolean"}


class Failure(NamedTuple):
    """The value of a node, and the wanted one."""

    found: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.found}, wanted {self.wanted}"


class Explainer:
    """Explains one predicate over one table; every part is evaluated once for all nodes."""

    def __init__(self, predicate: Predicate, table: NodeTable) -> None:
        self.predicate = predicate
        self.table = table
        self._held: dict[int, Bitmap] = {}  # by identity of the part
        self.bitmap = fold(predicate, self._keep)

    def _keep(self, node: Predicate, parts: Sequence[Bitmap]) -> Bitmap:
        mask = self._held[id(node)] = step(node, parts, self.table)
        return mask

    def failure(self, index: int) -> Failure | None:
        """Return the first part that fails for a node, None if the node satisfies the predicate."""
        if self._holds(self.predicate, index):
            return None
        part = self.predicate
        while isinstance(part, And):
            part = next(child for child in part.children if not self._holds(child, index))
        return Failure(self._found(part, index), show(part))

    def remaining(self) -> list[tuple[str, int]]:
        """Return the conjuncts, in order, each with the number of nodes that are left after it."""
        parts = self.predicate.children if isinstance(self.predicate, And) else (self.predicate,)
        mask, counts = self.table.full, []
        for part in parts:
            mask &= self._held[id(part)]
            counts.append((show(part), mask.bit_count()))
        return counts

    def _holds(self, part: Predicate, index: int) -> int:
        return self._held[id(part)] >> index & 1

    def _found(self, part: Predicate, index: int) -> str:
        told = list(dict.fromkeys(self._value(leaf, index) for leaf in leaves(part)))
        more = [] if len(told) <= _SHOWN else ["..."]
        return ", ".join(told[:_SHOWN] + more) or "nothing"

    def _value(self, leaf: Compare | Member, index: int) -> str:
        values = self.table.column(leaf.column).values(index)
        name = leaf.column.key or leaf.column.source
        if not values:
            return f"no {name}"
        if leaf.column.source == "nodes":  # each node has its own, and says it already
            return f"its {name}"
        if isinstance(leaf, Member):
            return f"{name} {','.join(map(spell, values))}"
        told = f"{name}={spell(values[0])}"
        kind = type(values[0])
        comparable = kind in leaf.rule.tests(leaf.op, leaf.value)
        return told if comparable or kind not in _TYPES else f"{told} ({_TYPES[kind]})"


def spell(value: Any) -> str:
    """Return a node value as a user would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)

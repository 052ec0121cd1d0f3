"""Likely mistakes in a well-formed constraint, found by comparing it with the cluster's own data.

None of them is an error: the data may be other tomorrow. Each is one sentence that quotes the part that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from slimsched.constraints import node_extra, slurm_values
from slimsched.constraints.evaluate import evaluator, split
from slimsched.constraints.explain import spell
from slimsched.constraints.idranges import IdRanges
from slimsched.constraints.predicate import Compare, Member, Names, Predicate, leaves, show

if TYPE_CHECKING:
    from slimsched.constraints.columns import NodeColumn
    from slimsched.model.cluster import Cluster

MOST = 50
"""The most mistakes that are reported for one constraint."""

QUOTES = "\"'`"
_LIMIT = 1024  # bytes of a job's --extra
_WORDS = frozenset({"true", "t", "yes", "y", "on", "false", "f", "no", "n", "off", "null", "1", "0"})


def slips(cluster: Cluster, predicate: Predicate, dialect: str, text: str) -> list[str]:
    """Return the likely mistakes, in the order of the constraint."""
    finder = _Finder(cluster, predicate)
    found = dict.fromkeys(slip for leaf in leaves(predicate) for slip in finder.of(leaf))
    whole = _whole(cluster, text) if dialect == "slurm-extra" else []
    matching = evaluator(cluster).bitmap(predicate).bit_count()
    if not matching and not found:
        whole.append("no node satisfies it now")
    return [*whole, *list(found)[:MOST]]


def _whole(cluster: Cluster, text: str) -> list[str]:
    said = []
    if not cluster.config.extra_constraints:
        said.append(
            "SchedulerParameters does not contain extra_constraints: --extra is stored with the job but ignored"
        )
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > _LIMIT:
        said.append(f"it has {size:,} bytes, and --extra takes no more than {_LIMIT:,}")
    return said


class _Finder:
    """Looks at one leaf after the other; what the cluster has is gathered once."""

    def __init__(self, cluster: Cluster, predicate: Predicate) -> None:
        self.cluster = cluster
        self.table = evaluator(cluster).refresh(predicate)
        self._keys: dict[str, bool] | None = None

    def of(self, leaf: Compare | Member) -> Iterable[str]:
        """Return the likely mistakes of one leaf."""
        look = _LOOKS.get(leaf.column.source)
        return look(self, leaf) if look else ()

    @property
    def keys(self) -> dict[str, bool]:
        """The keys of the nodes' Extra data, each with whether some node has a value under it that can be compared."""
        if self._keys is None:
            self._keys = {}
            for text in dict.fromkeys(node.extra for node in self.cluster.nodes if node.extra):
                for key, value in (node_extra.lenient(text or "") or {}).items():
                    usable = node_extra.scalar(value) is not None
                    self._keys[key] = usable or self._keys.get(key, False)
        return self._keys

    # Extra data

    def extra(self, leaf: Compare | Member) -> Iterator[str]:
        """Yield the likely mistakes of a comparison with Extra data."""
        if not isinstance(leaf, Compare):
            return
        key, shown = leaf.column.key, show(leaf)
        yield from _stray(shown, "key", key)
        yield from _stray(shown, "value", leaf.value)
        if self.keys.get(key):
            yield from self._values(leaf, shown, self.table.column(leaf.column))
        elif key in self.keys:
            yield f'{shown}: "{key}" is null, a list or an object on every node that has it, so it matches nothing'
        elif not self.keys:
            yield f"{shown}: no node has any Extra data"
        else:
            yield f'{shown}: no node has the key "{key}"{_nearest(key, self.keys)}'

    def _values(self, leaf: Compare, shown: str, column: NodeColumn) -> Iterator[str]:
        kinds, wanted = column.kinds, slurm_values.number(leaf.value)
        numbers = sorted(kinds.get(float, ()))
        if numbers and wanted is None:
            hint = _percent(leaf.value)
            yield f'{shown}: "{leaf.value}" is not a number, but nodes have numbers ({_range(numbers)}) there{hint}'
        elif numbers and wanted is not None:
            yield from _outside(leaf, shown, numbers, wanted)
        elif wanted is not None and str in kinds:
            example = next(iter(kinds[str]))
            yield f'{shown}: a number is compared with text: nodes have text ("{example}") there, ordered by its bytes'
        if bool in kinds and leaf.value.lower() not in _WORDS:
            yield f'{shown}: nodes have booleans there, and "{leaf.value}" counts as true'
        if str in kinds and not numbers and leaf.op == "=" and leaf.value not in kinds[str]:
            yield f'{shown}: no node has the value "{leaf.value}"{_nearest(leaf.value, kinds[str])}'
        yield from self._without(leaf, shown, column)

    def _without(self, leaf: Compare, shown: str, column: NodeColumn) -> Iterator[str]:
        """Warn of nodes that ``!=`` leaves out because they have no value at all."""
        if leaf.op == "!=":
            having = sum(1 for node in self.cluster.nodes if column.values(node.index))
            lacking = len(self.cluster.nodes) - having
            if lacking:
                which = "1 node has" if lacking == 1 else f"{lacking:,} nodes have"
                yield f'{shown}: {which} no value under "{leaf.column.key}", so they do not match, not even with !='

    # features, hosts and ranks

    def feature(self, leaf: Compare | Member) -> Iterator[str]:
        """Yield the likely mistakes of a feature's name."""
        if not isinstance(leaf, Member) or not isinstance(leaf.values, Names):
            return
        known = self.table.column(leaf.column).kinds.get(str, {})
        offered = {name for node in self.cluster.nodes for name in split(node.features)}
        for name in sorted(leaf.values):
            yield from _stray(name, "feature", name)
            if name in offered and name not in known:
                yield f'no node has the feature "{name}" active now'
            elif name not in known:
                yield f'no node has the feature "{name}"{_nearest(name, known)}'

    def place(self, leaf: Compare | Member) -> Iterator[str]:
        """Yield the likely mistakes of host names and ranks."""
        if not isinstance(leaf, Member):
            return
        if isinstance(leaf.values, Names):
            unknown = sorted(name for name in leaf.values if name not in self.cluster.node_index)
            if unknown:
                more = f" (and {len(unknown) - 1:,} more)" if len(unknown) > 1 else ""
                yield f'no node is named "{unknown[0]}"{more}{_nearest(unknown[0], self.cluster.node_index)}'
        elif isinstance(leaf.values, IdRanges) and leaf.values:
            last, most = leaf.values[-1][1], len(self.cluster.nodes) - 1
            if last > most:
                yield f"rank {last}: the cluster's ranks are 0-{most}"


_LOOKS: dict[str, Callable[[_Finder, Compare | Member], Iterable[str]]] = {
    "extra": _Finder.extra,
    "features": _Finder.feature,
    "nodes": _Finder.place,
}


def _stray(shown: str, what: str, text: str) -> Iterator[str]:
    """Warn of blanks at the ends of a text, and of quotes in it."""
    if text != text.strip():
        yield f'{shown}: the {what} "{text}" begins or ends with white space, which is part of it'
    quote = next((sign for sign in QUOTES if sign in text), "")
    if quote:
        yield f"{shown}: the {what} contains a quote ({quote}), which is part of it"


def _nearest(word: str, known: Iterable[Any]) -> str:
    """Return a question about the most similar known word, if one is similar."""
    from difflib import get_close_matches

    words = [item for item in known if isinstance(item, str)][:10_000]
    trimmed = _bare(word)
    same = [item for item in words if _bare(item).lower() == trimmed.lower()]
    found = same or get_close_matches(trimmed, words, 1)
    return f'; did you mean "{found[0]}"?' if found else ""


def _bare(word: str) -> str:
    """Return a word without the white space and the quotes that stray into constraints and data alike."""
    return word.strip().strip(QUOTES).strip()


def _percent(value: str) -> str:
    head = value.strip().removesuffix("%")
    amount = slurm_values.number(head) if head != value.strip() else None
    return f"; write {head} or {spell(amount / 100)}" if amount is not None else ""


def _range(numbers: list[float]) -> str:
    low, high = spell(numbers[0]), spell(numbers[-1])
    return low if low == high else f"{low} to {high}"


def _outside(leaf: Compare, shown: str, numbers: list[float], wanted: float) -> Iterator[str]:
    """Warn of a limit that every node keeps, or none."""
    test = leaf.rule.tests(leaf.op, leaf.value)[float]
    if numbers[0] <= wanted <= numbers[-1]:
        return
    fate = "every value satisfies it" if test[0](numbers[0], test[1]) else "no value satisfies it"
    yield f"{shown}: {spell(wanted)} is outside the range of the nodes' values ({_range(numbers)}): {fate}"

"""The one form of every node constraint, whatever language it was written in.

    Predicate
    +-- And, Or, Not     over other predicates; And() holds for every node, Or() for none
    +-- Compare          the node's value in a column, compared by the rules of a language
    +-- Member           the node has one of some values in a column (features, host names, ranks)

A predicate is immutable and hashable, so that it can key the evaluation cache. Nothing here calls itself:
input may nest a hundred thousand levels deep, and `fold` walks any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class ColumnName(NamedTuple):
    """The node data that a leaf reads: ``source`` is an epoch key of the cluster, ``key`` a name within it."""

    source: str
    key: str = ""


Test = tuple[Callable[[Any, Any], bool], Any]
"""A comparison and its right side: ``test[0](node value, test[1])``."""


class Comparison(NamedTuple):
    """The comparison rules of one language.

    ``tests(op, value)`` gives the test for each type of node value that ``value`` can be compared with; a
    type that has none never matches.
    """

    name: str
    tests: Callable[[str, str], Mapping[type, Test]]


class ValueSet(Protocol):
    """The values of a `Member`: names, or ids kept as ranges."""

    def pick(self, groups: Mapping[Any, T], /) -> Iterable[T]:
        """Return what ``groups`` holds for those of its keys that belong to the set."""

    def __hash__(self) -> int: ...


class Names(frozenset[str]):
    """A set of names to be found one by one."""

    __slots__ = ()

    def pick(self, groups: Mapping[Any, T], /) -> Iterable[T]:
        """Return what ``groups`` holds for those of its keys that belong to the set."""
        if len(self) < len(groups):
            return [groups[name] for name in self if name in groups]
        return [nodes for name, nodes in groups.items() if name in self]


class Predicate:
    """Base of the form. ``reads`` are the sources of node data that the answer depends on."""

    __slots__ = ("_hash", "children", "payload", "reads")

    children: tuple[Predicate, ...]
    payload: tuple[object, ...]  # what distinguishes it from another of its kind, apart from its children
    reads: frozenset[str]
    _hash: int

    def _freeze(self, children: tuple[Predicate, ...], payload: tuple[object, ...], reads: frozenset[str]) -> None:
        put = object.__setattr__
        put(self, "children", children)
        put(self, "payload", payload)
        put(self, "reads", reads)
        # the children's hashes are already known, so this does not descend
        put(self, "_hash", hash((type(self).__name__, payload, children)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Predicate) or self._hash != other._hash:
            return False
        return _shape(self) == _shape(other)

    def __repr__(self) -> str:
        return f"<{show(self)}>"


class _Group(Predicate):
    __slots__ = ()

    def __init__(self, children: Iterable[Predicate]) -> None:
        parts = tuple(children)
        self._freeze(parts, (), frozenset().union(*{part.reads for part in parts}))


class And(_Group):
    """Every child holds."""

    __slots__ = ()


class Or(_Group):
    """At least one child holds."""

    __slots__ = ()


class Not(_Group):
    """The child does not hold."""

    __slots__ = ()

    def __init__(self, child: Predicate) -> None:
        super().__init__((child,))


class Compare(Predicate):
    """``column op value`` under a language's rule. A node without a value in the column never matches."""

    __slots__ = ("column", "op", "rule", "value")

    column: ColumnName
    op: str
    value: str
    rule: Comparison

    def __init__(self, column: ColumnName, op: str, value: str, rule: Comparison) -> None:
        put = object.__setattr__
        put(self, "column", column)
        put(self, "op", op)
        put(self, "value", value)
        put(self, "rule", rule)
        self._freeze((), (column, op, value, rule), frozenset((column.source,)))


class Member(Predicate):
    """The node has one of ``values`` in ``column``; ``text`` is how the user wrote them."""

    __slots__ = ("column", "text", "values")

    column: ColumnName
    values: ValueSet
    text: str

    def __init__(self, column: ColumnName, values: ValueSet, text: str) -> None:
        put = object.__setattr__
        put(self, "column", column)
        put(self, "values", values)
        put(self, "text", text)
        self._freeze((), (column, values), frozenset((column.source,)))


TRUE = And(())
FALSE = Or(())

FEATURES = ColumnName("features")
HOSTS = ColumnName("nodes", "host")
RANKS = ColumnName("nodes", "rank")


def has_feature(name: str) -> Member:
    """Return the predicate of the nodes with a feature (Flux: property)."""
    return Member(FEATURES, Names((name,)), name)


def postorder(root: Predicate) -> list[Predicate]:
    """Return every node of the tree, children before parents, left to right."""
    found, todo = [], [root]
    while todo:
        node = todo.pop()
        found.append(node)
        todo.extend(node.children)
    found.reverse()
    return found


def fold(root: Predicate, combine: Callable[[Predicate, Sequence[T]], T]) -> T:
    """Compute a value bottom-up: ``combine`` gets each node with the results of its children."""
    results: list[T] = []
    for node in postorder(root):
        count = len(node.children)
        if count:
            args = results[-count:]
            del results[-count:]
            results.append(combine(node, args))
        else:
            results.append(combine(node, ()))
    return results[0]


def leaves(root: Predicate) -> list[Compare | Member]:
    """Return the comparisons and memberships of the tree, left to right."""
    return [node for node in postorder(root) if isinstance(node, Compare | Member)]


def show(root: Predicate) -> str:
    """Return the predicate in a neutral notation for messages: ``load<0.5&(gpu|host in node[1-2])``."""
    return unfold(root, _notation)


def unfold(root: Predicate, notation: Callable[[Predicate], Sequence[Predicate | str]]) -> str:
    """Return the text of a tree, given the pieces of each node; no fold, as joining deep texts is quadratic."""
    pieces: list[str] = []
    todo: list[Predicate | str] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        else:
            todo.extend(reversed(notation(item)))
    return "".join(pieces)


def _notation(node: Predicate) -> list[Predicate | str]:
    if isinstance(node, Compare):
        return [f"{node.column.key}{node.op}{node.value}"]
    if isinstance(node, Member):
        return [f"{node.column.key} in {node.text}" if node.column.key else node.text]
    if isinstance(node, Not):
        return ["not ", *bracketed(node.children[0])]
    if not node.children:
        return ["always" if isinstance(node, And) else "never"]
    return joined(node, "&" if isinstance(node, And) else "|")


def joined(node: Predicate, operator: str) -> list[Predicate | str]:
    """Return the children with ``operator`` between them, groups in parentheses."""
    items: list[Predicate | str] = []
    for child in node.children:
        items += [operator, *bracketed(child)] if items else bracketed(child)
    return items


def bracketed(node: Predicate) -> list[Predicate | str]:
    """Return the node, in parentheses if it is a group of its own."""
    return ["(", node, ")"] if isinstance(node, And | Or) and node.children else [node]


def _shape(root: Predicate) -> list[tuple[type, tuple[object, ...], int]]:
    return [(type(node), node.payload, len(node.children)) for node in postorder(root)]

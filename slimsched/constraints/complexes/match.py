"""The predicate of a request: each level that offers an attribute must satisfy it, and one must offer it.

The rows of the table are queue instances, or nodes seen through one queue. A column is ``attribute@level``, the
level being ``global``, ``host`` or the queue's name. Grid Engine reads its operators *requested* op *offered*; the
form compares the other way round, so ``<=`` becomes ``>=``.
Source: Complex Attribute Specification, section 3; oracle/sge SURPRISES B1, D4, D6, E3.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from slimsched.constraints.complexes import values
from slimsched.constraints.complexes.catalog import Catalog, Semantics, compiled
from slimsched.constraints.complexes.request import Asked
from slimsched.constraints.predicate import And, ColumnName, Compare, Comparison, Member, Not, Or, Predicate, Test
from slimsched.model.complex import ComplexAttribute

T = TypeVar("T")

GLOBAL, HOST, QUEUE = "complexes-global", "complexes-host", "complexes-queue"
"""Sources of node data, one for each level."""

SEEN_FROM_OFFER = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "!=": "!=", "EXCL": ">="}
_OPPOSITE = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "==": "!=", "!=": "=="}
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


class _Anything:
    """The values of a membership that every value satisfies: the attribute is offered."""

    def pick(self, groups: Mapping[Any, T], /) -> Iterable[T]:
        return groups.values()


ANYTHING = _Anything()


def _numbers(kind: str, op: str, value: str) -> Mapping[type, Test]:
    return {float: (_HOLDS[op], values.number(value, kind))}  # doubles, without tolerance


def _violating_numbers(kind: str, op: str, value: str) -> Mapping[type, Test]:
    satisfied = _HOLDS[_OPPOSITE[op]]
    # not simply ``op``, as "nan" is a value that no comparison with it satisfies
    return {float: (lambda offered, wanted: not satisfied(offered, wanted), values.number(value, kind))}


def _strings(kind: str, semantics: Semantics, op: str, value: str) -> Mapping[type, Test]:
    expression = compiled(kind, value, semantics)
    equal = op == "=="
    return {str: (lambda offered, wanted: wanted.matches(offered) == equal, expression)}


class _Rules(NamedTuple):
    """The rules by which values of a type satisfy a request, and violate it."""

    satisfied: Comparison
    violated: Comparison


def _rules(semantics: Semantics) -> dict[str, _Rules]:
    rules = {
        kind: _Rules(
            Comparison(f"sge-{kind}", partial(_numbers, kind)),
            Comparison(f"sge-not-{kind}", partial(_violating_numbers, kind)),
        )
        for kind in values.NUMERIC
    }
    for kind in values.STRINGS:
        both = Comparison(f"sge-{semantics}-{kind}", partial(_strings, kind, semantics))
        rules[kind] = _Rules(both, both)
    return rules


RULES: dict[Semantics, dict[str, _Rules]] = {"8.1": _rules("8.1"), "6.0": _rules("6.0")}


class _Level(NamedTuple):
    """The questions about one level: is the attribute offered, and does its value satisfy the request or not."""

    offered: Predicate
    satisfied: Predicate
    violated: Predicate

    @property
    def agrees(self) -> Predicate:
        return Not(self.violated)


def column(source: str, attribute: str, queue: str = "queue") -> ColumnName:
    """Return the column of an attribute on a level."""
    level = {GLOBAL: "global", HOST: "host"}.get(source, queue)
    return ColumnName(source, f"{attribute}@{level}")


def attribute_of(key: str) -> tuple[str, str]:
    """Return the attribute and the level in a column's key."""
    name, _, level = key.rpartition("@")
    return name, level


def satisfies(attribute: ComplexAttribute, requested: str, offered: float | str, semantics: Semantics) -> bool:
    """Whether one offered value satisfies a request."""
    rule = RULES[semantics][attribute.type].satisfied
    test = rule.tests(SEEN_FROM_OFFER[attribute.relop], requested).get(type(offered))
    return test is not None and test[0](offered, test[1])


def _levels(attribute: ComplexAttribute, value: str, catalog: Catalog, queue: str) -> list[_Level]:
    rules, op = RULES[catalog.semantics][attribute.type], SEEN_FROM_OFFER[attribute.relop]
    places = [column(source, attribute.name, queue) for source in (GLOBAL, HOST, QUEUE)]
    return [
        _Level(
            Member(place, ANYTHING, "any value"),
            Compare(place, op, value, rules.satisfied),
            Compare(place, _OPPOSITE[op], value, rules.violated),
        )
        for place in places
    ]


def hard(asked: Asked, catalog: Catalog, queue: str = "queue", *, parallel: bool = False) -> Predicate:
    """Return the predicate of the rows that satisfy every request, and the rules for attributes it does not name.

    Of a ``parallel`` job only the master needs a consumable JOB, which is left to the booking, and no task of it
    can have a consumable that cannot be requested.
    """
    parts = [
        _satisfied(catalog.attributes[name], value, catalog, queue)
        for name, value in asked.items()
        if not (parallel and catalog.attributes[name].consumable == "JOB")
    ]
    for attribute in catalog.unasked(asked):
        levels = _levels(attribute, attribute.default, catalog, queue)
        if attribute.requestable == "FORCED" or (parallel and attribute.requestable == "NO"):
            parts.append(Not(Or(level.offered for level in levels)))
        elif attribute.name == "slots" or (parallel and attribute.consumable == "JOB"):
            continue  # left to the booking
        elif values.number(attribute.default, attribute.type):
            parts += [level.agrees for level in levels]
    return parts[0] if len(parts) == 1 else And(parts)


def _satisfied(attribute: ComplexAttribute, value: str, catalog: Catalog, queue: str) -> Predicate:
    levels = _levels(attribute, value, catalog, queue)
    if catalog.semantics == "6.0" and attribute.relop in {"==", "!="}:
        return _first_offer(levels)
    return And((Or(level.offered for level in levels), *(level.agrees for level in levels)))


def _first_offer(levels: list[_Level]) -> Predicate:
    """Let the highest level that offers it decide: the document has no override of ``==`` on a lower level."""
    top, *lower = levels
    if not lower:
        return top.satisfied
    return Or((top.satisfied, And((Not(top.offered), _first_offer(lower)))))


def soft(asked: Asked, catalog: Catalog, queue: str = "queue") -> list[Predicate]:
    """Return predicates; a row violates the soft requests as often as one of them holds for it.

    As measured: a host that offers a wrong value counts twice if the queue has no value of its own. The document
    only counts mismatches.
    """
    violations: list[Predicate] = []
    for name, value in asked.items():
        attribute = catalog.attributes[name]
        if catalog.semantics == "6.0":
            violations.append(Not(_satisfied(attribute, value, catalog, queue)))
            continue
        everywhere, host, own = _levels(attribute, value, catalog, queue)
        unhelped = And((Not(own.offered), Not(everywhere.satisfied), Not(host.satisfied)))
        violations += [host.violated, own.violated, unhelped]
    return violations

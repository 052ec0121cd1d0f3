"""Grid Engine's requests (``-l attr=value,attr=value``) as one of the constraint languages.

The attributes that a request names are the cluster's (`complexes.catalog`), or the built-in ones where there is
no cluster. Of the other languages' questions Grid Engine can ask only for host names, and they only that of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import match, request
from slimsched.constraints.complexes.catalog import Catalog, compiled
from slimsched.constraints.complexes.expression import Expression
from slimsched.constraints.predicate import (
    HOSTS,
    And,
    Member,
    Names,
    Not,
    Or,
    Predicate,
    bracketed,
    joined,
    unfold,
)

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

NAME = "sge"
DIRECT: Mapping[str, Callable[[str], str]] = {NAME: str}
"""A request is its own translation, attributes of a cluster included."""


def parse(text: str) -> Predicate:
    """Return the predicate of a request for built-in attributes. Raises `SyntaxFault`."""
    catalog = Catalog()
    return match.hard(request.read([text], catalog), catalog)


def parse_for(cluster: Cluster, text: str) -> Predicate:
    """Return the predicate of the nodes that can serve a request through some partition. Raises `SyntaxFault`."""
    from slimsched.constraints.complexes.places import catalog_of, in_partition

    catalog = catalog_of(cluster)
    asked = request.read([text], catalog)
    return Or(And((in_partition(name), match.hard(asked, catalog, name))) for name in cluster.partitions)


def parse_exact(text: str) -> Predicate:
    """Return the predicate of a request in terms of every language; `NoEquivalent` names what has none."""
    from slimsched.constraints.dialects import NoEquivalent

    catalog = Catalog()
    parts = []
    for name, value in request.read([text], catalog).items():
        found = _hosts(compiled("HOST", value, "8.1")) if name == "hostname" else None
        if found is None:
            raise NoEquivalent(f"{name}={value}", "the other languages")
        parts.append(found)
    return parts[0] if len(parts) == 1 else And(parts)


def _hosts(expression: Expression) -> Predicate | None:
    """Return an expression over host names, None if one of them is a pattern."""
    stack: list[Predicate] = []
    for step in expression.steps:
        if not isinstance(step, str):
            if step.elements is not None:
                return None
            stack.append(Member(HOSTS, Names((step.text,)), step.text))
        elif step == "!":
            stack.append(Not(stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(And((left, right)) if step == "&" else Or((left, right)))
    return stack[0]


def write(predicate: Predicate) -> str:
    """Return the request for a predicate; `NoEquivalent` names a part that Grid Engine cannot ask for."""
    return f"hostname={unfold(predicate, _notation)}"


def _notation(node: Predicate) -> list[Predicate | str]:
    from slimsched.constraints.dialects import NoEquivalent

    if isinstance(node, Member) and node.column == HOSTS and isinstance(node.values, Names) and node.values:
        names = "|".join(sorted(node.values))
        return [f"({names})" if len(node.values) > 1 else names]
    if isinstance(node, Not):
        return ["!", *bracketed(node.children[0])]
    if isinstance(node, And | Or) and node.children:
        return joined(node, "&" if isinstance(node, And) else "|")
    raise NoEquivalent(node, NAME)

"""What a node's Extra data would have to be for a job: the command that sets it, and keys that are spelled alike."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from slimsched.constraints import node_extra, slurm_extra
from slimsched.constraints.predicate import And, Compare, Or, Predicate, leaves
from slimsched.errors import SyntaxFault
from slimsched.text import alike

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.model.node import Node

_STEPS: dict[str, Callable[[float], float]] = {
    "=": lambda value: value,
    "<=": lambda value: value,
    ">=": lambda value: value,
    "<": lambda value: value - 1 if value >= 1 else value / 2 if value > 0 else value * 2 - 1,
    ">": lambda value: value + 1,
}
"""Operator -> a number that satisfies it."""


def command(node: Node, wanted: str) -> str:
    """Return the ``scontrol`` line that gives a node data by which it satisfies a constraint, "" if that is not plain.

    The other keys of the node stay as they are.
    """
    try:
        predicate, data = slurm_extra.parse(wanted), dict(node_extra.decode(node.extra))
    except SyntaxFault:
        return ""
    if not _satisfy(predicate, data):
        return ""
    return f"sim scontrol update nodename={node.name} extra={shlex.quote(json.dumps(data, ensure_ascii=False))}"


def _satisfy(part: Predicate, data: dict[str, Any]) -> bool:
    """Set the keys that a part of a constraint asks for; whether it could be done."""
    if isinstance(part, And):
        return all(_satisfy(child, data) for child in part.children)
    if isinstance(part, Or):
        return bool(part.children) and _satisfy(part.children[0], data)
    if not isinstance(part, Compare) or part.op not in _STEPS:
        return False
    try:
        number = _STEPS[part.op](float(part.value))
        data[part.column.key] = int(number) if number.is_integer() else number
    except (ValueError, OverflowError):
        if part.op != "=":
            return False
        data[part.column.key] = {"true": True, "false": False}.get(part.value.lower(), part.value)
    return True


def similar(node: Node, wanted: str) -> str:
    """Return a remark on keys of a node that are spelled like a key that it lacks, "" if there are none."""
    try:
        predicate, data = slurm_extra.parse(wanted), node_extra.decode(node.extra)
    except SyntaxFault:
        return ""
    said = []
    for leaf in leaves(predicate):
        key = leaf.column.key
        if key not in data and (found := alike.near(key, data)):
            said.append(f"{node.name} has {found[0]!r}, not {key!r}")
    return "; ".join(dict.fromkeys(said))

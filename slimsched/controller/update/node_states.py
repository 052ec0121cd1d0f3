"""The states that ``scontrol update NodeName= State=`` can set, and what becomes of the jobs.

Each word is a function from the node to its new base state and flags, None where slurmctld says "Invalid node
state transition". Source: scenario scontrol_update_node_state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life.node_failure import without
from slimsched.slurm import states

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.model.node import Node

    Step = Callable[[Node], "tuple[str, list[str]] | None"]

NEEDS_REASON = frozenset({"DOWN", "DRAIN", "FAIL"})


def _with(flag: str) -> Step:
    return lambda node: (node.state, [*without(node, {flag}), flag])


def _less(*flags: str) -> Step:
    return lambda node: (node.state, without(node, set(flags)))


def _down(node: Node) -> tuple[str, list[str]]:
    return states.DOWN, without(node, {states.DRAIN, states.FAIL})


def _future(node: Node) -> tuple[str, list[str]]:
    return states.FUTURE, []


def _idle(node: Node) -> tuple[str, list[str]] | None:
    return None if node.state == states.FUTURE else (states.IDLE, without(node, states.BLOCKING))


def _resume(node: Node) -> tuple[str, list[str]] | None:
    """Return to service; there must be something to return from."""
    if node.state == states.IDLE and not states.BLOCKING.intersection(node.flags):
        return None
    return states.IDLE, without(node, states.BLOCKING)


def _never(node: Node) -> None:
    return None


class StateWord(NamedTuple):
    """A word of ``State=``, the fewest letters that mean it, and what it makes of a node."""

    name: str
    letters: int
    step: Step


STATES = (
    StateWord("NORESP", 3, _with(states.NO_RESPOND)),
    StateWord("CANCEL_REBOOT", 3, _never),
    StateWord("DRAIN", 3, _with(states.DRAIN)),
    StateWord("FAIL", 3, _with(states.FAIL)),
    StateWord("FUTURE", 3, _future),
    StateWord("RESUME", 3, _resume),
    StateWord("POWER_DOWN_ASAP", 12, _with(states.POWERED_DOWN)),
    StateWord("POWER_DOWN_FORCE", 12, _with(states.POWERED_DOWN)),
    StateWord("POWER_DOWN", 7, _with(states.POWERED_DOWN)),
    StateWord("POWER_UP", 7, _less(states.POWERED_DOWN)),
    StateWord("UNDRAIN", 3, _less(states.DRAIN)),
    StateWord("UNKNOWN", 3, _never),
    StateWord("DOWN", 3, _down),
    StateWord("IDLE", 3, _idle),
    StateWord("ALLOCATED", 3, _never),
    StateWord("ERROR", 3, _never),
    StateWord("MIXED", 3, _never),
)
"""In the order in which they are looked for."""


def clears_reason(word: str) -> bool:
    """Whether the state takes the node's reason away."""
    return word in {"RESUME", "UNDRAIN", "IDLE"}

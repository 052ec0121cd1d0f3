"""The states that ``scontrol update NodeName= State=`` can set, and what becomes of the jobs and of the power.

Each word is a function from the node to its new base state and flags, None where slurmctld says "Invalid node
state transition". Source: scenario scontrol_update_node_state; power_save.html for POWER_UP and its like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import node_failure
from slimsched.controller.life.node_failure import without
from slimsched.slurm import states
from slimsched.slurm.states import (
    DRAIN,
    FAIL,
    NO_RESPOND,
    POWER_DOWN,
    POWER_UP,
    POWERED_DOWN,
    POWERING_DOWN,
    POWERING_UP,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.model.node import Node

    Step = Callable[[Node], "tuple[str, list[str]] | None"]
    After = Callable[[Controller, Node], object]

NEEDS_REASON = frozenset({"DOWN", "DRAIN", "FAIL"})


def _with(flag: str) -> Step:
    return lambda node: (node.state, [*without(node, {flag}), flag])


def _less(*flags: str) -> Step:
    return lambda node: (node.state, without(node, set(flags)))


def _down(node: Node) -> tuple[str, list[str]]:
    return states.DOWN, without(node, {DRAIN, FAIL})


def _future(node: Node) -> tuple[str, list[str]]:
    return states.FUTURE, []


def _idle(node: Node) -> tuple[str, list[str]] | None:
    return None if node.state == states.FUTURE else (states.IDLE, without(node, states.BLOCKING))


def _resume(node: Node) -> tuple[str, list[str]] | None:
    """Return to service; there must be something to return from. A node that goes down counts as off at once."""
    if node.state == states.IDLE and not _RESUMED.intersection(node.flags):
        return None
    off = [POWERED_DOWN] if POWERING_DOWN in node.flags else []
    return states.IDLE, [*without(node, _RESUMED), *off]


_RESUMED = states.BLOCKING | {POWER_DOWN}


def _power_up(node: Node) -> tuple[str, list[str]]:
    """Order a node up that is off; one that comes up begins anew; one that is up stays as it is."""
    if not {POWERED_DOWN, POWERING_UP}.intersection(node.flags):
        return node.state, node.flags
    return node.state, [*without(node, {POWERED_DOWN, POWERING_UP, POWER_UP, NO_RESPOND}), POWERED_DOWN, POWER_UP]


def _power_down(*flags: str) -> Step:
    """Order a node down, also one that is off; one that goes down already does so."""

    def step(node: Node) -> tuple[str, list[str]]:
        if POWERING_DOWN in node.flags:
            return node.state, node.flags
        return node.state, [*without(node, {POWERED_DOWN, POWER_DOWN, *flags}), POWER_DOWN, *flags]

    return step


def _obey(ctl: Controller, node: Node) -> None:
    ctl.power.obey(node)


def _asap(ctl: Controller, node: Node) -> None:
    if DRAIN in node.flags and not node.reason:
        node.change(reason="POWER_DOWN_ASAP", reason_time=ctl.cluster.now, reason_uid=0, reason_user="root")
    ctl.power.obey(node)


def _force(ctl: Controller, node: Node) -> None:
    node_failure.kill_jobs(ctl, node)
    ctl.power.obey(node)


def _stop_coming_up(ctl: Controller, node: Node) -> None:
    """Requeue the jobs of a node that is drained while they wait for it to come up."""
    if {POWERED_DOWN, POWERING_UP}.intersection(node.flags):
        node_failure.kill_jobs(ctl, node)


def _never(node: Node) -> None:
    return None


class StateWord(NamedTuple):
    """A word of ``State=``, the fewest letters that mean it, what it makes of a node, and what follows from that."""

    name: str
    letters: int
    step: Step
    after: After | None = None


STATES = (
    StateWord("NORESP", 3, _with(NO_RESPOND)),
    StateWord("CANCEL_REBOOT", 3, _never),
    StateWord("DRAIN", 3, _with(DRAIN), _stop_coming_up),
    StateWord("FAIL", 3, _with(FAIL), _stop_coming_up),
    StateWord("FUTURE", 3, _future, node_failure.fail_jobs),
    StateWord("RESUME", 3, _resume),
    StateWord("POWER_DOWN_ASAP", 12, _power_down(DRAIN), _asap),
    StateWord("POWER_DOWN_FORCE", 12, _power_down(), _force),
    StateWord("POWER_DOWN", 7, _power_down(), _obey),
    StateWord("POWER_UP", 7, _power_up, _obey),
    StateWord("UNDRAIN", 3, _less(DRAIN)),
    StateWord("UNKNOWN", 3, _never),
    StateWord("DOWN", 3, _down, node_failure.fail_jobs),
    StateWord("IDLE", 3, _idle),
    StateWord("ALLOCATED", 3, _never),
    StateWord("ERROR", 3, _never),
    StateWord("MIXED", 3, _never),
)
"""In the order in which they are looked for."""


def clears_reason(word: str) -> bool:
    """Whether the state takes the node's reason away."""
    return word in {"RESUME", "UNDRAIN", "IDLE"}

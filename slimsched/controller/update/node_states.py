"""The states that ``scontrol update NodeName= State=`` can set, and what becomes of the jobs.

Each word is a function from the node to its new base state and flags, None where slurmctld says "Invalid node
state transition". Source: scenario scontrol_update_node_state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import transitions
from slimsched.slurm import states

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.node import Node

    Step = Callable[[Node], "tuple[str, list[str]] | None"]

NEEDS_REASON = frozenset({"DOWN", "DRAIN", "FAIL"})


def _with(flag: str) -> Step:
    return lambda node: (node.state, [*_without(node, {flag}), flag])


def _less(*flags: str) -> Step:
    return lambda node: (node.state, _without(node, set(flags)))


def _without(node: Node, flags: set[str] | frozenset[str]) -> list[str]:
    return [flag for flag in node.flags if flag not in flags]


def _down(node: Node) -> tuple[str, list[str]]:
    return states.DOWN, _without(node, {states.DRAIN, states.FAIL})


def _future(node: Node) -> tuple[str, list[str]]:
    return states.FUTURE, []


def _idle(node: Node) -> tuple[str, list[str]] | None:
    return None if node.state == states.FUTURE else (states.IDLE, _without(node, states.BLOCKING))


def _resume(node: Node) -> tuple[str, list[str]] | None:
    """Return to service; there must be something to return from."""
    if node.state == states.IDLE and not states.BLOCKING.intersection(node.flags):
        return None
    return states.IDLE, _without(node, states.BLOCKING)


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


def fail_jobs(ctl: Controller, node: Node) -> None:
    """End what runs on a node that went down: requeued if the job allows it, else NODE_FAIL.

    With ``ReturnToService=2`` a node whose jobs were killed registers again at once (oracle, scenario
    node_down_running_job).
    """
    killed = [job for job in list(ctl.cluster.jobs.values()) if job.active and _runs_on(ctl, job, node)]
    for job in killed:
        fail_job(ctl, job)
    if killed and ctl.cluster.config.get("ReturnToService") == "2":
        put(ctl, node, states.IDLE, _without(node, states.BLOCKING))


def fail_job(ctl: Controller, job: Job) -> None:
    """Take a job off a node that failed it: requeued if it allows that, else NODE_FAIL."""
    if job.request.may_requeue:
        transitions.requeue_job(ctl, job, ended=states.NODE_FAIL)
    else:
        transitions.end_job(ctl, job, states.NODE_FAIL)


def _runs_on(ctl: Controller, job: Job, node: Node) -> bool:
    return bool(ctl.cluster.bitmap_of(job.nodes) >> node.index & 1)


def put(ctl: Controller, node: Node, state: str, flags: list[str]) -> None:
    """Set a node's state and tell everybody who keeps node sets."""
    cluster = ctl.cluster
    was = node.state, node.flags
    node.change(state=state, flags=flags)
    if was == (state, flags):
        return
    cluster.touch_node(node)
    cluster.changed("state")
    cluster.pass_due = True
    ctl.select.update_node_state(node)
    shown = "+".join([state, *flags])
    cluster.record("node", node=node.name, state=shown, reason=node.reason)

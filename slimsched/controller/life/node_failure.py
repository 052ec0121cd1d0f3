"""Nodes that leave service, and what becomes of the jobs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import resize, transitions
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.node import Node


def fail(ctl: Controller, node: Node, reason: str = "Not responding") -> None:
    """Take a node down with what runs on it, as slurmctld does with one that answers no longer."""
    node.change(reason=reason, reason_time=ctl.cluster.now, fails_at=0)
    put(ctl, node, states.DOWN, without(node, {states.DRAIN, states.FAIL}))
    fail_jobs(ctl, node)


def fail_jobs(ctl: Controller, node: Node) -> None:
    """End what runs on a node that went down: requeued if the job allows it, else NODE_FAIL.

    A job of several nodes that is not to be killed (``--no-kill``) goes on without it.

    With ``ReturnToService=2`` a node whose jobs were killed registers again at once (oracle, scenario
    node_down_running_job).
    """
    if kill_jobs(ctl, node) and ctl.cluster.config.get("ReturnToService") == "2":
        put(ctl, node, states.IDLE, without(node, states.BLOCKING))


def kill_jobs(ctl: Controller, node: Node) -> bool:
    """Take all jobs off a node, requeued if they allow that; whether there were any."""
    killed = [job for job in list(ctl.cluster.jobs.values()) if job.active and _runs_on(ctl, job, node)]
    for job in killed:
        if job.request.recorded.get("no-kill") == "set" and len(job.cpus) > 1 and not job.flags:
            resize.lose(ctl, job, node)
        else:
            fail_job(ctl, job, node.name)
    return bool(killed)


def fail_job(ctl: Controller, job: Job, node: str = "") -> None:
    """Take a job off a node that failed it: requeued if it allows that, else NODE_FAIL."""
    if job.request.may_requeue:
        transitions.requeue_job(ctl, job, ended=states.NODE_FAIL)
    else:
        job.failed_node = node
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


def without(node: Node, flags: set[str] | frozenset[str]) -> list[str]:
    """Return the flags of a node, but these."""
    return [flag for flag in node.flags if flag not in flags]

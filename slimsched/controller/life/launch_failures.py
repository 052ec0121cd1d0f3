"""Runs whose Prolog or Epilog failed: the node is drained, and a job that could not be launched is held.

Source: slurm.conf(5), ``Prolog``, ``Epilog``, ``PrologSlurmctld``; scenario prolog_fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

LAUNCH = "launch"
"""What follows a run that could not be launched, where the job may be requeued; others are cancelled."""


def follows(ctl: Controller, job: Job, failed: tuple[str, str, bool]) -> str:
    """Drain the node on which a program of the site ``failed``; return what follows for the job, "" for nothing."""
    node, reason, launched = failed
    if node:
        drain(ctl, node, reason)
    if launched:
        return ""
    job.requid = 0
    return LAUNCH if job.request.may_requeue else ""


def drain(ctl: Controller, name: str, reason: str) -> None:
    """Drain a node on which a program of the site has failed."""
    cluster = ctl.cluster
    index = cluster.node_index.get(name)
    node = cluster.nodes[index] if index is not None else None
    if node is None or states.DRAIN in node.flags:
        return
    flags = [*node.flags, states.DRAIN]
    node.change(flags=flags, reason=reason, reason_time=cluster.now, reason_uid=0, reason_user="root")
    cluster.touch_node(node)
    cluster.changed("state")
    cluster.record("node", node=name, state=states.DRAIN, reason=reason)

"""What a change of a job's state means to the others: the select plugin, the accounts, the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import consumables
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def end_steps(ctl: Controller, job: Job) -> None:
    """End the steps that run or wait, as their job ends."""
    if job.steps or job.waiting:
        from slimsched.controller.life import live_steps

        live_steps.end_all(ctl, job)


def free(ctl: Controller, job: Job) -> None:
    """Give back all that a job holds."""
    charge(ctl.cluster, job)
    ctl.select.job_fini(job)
    consumables.finish(ctl, job)
    tell_states(ctl, job)
    if ctl.sets.switching or ctl.cluster.saves_power:
        ctl.power.release(job)


def tell_states(ctl: Controller, job: Job) -> None:
    """Tell the select plugin that the nodes of a job are in use, or free again."""
    if ctl.tells_states:
        for index in bitmap.iterate(ctl.cluster.bitmap_of(job.nodes)):
            ctl.select.update_node_state(ctl.cluster.nodes[index])


def charge(cluster: Cluster, job: Job) -> None:
    """Book what a job that runs no longer has used, where the priority plugin counts that."""
    if cluster.config.get("PriorityType") == "priority/multifactor":
        from slimsched.priority import usage

        usage.charge(cluster, job)


def record(ctl: Controller, job: Job, event: str, **details: object) -> None:
    """Mark a job as changed and say in the journal what happened to it."""
    cluster = ctl.cluster
    cluster.touch_job(job)
    cluster.record(event, job=job.job_id, **details)

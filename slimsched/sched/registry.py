"""Scheduler plugins by name (``SchedulerType``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.sched.api import Host, SchedPlugin

BUILTIN = {
    "sched/backfill": "slimsched.sched.backfill:Backfill",
    "sched/builtin": "slimsched.sched.builtin:Builtin",
}


def create(cluster: Cluster, host: Host) -> SchedPlugin:
    """Make the scheduler plugin that the cluster is configured with."""
    plugin: SchedPlugin = plugins.load("slimsched.sched", cluster.config.get("SchedulerType"), BUILTIN)(host)
    return plugin

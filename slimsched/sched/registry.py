"""Scheduler plugins by name (``SchedulerType``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins
from slimsched.sched.api import API_VERSION, SchedPlugin

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.sched.api import Host

BUILTIN = {
    "backfill": "slimsched.sched.backfill:Backfill",
    "builtin": "slimsched.sched.builtin:Builtin",
    "wiki": "slimsched.sched.wiki:Wiki",
    "wiki2": "slimsched.sched.wiki:Wiki2",
}
"""Plugin name, less ``sched/`` -> module and class."""

FAMILY = plugins.Family("sched", BUILTIN, SchedPlugin, API_VERSION)


def create(cluster: Cluster, host: Host) -> SchedPlugin:
    """Make the scheduler plugin that the cluster is configured with."""
    plugin: SchedPlugin = plugins.find(FAMILY, cluster.config.get("SchedulerType"))(host)
    return plugin

"""Priority plugins by name (``PriorityType``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.priority.api import PriorityPlugin

BUILTIN = {
    "priority/basic": "slimsched.priority.basic:Basic",
    "priority/multifactor": "slimsched.priority.multifactor:Multifactor",
}


def create(cluster: Cluster) -> PriorityPlugin:
    """Make the priority plugin that the cluster is configured with."""
    plugin: PriorityPlugin = plugins.load("slimsched.priority", cluster.config.get("PriorityType"), BUILTIN)(cluster)
    return plugin

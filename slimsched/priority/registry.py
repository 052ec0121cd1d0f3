"""Priority plugins by name (``PriorityType``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins
from slimsched.priority.api import API_VERSION, PriorityPlugin

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

BUILTIN = {
    "basic": "slimsched.priority.basic:Basic",
    "multifactor": "slimsched.priority.multifactor:Multifactor",
}
"""Plugin name, less ``priority/`` -> module and class."""

FAMILY = plugins.Family("priority", BUILTIN, PriorityPlugin, API_VERSION)


def create(cluster: Cluster) -> PriorityPlugin:
    """Make the priority plugin that the cluster is configured with."""
    plugin: PriorityPlugin = plugins.find(FAMILY, cluster.config.get("PriorityType"))(cluster)
    return plugin

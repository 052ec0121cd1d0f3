"""The executors, by the word after ``executor =`` in ``cluster.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins

if TYPE_CHECKING:
    from slimsched.executor.api import Executor
    from slimsched.model.cluster import Cluster

BUILTIN = {
    "simulated": "slimsched.executor.simulated:Simulated",
    "local": "slimsched.executor.local.executor:Local",
}


def create(cluster: Cluster, place: str = "") -> Executor:
    """Make the executor that the cluster is configured with; ``place`` as in `Executor`."""
    executor: Executor = plugins.load("executor", cluster.config.executor, BUILTIN)(cluster, place)
    return executor

"""The executors, by the word after ``executor =`` in ``cluster.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import plugins

if TYPE_CHECKING:
    from slimsched.executor.api import Executor
    from slimsched.model.cluster import Cluster

BUILTIN = {"simulated": "slimsched.executor.simulated:Simulated"}


def create(cluster: Cluster) -> Executor:
    """Make the executor that the cluster is configured with."""
    executor: Executor = plugins.load("executor", cluster.config.executor, BUILTIN)(cluster)
    return executor

"""slurmctld as a library: the cluster and its plugins, and the two calls that every command makes.

`catch_up` brings the cluster to the present of its clock; `settle` runs the scheduling pass if a command
changed something that could start a job. The verbs are functions in the files beside this one.
"""

from __future__ import annotations

from functools import cached_property

from slimsched.model.cluster import Cluster
from slimsched.select.api import SelectPlugin


class Controller:
    """One cluster under control. Plugins are loaded when first needed."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    @cached_property
    def select(self) -> SelectPlugin:
        """The select plugin of ``SelectType``, told of the nodes and of the jobs that hold some."""
        raise NotImplementedError

    def catch_up(self) -> None:
        """Bring the cluster to the present (wall clock); under the virtual clock nothing moves by itself."""

    def settle(self) -> None:
        """Run a scheduling pass if something changed since the last one."""

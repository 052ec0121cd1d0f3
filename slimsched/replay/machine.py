"""The machine that a trace is replayed on: a pool of processors, equal nodes, or the cluster of a file or directory."""

from __future__ import annotations

import os
from typing import NamedTuple

from slimsched.controller.core import Controller
from slimsched.errors import UserError
from slimsched.library.cluster import configuration
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.replay import policies
from slimsched.replay.policies import Policy
from slimsched.state import clock

EPOCH = 1_200_000_000
"""Where the clock begins: a full minute, and late enough that nothing that was before it is before 1970."""

MOST_PROCESSORS = 10_000_000
PARTITION = "all"
_SLURM = {
    "ClusterName": "replay",
    "EnforcePartLimits": "ALL",  # a job that is larger than the machine is refused
    "MaxJobCount": "10000000",
    "MinJobAge": "60",
    "SelectTypeParameters": "",
}


class Machine(NamedTuple):
    """A machine to be. ``processors`` of each of its ``nodes``; ``file``: of a cluster, which says all itself.

    Of a state directory as the ``file``, the accounts count, too; its jobs, and what has been spent, do not.
    A ``pool`` of processors is a machine of nodes with one each, which ``select/processors`` holds.
    """

    processors: int = 1
    nodes: int = 0
    pool: bool = False
    file: str = ""

    def config(self, policy: Policy | None, pace: str) -> Config:
        """Return the configuration of the cluster."""
        config = configuration(self.file) if self.file else self._described()
        if config.live:
            raise UserError(f"{self.file}: a live cluster runs processes; a replay needs a simulated one")
        config.clock = "virtual"
        config.pace = pace
        if policy is not None:
            policies.apply(policy, config)
        return config

    def cluster(self, policy: Policy | None, pace: str) -> Cluster:
        """Return the cluster, empty, at the beginning of its clock."""
        made = Cluster(self.config(policy, pace), EPOCH)
        if os.path.isdir(self.file):
            made.accounting, made.users = accounts(self.file)
        return made

    def _described(self) -> Config:
        if not 0 < self.nodes * self.processors <= MOST_PROCESSORS or self.nodes < 0:
            raise UserError(f"a machine has 1 to {MOST_PROCESSORS} processors")
        return Config(
            slurm={**_SLURM, "SelectType": "select/processors" if self.pool else "select/linear"},
            nodes=[NodeConf(node_name=f"n[1-{self.nodes}]", cpus=self.processors)],
            partitions=[PartitionConf(partition_name=PARTITION, nodes="ALL", default=True)],
        )


def accounts(folder: str) -> tuple[dict[str, dict[str, str]], dict[str, int]]:
    """Return the records of accounting in a state directory, and the ids of users that only it knows."""
    from slimsched.state.store import Store

    with Store.open(folder) as store:
        cluster = store.load()
    return cluster.accounting, cluster.users


def start(cluster: Cluster, *, plans: bool) -> Controller:
    """Return the controller of an empty cluster; ``plans``: jobs that wait get an expected start."""
    clock.use_zone(cluster.config)
    ctl = Controller(cluster)
    ctl.forecasting = ctl.each_plan = plans
    return ctl

"""The cluster that is there without any configuration: the three nodes of the Slurm document's example."""

from __future__ import annotations

from slimsched.model.config import Config, NodeConf, PartitionConf


def cluster() -> Config:
    """Return the default configuration.

    ``DefMemPerCPU`` is small because with memory as a consumable resource a job without ``--mem`` would
    otherwise take all of a node's memory, and so the node.
    """
    return Config(
        slurm={
            "ClusterName": "cluster",
            "SchedulerType": "sched/backfill",
            "SchedulerParameters": "extra_constraints",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU_Memory",
            "DefMemPerCPU": "100",
        },
        nodes=[
            NodeConf(
                node_name="node[01-03]", cpus=12, sockets=2, cores_per_socket=6, threads_per_core=1, real_memory=64000
            )
        ],
        partitions=[PartitionConf(partition_name="debug", nodes="node[01-03]", default=True)],
    )

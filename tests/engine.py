"""A cluster in memory with its controller: no files, no command line.

ctl = engine.controller(nodes=4, params="bf_interval=1")
job = engine.submit(ctl, min_nodes=2, time_limit=30, sim_runtime=600)
engine.after(ctl, 600)
"""

from __future__ import annotations

from typing import Any

from slimsched.controller import events
from slimsched.controller.core import Controller
from slimsched.controller.submit import submit as submit_request
from slimsched.controller.users import User
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest

START = 1767225600  # 2026-01-01T00:00:00
ME = User(1000, "me", 1000, "me")
HALF_HOUR = 30


def config(nodes: int = 4, params: str = "", **slurm: str) -> Config:
    """Four-CPU nodes with 1000 MB, partitions ``debug`` (all nodes) and ``batch`` (the upper half)."""
    return Config(
        slurm={"DefMemPerCPU": "100", "SchedulerParameters": f"extra_constraints,{params}", **slurm},
        nodes=[NodeConf(node_name=f"n[1-{nodes}]", cpus=4, real_memory=1000, features="all")],
        partitions=[
            PartitionConf(
                partition_name="debug", nodes="ALL", default=True, max_time=120, default_time=HALF_HOUR, min_nodes=1
            ),
            PartitionConf(partition_name="batch", nodes=f"n[{nodes // 2 + 1}-{nodes}]", max_time=1440, min_nodes=1),
        ],
    )


def controller(nodes: int = 4, params: str = "", **slurm: str) -> Controller:
    return Controller(Cluster(config(nodes, params, **slurm), START))


def submit(ctl: Controller, script: str | None = None, **fields: Any) -> Job:
    """Submit as ``sbatch`` would, and run the pass that the command runs at its end."""
    if "min_nodes" in fields:
        fields.setdefault("max_nodes", fields["min_nodes"])
    given: dict[str, Any] = {"partition": "debug", "sim_runtime": 6000, **fields}
    request = JobRequest(**given)
    job = submit_request(ctl, request, ME, script).job
    ctl.settle()
    return job


def whole(ctl: Controller, nodes: int = 1, minutes: int = HALF_HOUR, **fields: Any) -> Job:
    """Submit a job of whole nodes that lasts to its limit."""
    return submit(ctl, min_nodes=nodes, exclusive="NODE", time_limit=minutes, sim_runtime=minutes * 60, **fields)


def after(ctl: Controller, seconds: int) -> None:
    """Let time pass."""
    events.advance(ctl, ctl.cluster.now + seconds)


def at(job: Job) -> int:
    """Return a job's start in seconds since the cluster's."""
    return job.start_time - START


def shown(*jobs: Job) -> list[str]:
    """Return state, place or reason of each job, as ``squeue`` would show them."""
    return [f"{job.state} {job.nodes or job.state_desc or job.reason}" for job in jobs]


def tag(ctl: Controller, node: str, extra: str) -> None:
    """Set a node's Extra text."""
    cluster = ctl.cluster
    cluster.nodes[cluster.node_index[node]].change(extra=extra)
    cluster.changed("extra")
    cluster.pass_due = True


def put(ctl: Controller, node: str, state: str = "IDLE", *flags: str) -> None:
    """Set a node's state and flags."""
    cluster = ctl.cluster
    cluster.nodes[cluster.node_index[node]].change(state=state, flags=list(flags))
    cluster.changed("state")
    cluster.pass_due = True

"""The one builder of clusters for tests: in memory, with no files and no command line.

Three clusters: the `recorded` one, on which the answers of a real Slurm were recorded (eight nodes, two partitions),
`uniform` ones of any size, and whatever `cluster` is given. Jobs are submitted through the controller, or put down
as records that no controller has seen::

    ctl = world.controller()                         # the recorded cluster under a controller
    job = world.job(ctl, name="a", min_nodes=2)      # root's, for five minutes
    ctl = world.uniform(nodes=4, params="bf_interval=1")
    job = world.submit(ctl, time_limit=30)           # one's own, until it is ended
    world.later(ctl, 600)
    job = world.record(cluster, JobRequest(num_tasks=4), state="RUNNING")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slimsched.controller.core import Controller
from slimsched.controller.life.arrays import label
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit as submit_request
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf, SwitchConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest

START = 1767225600  # 2026-01-01T00:00:00
ROOT = User(0, "root", 0, "root")
ME = User(1000, "me", 1000, "me")
HALF_HOUR = 30

Partitions = Mapping[str, Mapping[str, Any]]


# clusters


def config(
    nodes: Sequence[NodeConf], partitions: Partitions, switches: Sequence[SwitchConf] = (), **slurm: str
) -> Config:
    """Return a configuration: nodes, partitions by name (of all nodes unless they say which), keys of slurm.conf."""
    parts = [PartitionConf(**{"partition_name": name, "nodes": "ALL", **more}) for name, more in partitions.items()]
    return Config(slurm=slurm, nodes=list(nodes), partitions=parts, switches=list(switches))


def node(names: str, **more: Any) -> NodeConf:
    """Return nodes of four CPUs and 1000 MB."""
    return NodeConf(**{"node_name": names, "cpus": 4, "real_memory": 1000, **more})


def recorded() -> Config:
    """Return the cluster of the records: node1 to node8, the last two with GPUs, debug and batch."""
    here = {"node_hostname": "vm", "node_addr": "127.0.0.1"}
    nodes = [
        node("node[1-4]", features="rack1,intel", port="[47001-47004]", **here),
        node("node[5-6]", features="rack2,amd", port="[47005-47006]", **here),
        node("node[7-8]", features="rack2,amd,big", gres="gpu:2", weight=10, port="[47007-47008]", **here),
    ]
    partitions = {
        "debug": {"nodes": "node[1-8]", "default": True, "max_time": 120, "default_time": HALF_HOUR},
        "batch": {"nodes": "node[5-8]", "max_time": 1440},
    }
    return config(nodes, partitions, ClusterName="oracle", DefMemPerCPU="100", SchedulerParameters="extra_constraints")


def controller(**slurm: str) -> Controller:
    """Return a controller of the recorded cluster; ``slurm`` are further keys of slurm.conf."""
    conf = recorded()
    conf.slurm.update(slurm)
    return Controller(Cluster(conf, START))


def uniform_config(nodes: int = 4, params: str = "", **slurm: str) -> Config:
    """Return nodes n1, n2, ... in the partitions debug (all of them) and batch (the upper half)."""
    partitions = {
        "debug": {"default": True, "max_time": 120, "default_time": HALF_HOUR, "min_nodes": 1},
        "batch": {"nodes": f"n[{nodes // 2 + 1}-{nodes}]", "max_time": 1440, "min_nodes": 1},
    }
    keys = {"DefMemPerCPU": "100", "SchedulerParameters": f"extra_constraints,{params}", **slurm}
    return config([node(f"n[1-{nodes}]", features="all")], partitions, **keys)


def uniform(nodes: int = 4, params: str = "", **slurm: str) -> Controller:
    """Return a controller of uniform nodes; ``params`` are SchedulerParameters."""
    return Controller(Cluster(uniform_config(nodes, params, **slurm), START))


# jobs


def record(cluster: Cluster, request: JobRequest, **fields: Any) -> Job:
    """Add a job as a record that no controller has seen; it gets the next id unless ``fields`` has one."""
    job = Job(**{"job_id": cluster.next_job_id, "request": request, "submit_time": cluster.now, **fields})
    cluster.next_job_id = max(cluster.next_job_id, job.job_id + 1)
    cluster.jobs[job.job_id] = job
    return job


def add_job(cluster: Cluster, **fields: Any) -> Job:
    """Add a record with what a command leaves of a submission: the job is to be written, and there is an event."""
    job = record(cluster, JobRequest(name="x"), **fields)
    cluster.touch_job(job)
    cluster.events.append({"event": "submit", "job": job.job_id})
    return job


def retire(cluster: Cluster, job: Job) -> None:
    """Take a job out as a purge does."""
    cluster.gone_jobs.append(cluster.jobs.pop(job.job_id))
    cluster.dirty_jobs.discard(job.job_id)


def submit(ctl: Controller, script: str | None = None, user: User = ME, **fields: Any) -> Job:
    """Submit as ``sbatch`` would, and run the pass that the command runs at its end."""
    if "min_nodes" in fields:
        fields.setdefault("max_nodes", fields["min_nodes"])
    return _submitted(ctl, {"partition": "debug", "sim_runtime": 6000, **fields}, user, script)


def whole(ctl: Controller, nodes: int = 1, minutes: int = HALF_HOUR, **fields: Any) -> Job:
    """Submit a job of whole nodes that lasts to its limit."""
    return submit(ctl, min_nodes=nodes, exclusive="NODE", time_limit=minutes, sim_runtime=minutes * 60, **fields)


def job(ctl: Controller, user: User = ROOT, runtime: int | None = 300, **fields: Any) -> Job:
    """Submit a job of root's that sleeps ``runtime`` seconds, with nothing else filled in."""
    return _submitted(ctl, {"name": "wrap", "sim_runtime": runtime, **fields}, user)


def fill(ctl: Controller) -> Job:
    """Submit a job that takes every node of the recorded cluster."""
    return job(ctl, name="all", min_nodes=8, max_nodes=8, exclusive="NODE")


def _submitted(ctl: Controller, fields: dict[str, Any], user: User, script: str | None = None) -> Job:
    made = submit_request(ctl, JobRequest(**fields), user, script)
    ctl.settle()
    return ctl.cluster.jobs.get(made.job_id, made)


# what happens, and what is seen


def later(ctl: Controller, seconds: int) -> None:
    """Let time pass."""
    event_loop.advance(ctl, ctl.cluster.now + seconds)


def tag(ctl: Controller, name: str, extra: str) -> None:
    """Set a node's Extra text."""
    cluster = ctl.cluster
    cluster.nodes[cluster.node_index[name]].change(extra=extra)
    cluster.changed("extra")
    cluster.pass_due = True


def put(ctl: Controller, name: str, state: str = "IDLE", *flags: str) -> None:
    """Set a node's state and flags."""
    cluster = ctl.cluster
    cluster.nodes[cluster.node_index[name]].change(state=state, flags=list(flags))
    cluster.changed("state")
    cluster.pass_due = True


def at(job: Job) -> int:
    """Return a job's start in seconds since the cluster's."""
    return job.start_time - START


def shown(*jobs: Job) -> list[str]:
    """Return state, place or reason of each job, as ``squeue`` would show them."""
    return [f"{job.state} {job.nodes or job.state_desc or job.reason}" for job in jobs]


def states(ctl: Controller) -> dict[str, tuple[str, str]]:
    """Return label -> (state, reason) of all jobs."""
    return {label(j): (j.state, j.reason) for j in ctl.cluster.jobs.values()}


def said(failures: list[Any]) -> list[str]:
    """Return the lines of some failures."""
    return [str(failure) for failure in failures]

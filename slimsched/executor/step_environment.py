"""The environment of the tasks of a step: what ``srun`` has, as far as it is exported, and what Slurm sets.

Source: srun(1), OUTPUT ENVIRONMENT VARIABLES; scenarios env_steps_two_nodes, env_steps_resources, srun_outside_env.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from slimsched.executor.batch_environment import FIXED, sluid
from slimsched.executor.environment import job_environment, repeated

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job, Step

LOCAL = "127.0.0.1"
LAUNCHERS = ("HYDRA_", "I_MPI_", "OMPI_MCA_", "PRTE_MCA_")
"""What the names of variables begin with that tell MPI's launchers to use Slurm."""


def step_environment(cluster: Cluster, job: Job, number: int, tasks: list[list[int]]) -> dict[str, str]:
    """Return the variables that are the same in all tasks of a step; ``tasks``: the ranks on each node."""
    step = job.steps[number]
    count = [len(here) for here in tasks]
    found = {
        **{name: value for name, value in FIXED.items() if name.startswith(LAUNCHERS)},
        "SLURM_PRIO_PROCESS": "0",
        "SLURM_OOM_KILL_STEP": "0",
        "SLURM_CLUSTER_NAME": cluster.config.get("ClusterName"),
        "SLURM_JOB_SLUID": sluid(job),
        "SLURM_JOB_GROUP": job.group_name,
        "SLURM_LAUNCH_NODE_IPADDR": LOCAL,
        "SLURM_SRUN_COMM_HOST": LOCAL,
        "SLURM_SRUN_COMM_PORT": str(_port()),
        "SLURM_STEP_LAUNCHER_PORT": str(_port()),
        "SLURM_STEP_ID": str(number),
        "SLURM_STEPID": str(number),
        "SLURM_STEP_NODELIST": step.nodes,
        "SLURM_STEP_NUM_NODES": str(len(tasks)),
        "SLURM_NNODES": str(len(tasks)),
        "SLURM_STEP_NUM_TASKS": str(step.tasks),
        "SLURM_NTASKS": str(step.tasks),
        "SLURM_NPROCS": str(step.tasks),
        "SLURM_STEP_TASKS_PER_NODE": repeated(count),
        "SLURM_TASKS_PER_NODE": repeated(count),
        "SLURM_TOPOLOGY_ADDR_PATTERN": "node",
        "SLURMD_DEBUG": "2",
    }
    inherited = ("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NNODES", "SLURM_TASKS_PER_NODE", "SLURM_DISTRIBUTION")
    own = job_environment(cluster, job)
    return {**{name: value for name, value in own.items() if name not in inherited}, **found}


def _port() -> int:
    """Return a number such as a port has; nobody listens, but programs look whether there is one."""
    return 32768 + os.getpid() % 16384


def node_environment(step: Step, tasks: list[list[int]], names: list[str]) -> list[dict[str, str]]:
    """Return the variables of each node of a step."""
    return [
        {
            "SLURMD_NODENAME": name,
            "SLURM_TOPOLOGY_ADDR": name,
            "SLURM_NODEID": str(node),
            "SLURM_CPUS_ON_NODE": str(step.cpus[node]),
            "SLURM_GTIDS": ",".join(map(str, tasks[node])),
        }
        for node, name in enumerate(names)
    ]


def task_environment(rank: int, local: int) -> Mapping[str, str]:
    """Return the variables of one task."""
    return {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(local)}


PRESERVED = ("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE")
"""Variables that stay as ``srun`` has them if it is to preserve the environment."""

VISIBLE = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "ZE_AFFINITY_MASK")
GPUS = (*VISIBLE, "SLURM_GPUS_ON_NODE")
"""Variables that tell which GPUs a task has."""


def gpu_environment(gpus: list[int], each: int, local: int) -> Mapping[str, str]:
    """Return the variables of the GPUs of a task: all of its step on the node, or its own ones (``each``: how many)."""
    if not gpus:
        return {}
    own = gpus[local * each : (local + 1) * each] if each else gpus
    return {**dict.fromkeys(VISIBLE, ",".join(map(str, own))), "SLURM_GPUS_ON_NODE": str(len(gpus))}


def bound_gpus(each: int) -> Mapping[str, str]:
    """Return the variables of a step each of whose tasks has GPUs of its own."""
    bind = f"gres/gpu:per_task:{each}"
    return {"SLURMD_TRES_BIND": bind, "SLURM_TRES_BIND": bind, "SLURM_TRES_PER_TASK": f"gres/gpu={each}"}

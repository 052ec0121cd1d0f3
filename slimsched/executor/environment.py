"""The ``SLURM_*`` variables in the environment of a job's processes.

Source: recorded scenario job_run_outputs; salloc(1) and sbatch(1), OUTPUT ENVIRONMENT VARIABLES.
"""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest


def job_environment(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return the variables of a running job."""
    request = job.request
    count = len(job.cpus)
    found: dict[str, object] = {
        "SLURM_CLUSTER_NAME": cluster.config.get("ClusterName"),
        "SLURM_JOBID": job.job_id,
        "SLURM_JOB_ID": job.job_id,
        "SLURM_JOB_NAME": request.name,
        "SLURM_JOB_UID": job.user_id,
        "SLURM_JOB_GID": job.group_id,
        "SLURM_JOB_USER": job.user_name,
        "SLURM_JOB_ACCOUNT": request.account or None,
        "SLURM_JOB_QOS": request.qos or None,
        "SLURM_JOB_RESERVATION": job.resv_name or None,
        "SLURM_JOB_PARTITION": job.partition,
        "SLURM_JOB_NODELIST": job.nodes,
        "SLURM_NODELIST": job.nodes,
        "SLURM_JOB_NUM_NODES": count,
        "SLURM_NNODES": count,
        "SLURM_JOB_CPUS_PER_NODE": repeated(job.cpus),
        "SLURM_TASKS_PER_NODE": repeated(tasks_per_node(job)),
        "SLURM_JOB_START_TIME": job.start_time,
        "SLURM_JOB_END_TIME": job.end_time or None,
        "SLURM_JOB_LICENSES": job.licenses_alloc or None,
        "SLURM_SUBMIT_HOST": os.uname().nodename,
        "SLURM_CPU_FREQ_REQ": request.recorded.get("cpu-freq", "").capitalize() or None,
        **_sizes(request, count),
        **{name: getattr(request, field) or None for name, field in FIELDS.items()},
        **{name: request.recorded.get(option) for name, option in OPTIONS.items()},
        **_array(job),
    }
    return {name: str(value) for name, value in found.items() if value is not None}


FIELDS = {
    "SLURM_NTASKS_PER_NODE": "ntasks_per_node",
    "SLURM_NTASKS_PER_SOCKET": "ntasks_per_socket",
    "SLURM_NTASKS_PER_CORE": "ntasks_per_core",
    "SLURM_NTASKS_PER_GPU": "ntasks_per_gpu",
    "SLURM_CPUS_PER_TASK": "cpus_per_task",
    "SLURM_CPUS_PER_GPU": "cpus_per_gpu",
    "SLURM_THREADS_PER_CORE": "threads_per_core",
    "SLURM_MEM_PER_CPU": "mem_per_cpu",
    "SLURM_MEM_PER_GPU": "mem_per_gpu",
    "SLURM_MEM_PER_NODE": "mem_per_node",
    "SLURM_GPUS": "gpus",
    "SLURM_GPUS_PER_NODE": "gpus_per_node",
    "SLURM_GPUS_PER_SOCKET": "gpus_per_socket",
    "SLURM_GPUS_PER_TASK": "gpus_per_task",
    "SLURM_NETWORK": "network",
    "SLURM_SUBMIT_DIR": "work_dir",
}
"""Variable -> field of the request; what is not set, or zero, has no variable."""

OPTIONS = {
    "SLURM_ACCTG_FREQ": "acctg-freq",
    "SLURM_CONTAINER": "container",
    "SLURM_CONTAINER_ID": "container-id",
    "SLURM_HINT": "hint",
    "SLURM_MEM_BIND": "mem-bind",
    "SLURM_PROFILE": "profile",
    "SLURM_SEGMENT_SIZE": "segment",
}
"""Variable -> option that is only recorded."""


def _sizes(request: JobRequest, nodes: int) -> dict[str, object]:
    """Return the variables of the number of tasks, if one was asked for, and of how they are laid out."""
    kind, _, plane = request.distribution.partition("=")
    tasks = request.num_tasks if "num_tasks" in request.given else (request.ntasks_per_node or 0) * nodes or None
    return {
        "SLURM_NTASKS": tasks,
        "SLURM_NPROCS": tasks,
        "SLURM_TRES_PER_TASK": ",".join(filter(None, (request.task_cpus_text, request.tres_per_task))) or None,
        "SLURM_DISTRIBUTION": kind or None,
        "SLURM_DIST_PLANESIZE": plane or None,
        "SLURM_OVERCOMMIT": 1 if request.overcommit else None,
    }


def _array(job: Job) -> dict[str, object]:
    """Return the variables that tell an array task which one it is."""
    if job.array_task_id is None:
        return {}
    return {"SLURM_ARRAY_JOB_ID": job.array_job_id, "SLURM_ARRAY_TASK_ID": job.array_task_id}


def tasks_per_node(job: Job) -> list[int]:
    """Return how many tasks each node gets: as many as its CPUs hold, in the order of the nodes, at least one."""
    size = job.request.cpus_per_task or 1
    if "num_tasks" not in job.request.given and not job.request.ntasks_per_node:
        return [max(1, cpus // size) for cpus in job.cpus]
    left = job.request.num_tasks or len(job.cpus)
    spread = []
    for place, cpus in enumerate(job.cpus):
        others = len(job.cpus) - place - 1
        here = max(1, min(cpus // size, left - others))
        spread.append(here)
        left -= here
    return spread


def repeated(counts: Sequence[int]) -> str:
    """Return counts as Slurm writes them: ``2(x3),1``."""
    runs = ((count, len(list(group))) for count, group in groupby(counts))
    return ",".join(f"{count}(x{length})" if length > 1 else str(count) for count, length in runs)

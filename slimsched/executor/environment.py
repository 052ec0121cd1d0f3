"""The ``SLURM_*`` variables that a job's processes find.

Source: recorded scenario job_run_outputs; salloc(1) and sbatch(1), OUTPUT ENVIRONMENT VARIABLES.
"""

from __future__ import annotations

import socket
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


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
        "SLURM_NTASKS": request.num_tasks,
        "SLURM_NPROCS": request.num_tasks,
        "SLURM_NTASKS_PER_NODE": request.ntasks_per_node,
        "SLURM_CPUS_PER_TASK": request.cpus_per_task,
        "SLURM_MEM_PER_CPU": request.mem_per_cpu,
        "SLURM_MEM_PER_NODE": request.mem_per_node,
        "SLURM_GPUS": request.gpus or None,
        "SLURM_SUBMIT_DIR": request.work_dir,
        "SLURM_SUBMIT_HOST": socket.gethostname(),
        **_array(job),
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def _array(job: Job) -> dict[str, object]:
    """Return the variables that tell an array task which one it is."""
    if job.array_task_id is None:
        return {}
    return {"SLURM_ARRAY_JOB_ID": job.array_job_id, "SLURM_ARRAY_TASK_ID": job.array_task_id}


def tasks_per_node(job: Job) -> list[int]:
    """Return how many tasks each node gets: as many as its CPUs hold, in the order of the nodes, at least one."""
    left = job.request.num_tasks or len(job.cpus)
    size = job.request.cpus_per_task or 1
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

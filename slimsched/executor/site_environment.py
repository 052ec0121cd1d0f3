"""The environment of the programs of a site that go with every job: ``Prolog``, ``Epilog`` and those of slurmctld.

Source: slurm.conf(5), the guide Prolog and Epilog; scenarios task_prolog, slurmctld_prolog_epilog.
"""

from __future__ import annotations

import grp
from typing import TYPE_CHECKING

from slimsched.executor.batch_environment import sluid
from slimsched.executor.environment import repeated
from slimsched.model.account import NORMAL, Book

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def common(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return what all of them see of a job that has its nodes."""
    request = job.request
    found: dict[str, object] = {
        "SLURM_CLUSTER_NAME": cluster.config.get("ClusterName"),
        "SLURM_JOBID": job.job_id,
        "SLURM_JOB_ACCOUNT": request.account or Book(cluster).default_account(job.user_name) or None,
        "SLURM_JOB_CPUS_PER_NODE": repeated(job.cpus),
        "SLURM_JOB_END_TIME": job.end_time or None,
        "SLURM_JOB_EXCLUSIVE": request.exclusive or "NO",
        "SLURM_JOB_GID": job.group_id,
        "SLURM_JOB_ID": job.job_id,
        "SLURM_JOB_NODELIST": job.nodes,
        "SLURM_JOB_NUM_NODES": len(job.cpus),
        "SLURM_JOB_OVERSUBSCRIBE": "YES" if request.oversubscribe else "NO",
        "SLURM_JOB_PARTITION": job.partition,
        "SLURM_JOB_QOS": request.qos or NORMAL,
        "SLURM_JOB_RESERVATION": job.resv_name or None,
        "SLURM_JOB_RESTART_COUNT": job.restarts,
        "SLURM_JOB_SLUID": sluid(job),
        "SLURM_JOB_START_TIME": job.start_time,
        "SLURM_JOB_STDERR": request.error,
        "SLURM_JOB_STDIN": request.input or "/dev/null",
        "SLURM_JOB_STDOUT": request.output or ("slurm-%A_%a.out" if job.array_job_id else "slurm-%j.out"),
        "SLURM_JOB_UID": job.user_id,
        "SLURM_JOB_USER": job.user_name,
        "SLURM_JOB_WORK_DIR": request.work_dir,
    }
    if job.array_job_id:
        found |= {"SLURM_ARRAY_JOB_ID": job.array_job_id, "SLURM_ARRAY_TASK_ID": job.array_task_id}
    return {name: str(value) for name, value in found.items() if value is not None}


def of_controller(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return the environment of ``PrologSlurmctld`` and ``EpilogSlurmctld``, less what tells the two apart."""
    found = {**common(cluster, job), "SLURM_JOB_GROUP": _group(job.group_id), "SLURM_JOB_NAME": job.request.name}
    return {**found, "SLURM_JOB_COMMENT": job.request.comment} if job.request.comment else found


def of_node(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return the environment of ``Prolog`` and ``Epilog``, less the node's name and what tells the two apart."""
    return {
        **common(cluster, job),
        "SLURM_JOB_CORE_SPEC_COUNT": "0",
        "SLURM_JOB_CORE_SPEC_TYPE": "cores",
        "SLURM_JOB_NTASKS": str(job.request.num_tasks or len(job.cpus)),
        "SLURM_NODELIST": job.nodes,
        "SLURM_UID": str(job.user_id),
    }


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)

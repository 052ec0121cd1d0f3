"""The variables of a running job: those of its size, its options and its place; none for what was not asked for."""

from __future__ import annotations

import pytest
import world

from slimsched.executor.environment import job_environment

ALWAYS = {
    *("SLURM_CLUSTER_NAME", "SLURM_JOBID", "SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_END_TIME", "SLURM_JOB_GID"),
    *("SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION"),
    *("SLURM_JOB_START_TIME", "SLURM_JOB_UID", "SLURM_JOB_USER", "SLURM_MEM_PER_CPU", "SLURM_NNODES"),
    *("SLURM_NODELIST", "SLURM_SUBMIT_HOST", "SLURM_TASKS_PER_NODE"),
}


NUMBER = ("SLURM_NTASKS", "SLURM_NPROCS")


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({}, {}),
        ({"min_nodes": 2, "max_nodes": 2}, {"SLURM_NNODES": "2", "SLURM_JOB_NODELIST": "node[1-2]"}),
        ({"num_tasks": 3}, {"SLURM_NTASKS": "3", "SLURM_NPROCS": "3", "SLURM_TASKS_PER_NODE": "3"}),
        ({"cpus_per_task": 2}, {"SLURM_CPUS_PER_TASK": "2", "SLURM_TRES_PER_TASK": "cpu=2"}),
        ({"mem_per_node": 50}, {"SLURM_MEM_PER_NODE": "50"}),
        ({"distribution": "plane=2"}, {"SLURM_DISTRIBUTION": "plane", "SLURM_DIST_PLANESIZE": "2"}),
        ({"distribution": "cyclic,pack"}, {"SLURM_DISTRIBUTION": "cyclic,pack"}),
        ({"gpus": "1"}, {"SLURM_GPUS": "1", "SLURM_NODELIST": "node7"}),
        ({"gpus_per_task": "1", "num_tasks": 2}, {"SLURM_GPUS_PER_TASK": "1", "SLURM_NTASKS": "2"}),
        (
            {"overcommit": True, "ntasks_per_node": 2},
            {"SLURM_OVERCOMMIT": "1", "SLURM_NTASKS_PER_NODE": "2"} | dict.fromkeys(NUMBER, "2"),
        ),
        ({"recorded": {"hint": "multithread", "bb": "x"}}, {"SLURM_HINT": "multithread"}),
        ({"account": "a", "work_dir": "/w"}, {"SLURM_JOB_ACCOUNT": "a", "SLURM_SUBMIT_DIR": "/w"}),
    ],
)
def test_variables(fields, more):
    ctl = world.controller()
    found = job_environment(ctl.cluster, world.job(ctl, **fields))
    extra = {"SLURM_NPROCS"} if "num_tasks" in fields else set()

    assert {name: found[name] for name in more} == more
    memory = {"SLURM_MEM_PER_CPU"} if "mem_per_node" in fields else set()
    assert set(found) == (ALWAYS - memory) | set(more) | extra


def test_an_array_task():
    ctl = world.controller()
    world.job(ctl, array="4-5")
    tasks = [job_environment(ctl.cluster, job) for job in ctl.cluster.jobs.values()]

    assert sorted((task["SLURM_ARRAY_JOB_ID"], task["SLURM_ARRAY_TASK_ID"]) for task in tasks) == [
        ("1", "4"),
        ("1", "5"),
    ]

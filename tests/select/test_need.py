"""What a request comes to on each node: one row a rule, with all that differs from a plain one-CPU job."""

from __future__ import annotations

import pytest

from slimsched.model.config import Config, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.select.gres import Gres
from slimsched.select.need import ONE_ROW, RESERVED, SHARED, WHOLE_MEMORY, Cap, Need, NeedTable

PARTITIONS = {
    "debug": {},
    "shared": {"over_subscribe": "YES:3"},
    "forced": {"over_subscribe": "FORCE"},
    "single": {"over_subscribe": "FORCE:1"},
    "zero": {"over_subscribe": "FORCE:0"},
    "whole": {"over_subscribe": "EXCLUSIVE"},
    "private": {"exclusive_user": True},
    "level": {"lln": True},
    "narrow": {"max_cpus_per_node": 3, "max_mem_per_cpu": 500},
}


def table(*, whole_nodes: bool = False, memory: bool = True, **slurm: str) -> NeedTable:
    parts = {name: PartitionConf(partition_name=name, **fields) for name, fields in PARTITIONS.items()}
    return NeedTable(Config(slurm=slurm), parts, whole_nodes=whole_nodes, memory=memory)


def job(partition: str = "debug", user: int = 0, **asked: object) -> Job:
    return Job(job_id=1, request=JobRequest(partition=partition, **asked), user_id=user)


def need(made: NeedTable | None = None, **asked: object) -> Need:
    return (made or table()).find(job(**asked), "")


def values(found: Need) -> dict[str, object]:
    return {name: getattr(found, name) for name in Need.__slots__}


PLAIN = values(need())


def test_a_plain_job():
    assert PLAIN == {
        "num_tasks": 0,
        "cpus_per_task": 1,
        "tasks_per_node": 0,
        "node_cpus": 1,
        "least_cpus": 1,
        "max_node_cpus": 0,
        "cap": None,
        "min_cpus": 0,
        "mem_per_cpu": 0,
        "mem_per_node": WHOLE_MEMORY,
        "mem_per_gpu": 0,
        "memory": True,
        "gres": (),
        "task_gres": (),
        "job_gres": (),
        "cpus_per_gpu": 0,
        "mode": ONE_ROW,
        "rows": 1,
        "user": -1,
        "alone": False,
        "threads": 0,
        "sockets": 0,
        "cores": 0,
        "socket_tasks": 0,
        "spec_cores": 0,
        "spec_threads": 0,
        "tmp_disk": 0,
        "overcommit": False,
        "contiguous": False,
        "spread": False,
        "least_loaded": False,
    }


GPU = Gres("gpu", "", 1)
CAP = Cap("narrow", 3, None)


@pytest.mark.parametrize(
    ("asked", "differs"),
    [
        ({"num_tasks": 6}, {"num_tasks": 6}),
        ({"min_cpus": 6}, {"min_cpus": 6}),
        ({"cpus_per_task": 3}, {"cpus_per_task": 3, "node_cpus": 3, "least_cpus": 3}),
        ({"min_cpus_per_node": 4}, {"node_cpus": 4, "least_cpus": 4}),
        ({"min_cpus_per_node": 4, "cpus_per_task": 6}, {"node_cpus": 6, "least_cpus": 6, "cpus_per_task": 6}),
        ({"ntasks_per_node": 2}, {"tasks_per_node": 2, "node_cpus": 2, "least_cpus": 2, "max_node_cpus": 2}),
        (
            {"ntasks_per_node": 2, "cpus_per_task": 3},
            {"tasks_per_node": 2, "cpus_per_task": 3, "node_cpus": 6, "least_cpus": 6, "max_node_cpus": 6},
        ),
        # with --ntasks, or with --overcommit, --ntasks-per-node is but an upper limit
        (
            {"ntasks_per_node": 2, "num_tasks": 8},
            {"tasks_per_node": 2, "num_tasks": 8, "node_cpus": 2, "max_node_cpus": 2},
        ),
        (
            {"ntasks_per_node": 2, "overcommit": True},
            {"tasks_per_node": 2, "overcommit": True, "node_cpus": 1, "least_cpus": 1, "max_node_cpus": 2},
        ),
        ({"ntasks_per_socket": 2}, {"socket_tasks": 2}),  # how many sockets is not known
        (
            {"ntasks_per_socket": 2, "sockets_per_node": 3},
            {"socket_tasks": 2, "tasks_per_node": 6, "max_node_cpus": 6, "sockets": 3},
        ),
        ({"ntasks_per_core": 1}, {"threads": 1}),
        ({"ntasks_per_core": 2}, {}),
        ({"threads_per_core": 2}, {"threads": 2}),
        ({"cores_per_socket": 8, "sockets_per_node": 2}, {"cores": 8, "sockets": 2}),
        ({"min_tmp_disk": 70}, {"tmp_disk": 70}),
        ({"contiguous": True}, {"contiguous": True}),
        ({"spread_job": True}, {"spread": True}),
        # memory
        ({"mem_per_node": 300}, {"mem_per_node": 300}),
        ({"mem_per_node": 0}, {"mem_per_node": WHOLE_MEMORY}),
        ({"mem_per_cpu": 300}, {"mem_per_cpu": 300, "mem_per_node": 0}),
        ({"mem_per_gpu": 300}, {"mem_per_gpu": 300, "mem_per_node": 0}),
        # generic resources
        ({"gres": "gpu:2"}, {"gres": (Gres("gpu", "", 2),)}),
        ({"gpus_per_node": "tesla:2"}, {"gres": (Gres("gpu", "tesla", 2),)}),
        ({"gpus_per_socket": "2", "sockets_per_node": 3}, {"gres": (Gres("gpu", "", 6),), "sockets": 3}),
        ({"gpus_per_socket": "2"}, {"gres": (Gres("gpu", "", 2),)}),
        ({"gres": "gpu:0,nic:1"}, {"gres": (Gres("nic", "", 1),)}),
        ({"gpus": "0"}, {}),
        ({"gpus": "4"}, {"job_gres": (Gres("gpu", "", 4),)}),
        ({"gpus": "a:1,b:2"}, {"job_gres": (Gres("gpu", "a", 1), Gres("gpu", "b", 2, first=1))}),
        ({"gpus_per_task": "1"}, {"task_gres": (GPU,)}),
        (
            {"gpus_per_node": "2", "cpus_per_gpu": 3},
            {"gres": (Gres("gpu", "", 2),), "cpus_per_gpu": 3, "node_cpus": 6, "least_cpus": 6},
        ),
        (
            {"gpus_per_task": "2", "cpus_per_gpu": 3},
            {
                "task_gres": (Gres("gpu", "", 2),),
                "cpus_per_gpu": 3,
                "cpus_per_task": 6,
                "node_cpus": 6,
                "least_cpus": 6,
            },
        ),
        ({"tres_per_task": "cpu:3"}, {"cpus_per_task": 3, "node_cpus": 3, "least_cpus": 3}),
        (
            {"tres_per_task": "cpu:3,gres/gpu:1"},
            {"cpus_per_task": 3, "node_cpus": 3, "least_cpus": 3, "task_gres": (GPU,)},
        ),
        ({"tres_per_task": "cpu:3", "cpus_per_task": 2}, {"cpus_per_task": 2, "node_cpus": 2, "least_cpus": 2}),
        # sharing
        ({"exclusive": "NODE"}, {"mode": RESERVED}),
        ({"core_spec": 1}, {"mode": RESERVED, "spec_cores": 1}),
        ({"core_spec": 0}, {"mode": RESERVED}),
        ({"thread_spec": 2}, {"mode": RESERVED, "spec_threads": 2}),
        ({"oversubscribe": True}, {}),
        ({"partition": "shared"}, {}),
        ({"partition": "shared", "oversubscribe": True}, {"mode": SHARED, "rows": 3}),
        ({"partition": "shared", "oversubscribe": True, "exclusive": "NODE"}, {"mode": RESERVED}),
        ({"partition": "forced"}, {"mode": SHARED, "rows": 4}),
        ({"partition": "single"}, {}),
        ({"partition": "zero"}, {}),
        ({"partition": "whole", "oversubscribe": True}, {"mode": RESERVED}),
        ({"partition": "level"}, {"least_loaded": True}),
        # the partition's limits: more CPUs for a task whose CPU would have more memory than is allowed
        ({"partition": "narrow"}, {"cap": CAP}),
        (
            {"partition": "narrow", "ntasks_per_node": 2},
            {"tasks_per_node": 2, "node_cpus": 2, "least_cpus": 2, "max_node_cpus": 2, "cap": CAP},
        ),
        ({"partition": "narrow", "mem_per_cpu": 500}, {"cap": CAP, "mem_per_cpu": 500, "mem_per_node": 0}),
        (
            {"partition": "narrow", "mem_per_cpu": 501},
            {"cap": CAP, "mem_per_cpu": 251, "mem_per_node": 0, "cpus_per_task": 2, "node_cpus": 2, "least_cpus": 2},
        ),
        (
            {"partition": "narrow", "mem_per_cpu": 1500, "cpus_per_task": 2},
            {"cap": CAP, "mem_per_cpu": 500, "mem_per_node": 0, "cpus_per_task": 6, "node_cpus": 6, "least_cpus": 6},
        ),
        ({"partition": "narrow", "mem_per_node": 900}, {"cap": CAP, "mem_per_node": 900}),
        ({"partition": "nosuch"}, {}),
        ({"partition": "narrow,debug"}, {"cap": CAP}),  # the first that it asked for
    ],
    ids=str,
)
def test_what_differs_from_a_plain_job(asked, differs):
    found = values(need(**asked))

    assert {name: value for name, value in found.items() if value != PLAIN[name]} == {
        name: value for name, value in differs.items() if value != PLAIN[name]
    }


@pytest.mark.parametrize(
    ("options", "asked", "expected"),
    [
        ({"whole_nodes": True}, {}, {"mode": RESERVED}),
        ({"whole_nodes": True}, {"partition": "forced"}, {"mode": SHARED}),
        ({"memory": False}, {}, {"mem_per_node": 0, "memory": False}),
        ({"memory": False}, {"mem_per_node": 0}, {"mem_per_node": WHOLE_MEMORY}),
        ({"MaxMemPerCPU": "100"}, {"mem_per_cpu": 250}, {"mem_per_cpu": 84, "cpus_per_task": 3}),
        ({"MaxMemPerCPU": "100"}, {"mem_per_cpu": 250, "partition": "narrow"}, {"mem_per_cpu": 250}),
        ({"SelectTypeParameters": "CR_CPU,cr_lln"}, {}, {"least_loaded": True}),
    ],
    ids=str,
)
def test_the_configuration_matters(options, asked, expected):
    found = values(need(table(**options), **asked))

    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("asked", "nodes", "cpus"),
    [
        ({}, 1, 1),
        ({}, 3, 3),
        ({}, 0, 1),
        ({"num_tasks": 5}, 1, 5),
        ({"num_tasks": 5}, 8, 8),
        ({"num_tasks": 5, "cpus_per_task": 2}, 2, 10),
        ({"ntasks_per_node": 4}, 3, 12),
        ({"ntasks_per_node": 4, "num_tasks": 6}, 3, 6),
        ({"min_cpus_per_node": 4}, 3, 12),
        ({"num_tasks": 5, "min_cpus": 7}, 1, 7),
        ({"num_tasks": 5, "min_cpus": 3}, 1, 5),
        ({"num_tasks": 5, "overcommit": True}, 2, 2),
        ({"num_tasks": 5, "overcommit": True}, 0, 1),
        ({"gpus": "4", "cpus_per_gpu": 3}, 1, 12),
        ({"gpus": "a:1,b:1", "cpus_per_gpu": 3, "num_tasks": 8}, 1, 8),
    ],
    ids=str,
)
def test_cpus_in_all(asked, nodes, cpus):
    assert need(**asked).total_cpus(nodes) == cpus


def test_jobs_that_ask_for_the_same_are_one_category():
    made = table()
    first = made.find(job(num_tasks=2, name="a"), "")

    assert made.find(job(num_tasks=2, name="b", user=7), "") is first
    assert made.find(job(num_tasks=3), "") is not first
    assert made.find(job(num_tasks=2), "level") is not first
    assert made.find(Job(job_id=2, request=JobRequest(partition="level", num_tasks=2), partition="debug"), "") is first


@pytest.mark.parametrize("minding", [{"exclusive": "USER"}, {"partition": "private"}], ids=str)
def test_users_are_told_apart_once_somebody_minds(minding):
    made = table()
    before = made.find(job(user=7), "")
    alone = made.find(job(user=8, **minding), "")

    assert (before.user, before.alone) == (-1, False)
    assert (alone.user, alone.alone) == (8, True)
    assert made.find(job(user=7), "").user == 7
    assert made.find(job(user=7), "") is not made.find(job(user=8), "")


def test_the_table_starts_anew_when_it_is_full(monkeypatch):
    monkeypatch.setattr(NeedTable, "LIMIT", 3)
    made = table()
    first = made.find(job(num_tasks=1), "")
    for tasks in (2, 3):
        made.find(job(num_tasks=tasks), "")
    assert made.find(job(num_tasks=1), "") is first
    made.find(job(num_tasks=4), "")

    assert made.find(job(num_tasks=1), "") is not first


def test_another_number_of_jobs_for_each_cpu():
    shared = need(partition="forced")
    other = shared.with_rows(2)

    assert (other.rows, shared.rows) == (2, 4)
    assert {**values(other), "rows": 4} == values(shared)

"""Cores, sockets, threads, GPUs: what is given out together, and the numbers of the CPUs."""

from __future__ import annotations

import pytest
from select_world import World

from slimsched.model.config import NodeConf

THREADED = {"cpus": 16, "sockets": 2, "cores_per_socket": 4, "threads_per_core": 2, "real_memory": 1600}


def world_of(params="CR_Core_Memory", count=2, **shape):
    return World("cons_tres", params, [NodeConf(node_name=f"node[1-{count}]", **{**THREADED, **shape})])


def test_cores_are_given_out_with_all_their_threads():
    world = world_of()
    job = world.start(num_tasks=1)

    assert (job.cpus, job.memory, job.cpu_ids) == ([2], [200], ["0-1"])
    assert world.start(cpus_per_task=3).cpus == [4]


def test_cpus_of_a_shared_core_are_not_given_to_others():
    world = world_of("CR_CPU", 1)
    jobs = [world.start(num_tasks=1) for _ in range(9)]

    assert [job.cpus for job in jobs[:8]] == [[1]] * 8
    assert jobs[8].nodes == ""


def test_cpus_alone_are_independent():
    world = World("cons_tres", "CR_CPU", [NodeConf(node_name="node1", cpus=16)])

    assert [world.start(num_tasks=1).cpu_ids for _ in range(3)] == [["0"], ["1"], ["2"]]


def test_sockets_are_given_out_whole():
    world = world_of("CR_Socket_Memory", 1)
    jobs = [world.start(num_tasks=1) for _ in range(3)]

    assert [job.cpus for job in jobs] == [[8], [8], []]


def test_one_thread_of_each_core():
    world = world_of("CR_Core", 1)
    job = world.start(num_tasks=8, threads_per_core=1)

    assert (job.nodes, job.cpus) == ("node1", [16])
    assert world.where(world.job(num_tasks=1)) == ""
    assert world_of("CR_CPU", 1).start(num_tasks=8, ntasks_per_core=1).cpus == [8]


def test_tasks_take_turns_on_the_sockets():
    assert world_of().start(num_tasks=4, cpus_per_task=2).cpu_ids == ["0-3,8-11"]
    assert world_of().start(cpus_per_task=4).cpu_ids == ["0-3"]
    assert world_of("CR_Core,CR_CORE_DEFAULT_DIST_BLOCK").start(num_tasks=4, cpus_per_task=2).cpu_ids == ["0-7"]


def test_freed_numbers_are_given_again():
    world = World(nodes=1)
    first, second = world.start(num_tasks=1), world.start(num_tasks=2)
    world.end(first)
    third = world.start(num_tasks=2)

    assert (second.cpu_ids, third.cpu_ids) == (["1-2"], ["0,3"])


def test_numbers_outlive_a_restart():
    world = World(nodes=1)
    first, second = world.start(num_tasks=1), world.start(num_tasks=1)
    world.end(first)
    second.state = "RUNNING"
    world.plugin.reconfigure()

    assert world.start(num_tasks=2).cpu_ids == ["0,2"]
    assert second.cpu_ids == ["1"]


def test_cores_and_memory_set_aside_for_the_system():
    world = world_of(count=1, core_spec_count=2, mem_spec_limit=600)
    job = world.start(exclusive="NODE", mem_per_node=1000)

    assert (job.cpus, job.cpu_ids) == ([12], ["0-11"])
    assert world_of(count=1, mem_spec_limit=601).cluster.nodes[0].real_memory == 1600


def test_core_spec_of_a_job_takes_the_node_alone():
    world = world_of()
    first, second = world.start(core_spec=1), world.start(num_tasks=1)

    assert (first.nodes, first.cpus, second.nodes) == ("node1", [14], "node2")


@pytest.mark.parametrize(
    ("request_", "nodes", "cpus"),
    [
        ({"num_tasks": 4, "min_nodes": 2, "max_nodes": 2}, "node[1-2]", [3, 1]),
        ({"min_nodes": 2, "max_nodes": 4}, "node[1-4]", [1, 1, 1, 1]),
        ({"min_nodes": 2, "max_nodes": 2, "ntasks_per_node": 2}, "node[1-2]", [2, 2]),
        ({"num_tasks": 6, "ntasks_per_node": 2}, "node[1-3]", [2, 2, 2]),
        ({"num_tasks": 3, "cpus_per_task": 2}, "node[1-2]", [4, 2]),
        ({"num_tasks": 3, "cpus_per_task": 3}, "node[1-3]", [3, 3, 3]),
        ({"min_cpus_per_node": 2}, "node1", [2]),
        ({"num_tasks": 8, "overcommit": True}, "node1", [1]),
        ({"num_tasks": 2, "min_nodes": 1, "max_nodes": 3}, "node[1-2]", [1, 1]),
        ({"tres_per_task": "cpu:2", "num_tasks": 2}, "node1", [4]),
        ({"nodelist": "node3", "min_nodes": 2}, "node[3-4]", [1, 1]),
        ({"nodelist": "node4", "num_tasks": 6}, "node[3-4]", [2, 4]),
    ],
    ids=str,
)
def test_how_cpus_are_shared_out(request_, nodes, cpus):
    job = World().start(**request_)

    assert (job.nodes, job.cpus) == (nodes, cpus)


# generic resources

GPUS = [
    NodeConf(node_name="node[1-2]", cpus=8, real_memory=1000, gres="gpu:a:2,gpu:b:2"),
    NodeConf(node_name="node3", cpus=8, real_memory=1000),
]


@pytest.mark.parametrize(
    ("request_", "nodes", "gres"),
    [
        ({"gres": "gpu"}, "node1", ["gpu:a:1(IDX:0)"]),
        ({"gres": "gpu:b:1"}, "node1", ["gpu:b:1(IDX:2)"]),
        ({"gres": "gpu:3"}, "node1", ["gpu:a:2(IDX:0-1),gpu:b:1(IDX:2)"]),
        ({"gpus_per_node": "b:2"}, "node1", ["gpu:b:2(IDX:2-3)"]),
        ({"gpus": "4"}, "node1", ["gpu:a:2(IDX:0-1),gpu:b:2(IDX:2-3)"]),
        ({"gpus": "a:3"}, "node[1-2]", ["gpu:a:2(IDX:0-1)", "gpu:a:1(IDX:0)"]),
        ({"gpus_per_task": "2", "num_tasks": 2}, "node1", ["gpu:a:2(IDX:0-1),gpu:b:2(IDX:2-3)"]),
        ({"gpus_per_task": "a:1", "num_tasks": 3}, "node[1-2]", ["gpu:a:2(IDX:0-1)", "gpu:a:1(IDX:0)"]),
        ({"tres_per_task": "gres/gpu:b:1", "num_tasks": 2}, "node1", ["gpu:b:2(IDX:2-3)"]),
        ({"gpus_per_socket": "1", "sockets_per_node": 2}, "node1", ["gpu:a:2(IDX:0-1)"]),
        ({"num_tasks": 1}, "node1", [""]),
    ],
    ids=str,
)
def test_gpus(request_, nodes, gres):
    job = World(nodes=GPUS).start(**request_)

    assert (job.nodes, job.gres) == (nodes, gres)


def test_cpus_and_memory_by_gpu():
    job = World(nodes=GPUS).start(gres="gpu:2", cpus_per_gpu=3, mem_per_gpu=200)

    assert (job.cpus, job.memory) == ([6], [400])


@pytest.mark.parametrize(
    ("request_", "nodes", "cpus", "memory"),
    [
        ({"gpus": "2", "cpus_per_gpu": 8}, "node[1-2]", [8, 8], [800, 800]),
        ({"gpus": "5", "cpus_per_gpu": 2, "min_nodes": 2}, "node[1-2]", [8, 2], [800, 200]),
        ({"gpus": "4", "cpus_per_gpu": 1, "num_tasks": 12}, "node[1-2]", [8, 4], [800, 400]),
        ({"gpus": "2", "mem_per_gpu": 501}, "node[1-2]", [1, 1], [501, 501]),
        ({"gpus": "3", "mem_per_gpu": 13, "min_nodes": 2}, "node[1-2]", [1, 1], [26, 13]),
        ({"gpus": "17", "cpus_per_gpu": 1}, "", [], []),
        ({"gpus_per_node": "2", "mem_per_gpu": 501}, "", [], []),
        ({"gpus_per_task": "1", "num_tasks": 3, "mem_per_gpu": 501}, "", [], []),
    ],
    ids=str,
)
def test_cpus_and_memory_by_gpu_on_several_nodes(request_, nodes, cpus, memory):
    job = World(nodes=GPUS).start(**request_)

    assert (job.nodes, job.cpus, job.memory) == (nodes, cpus, memory)


def test_gpus_run_out():
    world = World(nodes=GPUS)
    jobs = [world.start(gres="gpu:3") for _ in range(3)]

    assert [job.nodes for job in jobs] == ["node1", "node2", ""]
    world.end(jobs[0])
    assert world.start(jobs[2]).gres == ["gpu:a:2(IDX:0-1),gpu:b:1(IDX:2)"]

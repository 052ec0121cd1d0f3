"""Who shares nodes with whom: partitions' OverSubscribe, --exclusive in its forms, suspended jobs."""

from __future__ import annotations

import pytest
from select_world import World

from slimsched.errors import PluginError
from slimsched.model.config import NodeConf
from slimsched.select.api import Mode


def names(*jobs):
    return [job.nodes for job in jobs]


def test_exclusive_jobs_take_whole_idle_nodes():
    world = World()
    first = world.start(num_tasks=1)
    whole = world.start(num_tasks=1, exclusive="NODE")
    second = world.start(num_tasks=1, nodelist="node2")

    assert names(first, whole, second) == ["node1", "node2", ""]
    assert (whole.cpus, whole.memory, whole.cpu_ids) == ([4], [400], ["0-3"])


def test_an_exclusive_partition():
    world = World(partitions={"alone": {"over_subscribe": "EXCLUSIVE"}})

    assert names(world.start(partition="alone"), world.start(partition="alone")) == ["node1", "node2"]


@pytest.mark.parametrize("select", ["cons_tres", "linear"])
def test_forced_sharing_oversubscribes_cpus(select):
    world = World(select, nodes=1, partitions={"force": {"over_subscribe": "FORCE:2"}})
    jobs = [world.start(partition="force", cpus_per_task=4) for _ in range(3)]

    assert names(*jobs) == ["node1", "node1", ""]
    world.end(jobs[0])
    assert world.start(jobs[2]).nodes == "node1"


def test_forced_sharing_uses_idle_cpus_first():
    world = World(nodes=2, partitions={"force": {"over_subscribe": "FORCE:2"}})
    jobs = [world.start(partition="force", cpus_per_task=4) for _ in range(5)]

    assert names(*jobs) == ["node1", "node2", "node1", "node2", ""]


def test_sharing_must_be_asked_for_where_the_partition_says_yes():
    world = World(nodes=1, partitions={"yes": {"over_subscribe": "YES:2"}})
    plain = world.start(partition="yes", cpus_per_task=4)
    assert world.start(partition="yes", oversubscribe=True).nodes == ""

    world.end(plain)
    shared = [world.start(partition="yes", oversubscribe=True, cpus_per_task=4) for _ in range(2)]
    assert names(*shared) == ["node1", "node1"]
    assert world.start(partition="yes", num_tasks=1).nodes == ""


def test_memory_is_never_shared():
    world = World(nodes=1, partitions={"force": {"over_subscribe": "FORCE:4"}})
    jobs = [world.start(partition="force", cpus_per_task=4, mem_per_node=400) for _ in range(3)]

    assert names(*jobs) == ["node1", "node1", ""]


def test_forced_with_a_count_of_one_does_not_share():
    world = World(nodes=1, partitions={"force": {"over_subscribe": "FORCE:1"}})
    jobs = [world.start(partition="force", cpus_per_task=3) for _ in range(2)]

    assert names(*jobs) == ["node1", ""]


def test_nodes_of_one_user():
    world = World(nodes=2)
    mine = world.start(user=1, exclusive="USER")
    theirs = world.start(user=2)
    more = world.start(user=1)
    other = world.start(user=2, exclusive="USER")

    assert names(mine, theirs, more, other) == ["node1", "node2", "node1", "node2"]
    assert world.start(user=3).nodes == ""
    world.end(other)
    assert world.start(user=3).nodes == "node2"
    assert world.start(user=2, exclusive="USER").nodes == ""


def test_a_partition_of_nodes_of_one_user():
    world = World(nodes=2, partitions={"own": {"exclusive_user": True}})
    jobs = [world.start(user=user, partition="own") for user in (1, 2, 1, 3)]

    assert names(*jobs) == ["node1", "node2", "node1", ""]


def test_suspended_jobs_leave_their_cpus_to_others():
    world = World(nodes=1)
    first = world.start(cpus_per_task=4, mem_per_node=300)
    world.plugin.job_suspend(first, True)
    second = world.start(cpus_per_task=4, mem_per_node=300)
    third = world.job(mem_per_node=500)

    assert second.nodes == "node1"
    assert world.where(third) == ""
    with pytest.raises(PluginError, match="node1 does not have what job 1"):
        world.plugin.job_resume(first, True)
    world.end(second)
    world.plugin.job_resume(first, True)
    assert world.where(world.job(num_tasks=1)) == ""
    assert first.cpu_ids == ["0-3"]


def test_gang_scheduling_keeps_the_cpus():
    world = World(nodes=1)
    job = world.start(cpus_per_task=4)
    before = world.free()
    world.plugin.job_suspend(job, False)

    assert world.free() == before
    world.plugin.job_resume(job, False)
    assert world.free() == before


def test_whole_nodes_of_suspended_jobs_may_be_used():
    world = World(nodes=1)
    first = world.start(exclusive="NODE")
    world.plugin.job_suspend(first)

    assert world.start(exclusive="NODE").nodes == "node1"


def test_linear_books_memory_only_if_told_to():
    world = World("linear", "CR_CPU", nodes=1, partitions={"force": {"over_subscribe": "FORCE:2"}})
    jobs = [world.start(partition="force", mem_per_node=900) for _ in range(2)]

    assert names(*jobs) == ["node1", "node1"]
    assert jobs[0].memory == [0]  # as in the recorded AllocTRES of CR_Core


def test_a_job_that_asks_for_no_memory_gets_all_where_memory_is_booked():
    world = World()
    job = world.start(mem_per_cpu=None)

    assert job.memory == [1000]
    assert world.where(world.job(num_tasks=1)) == "node2"


def test_all_memory_needs_a_node_where_none_is_taken():
    world = World(nodes=2)
    world.start(num_tasks=1, mem_per_node=1)

    assert world.start(mem_per_node=0).nodes == "node2"
    assert world.where(world.job(mem_per_node=0), Mode.RUN_NOW) == ""


def test_a_limit_for_each_cpu_raises_the_number_of_cpus():
    world = World(MaxMemPerCPU="100")
    job = world.start(num_tasks=1, mem_per_cpu=250)

    assert (job.cpus, job.memory) == ([3], [252])


def test_load_goes_to_the_least_loaded_node():
    world = World(partitions={"lln": {"lln": True}})
    jobs = [world.start(partition="lln", num_tasks=1) for _ in range(5)]

    assert names(*jobs) == ["node1", "node2", "node3", "node4", "node1"]


def test_spread_jobs_use_as_many_nodes_as_they_can():
    world = World()
    job = world.start(num_tasks=6, spread_job=True)

    assert (job.nodes, job.cpus) == ("node[1-4]", [2, 2, 1, 1])
    assert world.start(num_tasks=2, max_nodes=2, spread_job=True).nodes == "node[1-2]"


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ({"max_cpus_per_node": 3}, 3),
        ({"max_cpus_per_socket": 1}, 2),
        ({"max_cpus_per_node": 1, "max_cpus_per_socket": 1}, 1),
        ({"max_cpus_per_node": 0}, 0),
    ],
    ids=str,
)
def test_what_all_jobs_of_a_partition_get_of_a_node(limits, most):
    node = NodeConf(node_name="node1", cpus=4, sockets=2, cores_per_socket=2, real_memory=1000)
    world = World(nodes=[node], partitions={"part": limits})
    jobs = [world.start(partition="part") for _ in range(4)]

    assert names(*jobs) == ["node1"] * most + [""] * (4 - most)
    assert names(*(world.start() for _ in range(5 - most))) == ["node1"] * (4 - most) + [""]


def test_a_partition_gets_its_share_of_a_node_back():
    world = World(nodes=2, partitions={"part": {"max_cpus_per_node": 3, "lln": True}})
    jobs = [world.start(partition="part", cpus_per_task=2) for _ in range(3)]

    assert names(*jobs) == ["node1", "node2", ""]
    world.plugin.job_suspend(jobs[0], True)
    assert world.where(jobs[2]) == "node1"
    world.plugin.job_resume(jobs[0], True)
    assert world.where(jobs[2]) == ""
    world.end(jobs[1])
    assert world.where(jobs[2]) == "node2"

"""Jobs that shrink, take over what others hold, come back with less memory; steps and reservations."""

from __future__ import annotations

import pytest
from select_world import World

from slimsched.errors import Never, PluginError
from slimsched.model.config import NodeConf
from slimsched.model.reservation import Reservation

GPUS = [NodeConf(node_name="node[1-4]", cpus=4, real_memory=1000, gres="gpu:2")]


@pytest.mark.parametrize("select", ["cons_tres", "linear", "cray_aries"])
def test_a_job_gives_a_node_back(select):
    world = World(select)
    job = world.start(min_nodes=3)
    world.plugin.job_resized(job, world.cluster.nodes[1])

    assert job.nodes == "node[1,3]"
    assert len(job.cpus) == len(job.memory) == len(job.cpu_ids) == 2
    assert world.start(nodelist="node2", exclusive="NODE").nodes == "node2"


def test_what_is_left_stays_where_it_was():
    world = World(nodes=GPUS)
    world.start(num_tasks=1, gres="gpu:1", nodelist="node3")
    job = world.start(min_nodes=3, gres="gpu:1", nodelist="node[1-3]")
    assert (job.nodes, job.gres[2], job.cpu_ids[2]) == ("node[1-3]", "gpu:1(IDX:1)", "1")

    world.plugin.job_resized(job, world.cluster.nodes[0])

    assert (job.nodes, job.gres, job.cpu_ids) == ("node[2-3]", ["gpu:1(IDX:0)", "gpu:1(IDX:1)"], ["0", "1"])
    world.end(job)
    assert world.start(nodelist="node3", gres="gpu:1").gres == ["gpu:1(IDX:1)"]


def test_a_job_keeps_its_last_node():
    world = World()
    job = world.start(num_tasks=1)
    before = world.free()

    with pytest.raises(PluginError, match="exactly these nodes"):
        world.plugin.job_resized(job, world.cluster.nodes[0])
    with pytest.raises(PluginError, match="does not hold"):
        world.plugin.job_resized(job, world.cluster.nodes[3])
    assert world.free() == before


def test_a_job_takes_over_what_another_holds():
    world = World(nodes=GPUS)
    first = world.start(num_tasks=2, gres="gpu:1")
    second = world.start(num_tasks=5, gres="gpu:1", nodelist="node[1-2]")
    before = [(use.rows, use.memory, use.gres) for use in world.free()]
    assert (second.nodes, second.cpus) == ("node[1-2]", [2, 3])
    assert world.plugin.job_expand_allow()

    world.plugin.job_expand(first, second)

    assert (first.nodes, first.cpus, first.memory, first.gres, first.cpu_ids) == ("", [], [], [], [])
    assert (second.nodes, second.cpus, second.memory) == ("node[1-2]", [4, 3], [400, 300])
    assert second.gres == ["gpu:2(IDX:0-1)", "gpu:1(IDX:0)"]
    assert second.cpu_ids == ["0-3", "0-2"]
    assert [(use.rows, use.memory, use.gres) for use in world.free()] == before
    world.end(first)
    world.end(second)
    assert not any(use.users or use.memory for use in world.free())


def test_jobs_that_cannot_be_merged():
    world = World()
    first, whole, pending = world.start(num_tasks=1), world.start(exclusive="NODE"), world.job()

    with pytest.raises(PluginError, match="in the same way"):
        world.plugin.job_expand(first, whole)
    with pytest.raises(PluginError, match="only a running job"):
        world.plugin.job_expand(pending, first)


def test_a_job_begins_once_and_only_on_what_is_free():
    world = World()
    job = world.start(exclusive="NODE")
    with pytest.raises(PluginError, match="begun already"):
        world.plugin.job_begin(job)

    late = world.job(num_tasks=1)
    late.nodes, late.cpus, late.memory = "node1", [1], [100]
    before = world.free()
    with pytest.raises(PluginError, match="node1 does not have what job 2"):
        world.plugin.job_begin(late)
    assert world.free() == before
    world.plugin.job_fini(late)
    assert world.free() == before


def test_a_node_that_comes_back_with_less_memory():
    world = World()
    job = world.start(mem_per_node=800)
    other = world.start(mem_per_node=300)
    world.plugin.job_mem_confirm(job)

    world.cluster.nodes[0].real_memory = 500
    world.plugin.update_node_config(0)

    with pytest.raises(PluginError, match="more memory than its nodes have"):
        world.plugin.job_mem_confirm(job)
    world.plugin.job_mem_confirm(other)
    world.end(job)
    assert world.where(world.job(mem_per_node=500, nodelist="node1")) == "node1"
    with pytest.raises(Never):
        world.where(world.job(mem_per_node=501, nodelist="node1"))


def test_a_changed_weight_counts():
    world = World()
    world.cluster.nodes[0].weight = 5
    world.plugin.update_node_config(0)

    assert world.where(world.job(num_tasks=1)) == "node2"


def test_nodes_that_are_gone_are_passed_over_at_the_start():
    world = World()
    job = world.start(min_nodes=2)
    job.nodes = "node1,gone"
    world.plugin.reconfigure()

    assert [bool(use.users) for use in world.free()] == [True, False, False, False]


def test_steps_get_nodes_without_steps_first():
    world = World()
    job = world.start(min_nodes=3)
    plugin = world.plugin
    picked = []
    for step, count in ((0, 1), (1, 1), (2, 2), (3, 4)):
        info = plugin.jobinfo_alloc()
        info.set("step_id", step)
        picked.append((plugin.step_pick_nodes(job, info, count), info.get("nodes")))
    assert picked == [(0b001, "node1"), (0b010, "node2"), (0b101, "node[1,3]"), (None, None)]

    plugin.step_finish(job, 1, True)
    plugin.step_finish(job, 1, False)
    info.set("step_id", 4)
    assert plugin.step_pick_nodes(job, info, 1) == 0b010
    assert plugin.step_pick_nodes(world.job(), info, 1) is None


@pytest.mark.parametrize("select", ["cons_tres", "linear"])
def test_reservations_get_consecutive_nodes(select):
    world = World(select, nodes=6)
    resv = Reservation(name="r")
    available = world.cluster.bitmap_of("node[1,3-5]")

    assert world.plugin.resv_test(resv, 2, available) == world.cluster.bitmap_of("node[3-4]")
    assert world.plugin.resv_test(resv, 1, available) == world.cluster.bitmap_of("node1")
    assert world.plugin.resv_test(resv, 5, available) is None


def test_reservations_of_cores():
    world = World()
    held = {0: 3}

    assert world.plugin.resv_test(Reservation(name="r", core_cnt=6), 0, 0b1111, held) == 0b0111
    assert held == {0: 1, 1: 4, 2: 1}

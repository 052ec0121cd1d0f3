"""Switches, blocks, and systems whose node names are coordinates."""

from __future__ import annotations

import pytest
from select_world import NOW, World

from slimsched.errors import PluginError
from slimsched.model.config import SwitchConf
from slimsched.select.api import Mode
from slimsched.select.dims import dimensions

TREE = [
    SwitchConf(switch_name="root", switches="s[1-2]"),
    SwitchConf(switch_name="s1", switches="l[1-2]"),
    SwitchConf(switch_name="s2", switches="l3"),
    SwitchConf(switch_name="l1", nodes="node[1-3]"),
    SwitchConf(switch_name="l2", nodes="node[4-5]"),
    SwitchConf(switch_name="l3", nodes="node[6-9]"),
]


def tree(**slurm):
    return World(nodes=9, switches=TREE, TopologyPlugin="topology/tree", **slurm)


@pytest.mark.parametrize(
    ("nodes", "chosen"),
    [(1, "node4"), (2, "node[4-5]"), (3, "node[1-3]"), (4, "node[6-9]"), (5, "node[1-5]"), (6, "node[4-9]")],
)
def test_the_smallest_switch_that_suffices(nodes, chosen):
    assert tree().start(min_nodes=nodes, exclusive="NODE").nodes == chosen


def test_required_nodes_decide_the_switch():
    assert tree().start(nodelist="node2", min_nodes=2).nodes == "node[1-2]"
    assert tree().start(nodelist="node[3-4]", min_nodes=3).nodes == "node[3-5]"


def test_busy_switches_are_too_small():
    world = tree()
    world.start(nodelist="node4", exclusive="NODE")

    assert world.start(min_nodes=2, exclusive="NODE").nodes == "node[1-2]"


def test_a_job_waits_for_few_switches():
    world = tree()
    job = world.job(min_nodes=5, switches=1)
    job.submit_time = NOW
    assert world.where(world.job(min_nodes=4, switches=1)) == "node[6-9]"
    assert world.where(world.job(min_nodes=5, switches=2)) == "node[1-5]"

    assert world.where(job) == ""
    assert world.where(job, Mode.TEST_ONLY) == "node[1-5]"
    world.cluster.now += 300
    assert world.where(job) == "node[1-5]"


@pytest.mark.parametrize(
    ("wait", "most", "after"), [(60, "300", 60), (600, "300", 300), (None, "120", 120), (0, "9", 0)]
)
def test_how_long_it_waits(wait, most, after):
    world = tree(SchedulerParameters=f"max_switch_wait={most}")
    job = world.job(min_nodes=5, switches=1, wait_for_switches=wait)
    job.submit_time = NOW
    world.cluster.now = NOW + after

    assert world.where(job) == "node[1-5]"


def test_a_tree_that_names_nothing_is_cut():
    world = World(
        nodes=4,
        switches=[SwitchConf(switch_name="a", switches="b"), SwitchConf(switch_name="c", nodes="node[1-2]")],
        TopologyPlugin="topology/tree",
    )

    assert world.where(world.job(min_nodes=2)) == "node[1-2]"


BLOCKS = [SwitchConf(switch_name=f"b{k}", nodes=f"node[{4 * k + 1}-{4 * k + 4}]") for k in range(4)]


@pytest.mark.parametrize(
    ("busy", "nodes", "chosen"),
    [
        ("", 4, "node[1-4]"),
        ("node2", 4, "node[5-8]"),
        ("node2", 3, "node[1,3-4]"),
        ("", 6, "node[1-6]"),
        ("node1", 8, "node[9-16]"),
        ("node[1,9]", 9, "node[2,5-8,13-16]"),
    ],
)
def test_blocks(busy, nodes, chosen):
    world = World(nodes=16, switches=BLOCKS, TopologyPlugin="topology/block", BlockSizes="4,8")
    if busy:
        world.start(nodelist=busy, exclusive="NODE")

    job = world.start(min_nodes=nodes, exclusive="NODE")
    assert world.cluster.bitmap_of(job.nodes).bit_count() == nodes
    assert job.nodes == chosen


@pytest.mark.parametrize(
    ("names", "dims"),
    [
        (["node000", "node333", "node012"], [4, 4, 4]),
        (["tux00", "tuxA1"], [11, 2]),
        (["node1", "node2"], []),
        (["login", "node12"], []),
        ([], []),
    ],
)
def test_dimensions(names, dims):
    assert dimensions(names, strict=False) == dims


def test_misfits_are_told():
    with pytest.raises(PluginError, match="n1x does not end in 2 coordinates"):
        dimensions(["n11", "n1x"], strict=True)
    assert dimensions(["n11", "n1x"], strict=False) == []


@pytest.mark.parametrize("select", ["linear", "cray_aries", "cons_tres"])
def test_dimensions_through_the_plugin(select):
    world = World(select, nodes=9)
    plugin = world.plugin
    assert plugin.ba_get_dims() == []
    for node, name in zip(world.cluster.nodes, ("x000", "x213"), strict=False):
        node.name = name
    plugin.ba_init(world.cluster.nodes[:2], True)

    assert plugin.ba_get_dims() == [3, 2, 4]


@pytest.mark.parametrize(("params", "cpus"), [("other_cons_tres,CR_CPU", [1]), ("CR_Memory", [4])])
def test_cray_delegates(params, cpus):
    world = World("cray_aries", params)
    assert world.start(num_tasks=1).cpus == cpus

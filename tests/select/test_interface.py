"""The guide's functions under their own names, with the guide's defaults."""

from __future__ import annotations

import re

import pytest
from select_world import World

from slimsched.errors import Never, PluginError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf
from slimsched.model.reservation import Reservation
from slimsched.select import registry
from slimsched.select.api import JobTest, Mode, SelectInfo, SelectPlugin
from slimsched.select.linear import Linear

GUIDE = """
init fini state_save state_restore node_init job_init reconfigure
nodeinfo_alloc nodeinfo_pack nodeinfo_unpack nodeinfo_free nodeinfo_set nodeinfo_set_all nodeinfo_get
update_node_config node_ranking update_node_state
jobinfo_alloc jobinfo_copy jobinfo_free jobinfo_pack jobinfo_unpack jobinfo_get jobinfo_set jobinfo_sprint
jobinfo_xstrdup job_test job_begin job_ready job_fini job_signal job_mem_confirm job_suspend job_resume
job_expand_allow job_expand job_resized step_pick_nodes step_finish resv_test get_info_from_plugin ba_init ba_get_dims
"""
NAMES = GUIDE.split()


@pytest.fixture
def plain():
    return SelectPlugin(Cluster(Config(nodes=[NodeConf(node_name="n[1-2]", cpus=2)])))


@pytest.mark.parametrize("name", NAMES)
def test_every_function_of_the_guide_is_there_and_documented(name):
    assert getattr(SelectPlugin, name).__doc__
    for built_in in registry.BUILT_IN:
        assert getattr(registry.find(built_in), name).__doc__


def test_the_interface_has_nothing_else():
    public = [name for name, value in vars(SelectPlugin).items() if callable(value) and not name.startswith("_")]

    assert sorted(public) == sorted(NAMES)


def test_defaults(plain):
    world = World()
    job = world.job()
    info = plain.jobinfo_alloc()

    assert plain.job_ready(job)
    assert not plain.job_expand_allow()
    assert not plain.node_ranking(world.cluster.nodes)
    assert plain.step_pick_nodes(job, info, 1) is None
    assert plain.resv_test(Reservation(name="r"), 1, 0b110) == 0b010
    assert plain.resv_test(Reservation(name="r"), 2, 0b100) is None
    assert plain.resv_test(Reservation(name="r", core_cnt=1), 1, 0b110) is None
    assert plain.get_info_from_plugin("CR_PLUGIN") is None
    assert plain.ba_get_dims() == []
    quiet = [
        plain.init(), plain.node_init([]), plain.job_init([]), plain.reconfigure(), plain.update_node_config(0),
        plain.update_node_state(world.cluster.nodes[0]), plain.nodeinfo_set(job), plain.nodeinfo_set_all(),
        plain.job_begin(job), plain.job_fini(job), plain.job_signal(job, 9), plain.job_mem_confirm(job),
        plain.job_suspend(job, True), plain.job_resume(job, True), plain.step_finish(job, 0, True), plain.ba_init([]),
        plain.fini(),
    ]  # fmt: skip
    assert quiet == [None] * len(quiet)


def test_what_a_plugin_does_not_do_is_an_error(plain):
    world = World()
    job = world.job()

    with pytest.raises(Never):
        plain.job_test(JobTest(job, 1, 1, 1, 1), Mode.RUN_NOW)
    with pytest.raises(PluginError, match="does not expand"):
        plain.job_expand(job, job)
    with pytest.raises(PluginError, match="does not resize"):
        plain.job_resized(job, world.cluster.nodes[0])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [({"magic": 1}, "magic"), ({"version": 2}, "version"), ({"version": "x"}, "version")],
)
def test_saved_state_is_verified(plain, change, complaint):
    saved = plain.state_save()
    plain.state_restore(saved)
    plain.state_restore({})

    with pytest.raises(PluginError, match=complaint):
        plain.state_restore(saved | change)


def test_information_records(plain):
    info = plain.jobinfo_alloc()
    plain.jobinfo_set(info, "nodes", "n[1-2]")
    plain.jobinfo_set(info, "cpus", [1, 2])
    copy = plain.jobinfo_copy(info)
    packed = plain.jobinfo_pack(info)

    plain.jobinfo_set(info, "cpus", [3])

    assert plain.jobinfo_get(copy, "cpus") == [1, 2]
    assert plain.jobinfo_get(plain.jobinfo_unpack(packed), "cpus") == [1, 2]
    assert plain.jobinfo_get(copy, "nothing") is None
    assert plain.jobinfo_xstrdup(copy) == "nodes=n[1-2] cpus=[1, 2]"
    assert plain.jobinfo_xstrdup(copy, "HEAD") == "nodes cpus"
    assert plain.jobinfo_xstrdup(copy, "DATA") == "n[1-2] [1, 2]"
    assert plain.jobinfo_sprint(copy, 7) == "nodes=n"
    plain.jobinfo_free(copy)
    assert plain.jobinfo_get(copy, "cpus") is None


def test_information_records_are_checked(plain):
    info = plain.nodeinfo_alloc()
    with pytest.raises(PluginError, match="x"):
        plain.jobinfo_set(info, "x", object())
    with pytest.raises(PluginError, match="version 9"):
        plain.nodeinfo_pack(info, 9)
    with pytest.raises(PluginError, match="version 1"):
        plain.nodeinfo_unpack({"protocol_version": 7, "values": {}})
    with pytest.raises(PluginError, match="version 1"):
        plain.nodeinfo_unpack({"protocol_version": 1, "values": []})
    plain.nodeinfo_free(info)


def test_node_information():
    world = World(nodes=[NodeConf(node_name="node[1-3]", cpus=4, real_memory=1000, gres="gpu:2")])
    world.start(num_tasks=1, gres="gpu:1", mem_per_node=300)
    world.start(exclusive="NODE")
    infos = [world.plugin.nodeinfo_alloc() for _ in range(3)]
    world.cluster.select_nodeinfo = dict(enumerate(infos))
    world.plugin.nodeinfo_set_all()

    assert [world.plugin.nodeinfo_get(i, "state") for i in infos] == ["MIXED", "ALLOCATED", "IDLE"]
    assert [world.plugin.nodeinfo_get(i, "cpus_alloc") for i in infos] == [1, 4, 0]
    assert [world.plugin.nodeinfo_get(i, "mem_alloc", "ALLOCATED") for i in infos] == [None, 400, None]
    assert world.plugin.nodeinfo_get(infos[0], "gres_used") == "gpu:1(IDX:0)"
    assert isinstance(infos[0], SelectInfo)


def test_job_information():
    world = World()
    job = world.start(num_tasks=2)
    info = world.cluster.select_jobinfo[job.job_id] = world.plugin.jobinfo_alloc()
    world.plugin.nodeinfo_set(job)

    assert info.values == {"nodes": "node1", "cpus": [2], "memory": [200], "gres": [""], "cpu_ids": ["0-1"]}
    assert world.plugin.get_info_from_plugin("CPU_IDS", job) == ["0-1"]
    assert world.plugin.get_info_from_plugin("CR_PLUGIN") == 2
    assert World("linear").plugin.get_info_from_plugin("CR_PLUGIN") == 0
    assert world.plugin.get_info_from_plugin("OTHER") is None


# the registry


@pytest.mark.parametrize("name", ["linear", "select/linear"])
def test_a_plugin_is_found_by_its_name(name):
    assert registry.find(name) is Linear


def test_an_unknown_plugin():
    with pytest.raises(PluginError, match="plugin name for select/nosuch"):
        registry.find("select/nosuch")


class Old(SelectPlugin):
    api_version = (0, 9)


class Entry:
    name = "mine"

    def __init__(self, target):
        self.target = target

    def load(self):
        if isinstance(self.target, Exception):
            raise self.target
        return self.target


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        (Old, "made for select API 0.9, this is 1.0"),
        (int, "is not a SelectPlugin"),
        (7, "is not a SelectPlugin"),
        (ValueError("torn"), "ValueError: torn"),
    ],
)
def test_a_plugin_from_elsewhere_is_checked(monkeypatch, target, complaint):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [Entry(target)])

    with pytest.raises(PluginError, match=re.escape(complaint)):
        registry.find("select/mine")


def test_a_plugin_from_elsewhere(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [Entry(Linear)])

    assert registry.find("select/mine") is Linear

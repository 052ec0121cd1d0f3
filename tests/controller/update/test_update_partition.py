"""Partitions that are created, changed and deleted."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.update import partition
from slimsched.errors import UserError


def do(verb, ctl, name, /, **fields):
    words = [f"{key}={value}" for key, value in fields.items()]
    try:
        verb(ctl, partition.parse([f"PartitionName={name}", *words]))
    except UserError as error:
        return error.message
    return ""


def test_limits_and_state():
    ctl = world.controller()

    assert do(partition.update, ctl, "debug", MaxTime="10", MaxNodes="1", State="drain", Hidden="yes") == ""
    part = ctl.cluster.partitions["debug"]
    assert (part.max_time, part.max_nodes, part.state, part.hidden) == (10, 1, "DRAIN", True)
    assert do(partition.update, ctl, "debug", MaxTime="UNLIMITED", MaxNodes="UNLIMITED", State="up") == ""
    part = ctl.cluster.partitions["debug"]
    assert (part.max_time, part.max_nodes, part.state) == (None, None, "UP")
    assert ctl.cluster.dirty_partitions == {"debug"}


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("nosuch", {"State": "up"}, "Invalid partition name specified"),
        ("debug", {"Nodes": "nosuch"}, "Invalid node name specified"),
        ("debug", {"MaxTime": "x"}, "Invalid input MaxTime=x"),
        ("debug", {"Hidden": "maybe"}, "Invalid input: Hidden=maybe\nAcceptable Hidden values are YES and NO"),
        ("debug", {"MaxNodes": "-2"}, 'Invalid numeric value "-2" for MaxNodes.'),
    ],
)
def test_refusals_change_nothing(name, fields, said):
    ctl = world.controller()

    assert do(partition.update, ctl, name, MinNodes="2", **fields) == said
    assert ctl.cluster.partitions["debug"].min_nodes == 0


def test_a_qos_must_be_defined_where_accounting_is_kept():
    ctl = world.controller()
    assert do(partition.update, ctl, "debug", QoS="nosuch") == ""

    ctl.cluster.config.slurm["AccountingStorageType"] = "accounting_storage/slurmdbd"
    assert do(partition.update, ctl, "debug", QoS="other") == "Invalid qos specification"
    assert ctl.cluster.partitions["debug"].qos == "nosuch"
    assert do(partition.update, ctl, "debug", QoS="normal") == do(partition.update, ctl, "debug", QoS="") == ""


def test_there_is_one_default():
    ctl = world.controller()
    do(partition.update, ctl, "batch", Default="YES")

    assert ctl.cluster.default_partition == "batch"
    assert [p.default for p in ctl.cluster.partitions.values()] == [False, True]
    do(partition.update, ctl, "batch", Default="no")
    assert ctl.cluster.default_partition == ""


def test_nodes_can_be_added_and_taken_away():
    ctl = world.controller()
    partition.update(ctl, partition.parse(["partition=batch", "nodes+=node[1-2]"]))
    assert ctl.cluster.partitions["batch"].nodes == "node[1-2,5-8]"
    partition.update(ctl, partition.parse(["partition=batch", "nodes-=node5"]))
    assert ctl.cluster.partitions["batch"].nodes == "node[1-2,6-8]"
    assert "batch" in ctl.cluster.nodes[0].partitions
    assert "batch" not in ctl.cluster.nodes[4].partitions


def test_create_use_and_delete():
    ctl = world.controller()

    assert do(partition.create, ctl, "newp", Nodes="node1") == ""
    assert do(partition.create, ctl, "newp") == "Invalid partition name specified"
    assert world.job(ctl, partition="newp").nodes == "node1"
    with pytest.raises(UserError, match="Partition is in use"):
        partition.delete(ctl, "newp")
    world.later(ctl, 300)
    partition.delete(ctl, "newp")
    with pytest.raises(UserError, match="Invalid partition name specified"):
        partition.delete(ctl, "newp")


def test_a_partition_that_opens_starts_its_jobs():
    ctl = world.controller()
    do(partition.update, ctl, "debug", State="down")
    job = world.job(ctl)
    assert job.reason == "PartitionDown"
    do(partition.update, ctl, "debug", State="up")
    ctl.settle()
    assert job.state == "RUNNING"


def test_the_select_plugin_hears_of_partitions(monkeypatch):
    ctl = world.controller()
    heard = []
    monkeypatch.setattr(ctl.select, "reconfigure", lambda: heard.append(True))
    partition.update(ctl, partition.parse(["partition=debug", "maxtime=60"]))
    assert heard

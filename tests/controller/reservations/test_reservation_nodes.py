"""Which nodes reservations get by a count, and what becomes of them when nodes fail or the count changes."""

from __future__ import annotations

import pytest
import world
from test_reservations import create, fields, renew

from slimsched.controller.life import node_failure
from slimsched.controller.update import reservation_change
from slimsched.errors import UserError

SOON = {"StartTime": "now", "Duration": "60", "Users": "root"}


def put(ctl, name, state, *flags):
    node_failure.put(ctl, ctl.cluster.nodes[ctl.cluster.node_index[name]], state, list(flags))
    ctl.cluster.pass_due = True
    ctl.settle()


def nodes(ctl, name="r"):
    return ctl.cluster.reservations[name].nodes


@pytest.mark.parametrize(
    ("flags", "after"),
    [
        ({}, "node[2-3]"),
        ({"Flags": "REPLACE_DOWN"}, "node[2-3]"),
        ({"Flags": "REPLACE"}, "node[2-3]"),
        ({"Flags": "STATIC_ALLOC"}, "node[1-2]"),
        ({"Flags": "MAINT"}, "node[1-2]"),
    ],
)
def test_a_node_that_goes_down_is_replaced(flags, after):
    ctl = world.controller()
    create(ctl, "r", **SOON, NodeCnt="2", **flags)
    assert nodes(ctl) == "node[1-2]"

    put(ctl, "node1", "DOWN")

    assert nodes(ctl) == after
    assert ctl.cluster.reservations["r"].core_cnt == 8


def test_named_nodes_are_not_replaced():
    ctl = world.controller()
    create(ctl, "r", **SOON, Nodes="node1")

    put(ctl, "node1", "IDLE", "DRAIN")

    assert nodes(ctl) == "node1"


def test_half_of_what_fails_is_replaced_if_no_more_is_to_be_had():
    ctl = world.controller()
    create(ctl, "other", **SOON, Nodes="node[6-8]")
    create(ctl, "r", **SOON, NodeCnt="4")
    for name in ("node1", "node2"):
        put(ctl, name, "DOWN")

    assert nodes(ctl) == "node[2-5]"


def test_a_job_takes_its_node_out_of_a_reservation_that_replaces():
    ctl = world.controller()
    create(ctl, "r", **SOON, NodeCnt="1", Flags="REPLACE")
    world.job(ctl, reservation="r", runtime=60)
    ctl.cluster.pass_due = True
    ctl.settle()

    assert nodes(ctl) == "node2"


@pytest.mark.parametrize(
    ("flags", "chosen"),
    [
        ({}, "Requested nodes are busy"),
        ({"Flags": "OVERLAP"}, "node[3-8]"),
        ({"Flags": "MAINT"}, "node[3-8]"),
    ],
)
def test_free_nodes_in_service_come_first(flags, chosen):
    ctl = world.controller()
    create(ctl, "other", **SOON, Nodes="node[3-8]")
    put(ctl, "node1", "DOWN")
    put(ctl, "node2", "IDLE", "DRAIN")

    said = create(ctl, "r", **SOON, NodeCnt="6", **flags)

    assert (nodes(ctl) if said == "r" else said) == chosen


def test_maintenance_takes_drained_nodes_before_those_that_are_down():
    ctl = world.controller()
    put(ctl, "node1", "DOWN")
    put(ctl, "node2", "IDLE", "DRAIN")
    for count, chosen in (("6", "node[3-8]"), ("7", "node[2-8]"), ("8", "node[1-8]")):
        create(ctl, "r", **SOON, NodeCnt=count, Flags="MAINT")
        assert nodes(ctl) == chosen
        reservation_change.delete(ctl, "r")


@pytest.mark.parametrize(
    ("count", "after"),
    [("1", "node3"), ("2", "node[2-3]"), ("3", "node[1-3]"), ("5", "node[1-5]"), ("9", None)],
)
def test_another_size(count, after):
    ctl = world.controller()
    create(ctl, "r", **SOON, NodeCnt="3")
    change = fields({"NodeCnt": count})
    if after is None:
        with pytest.raises(UserError, match="Requested nodes are busy"):
            renew(ctl, "r", change)
    else:
        renew(ctl, "r", change)
        assert nodes(ctl) == after


def test_busy_nodes_are_given_up_last():
    ctl = world.controller()
    create(ctl, "r", **SOON, NodeCnt="3")
    world.job(ctl, reservation="r", nodelist="node2")

    renew(ctl, "r", fields({"NodeCnt": "1"}))

    assert nodes(ctl) == "node2"

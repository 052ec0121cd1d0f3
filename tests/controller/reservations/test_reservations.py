"""Reservations, along scenario reservations."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.update import reservation, reservation_change
from slimsched.errors import UserError


def fields(given):
    return [f"{name.lower()}={value}" for name, value in given.items()]


def new(ctl, name, words):
    named = [f"reservation={name}"] if name else []
    return reservation_change.create(ctl, reservation.parse([*named, *words], reservation.CREATED), world.ROOT)


def renew(ctl, name, words):
    reservation_change.update(ctl, reservation.parse([f"reservation={name}", *words], reservation.UPDATED))


def create(ctl, name="", /, **given):
    try:
        return new(ctl, name, fields(given))
    except UserError as error:
        return error.message


@pytest.fixture
def ctl():
    """Return the controller after the first reservations of the scenario."""
    ctl = world.controller()
    soon = {"StartTime": "now", "Users": "root"}
    assert create(ctl, **soon, Duration="60", Nodes="node1") == "root_1"
    assert create(ctl, "maint1", **soon, Duration="120", Flags="maint,ignore_jobs", Nodes="ALL") == "maint1"
    assert create(ctl, "r1", **soon, Duration="60", Nodes="node2") == "r1"
    later = {"StartTime": "now+1hour", "EndTime": "now+2hours"}
    assert create(ctl, "r2", **later, Users="nosuchuser", Nodes="node2") == "r2"
    return ctl


def test_what_was_made(ctl):
    resv = ctl.cluster.reservations["maint1"]

    assert (resv.nodes, resv.node_cnt, resv.core_cnt, resv.tres) == ("node[1-8]", 8, 32, "cpu=32")
    assert resv.flags == ["MAINT", "IGNORE_JOBS", "SPEC_NODES", "ALL_NODES"]
    assert (resv.start_time, resv.end_time) == (world.START, world.START + 7200)
    assert ctl.cluster.dirty_reservations == {"root_1", "maint1", "r1", "r2"}


USERS = {"Users": "root"}
SOON = {"StartTime": "now", "Duration": "30"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "A start time must be given.  No reservation created."),
        (
            {"StartTime": "now+1hour", **USERS, "NodeCnt": "2"},
            "An end time or duration must be given.  No reservation created.",
        ),
        (
            {**SOON, "Nodes": "node3"},
            "Either Users/Groups, AllowedPartitions, QOS and/or Accounts must be specified.  No reservation created.",
        ),
        ({**SOON, **USERS, "Nodes": "nosuch"}, "Invalid node name specified"),
        ({**SOON, **USERS, "StartTime": "bogus"}, "Invalid start time starttime=bogus.  No reservation created."),
        ({**SOON, **USERS, "Flags": "bogus"}, "Error parsing flags bogus.  No reservation created."),
        (
            {**SOON, "StartTime": "now+10minutes", **USERS, "Nodes": "node1"},
            "Requested reservation overlaps with another reservation",
        ),
        ({**SOON, **USERS, "NodeCnt": "99"}, "Requested nodes are busy"),
        ({**SOON, **USERS}, "CoreCnt, Nodes, NodeCnt, TRES or Watts must be specified.  No reservation created."),
        (
            {**SOON, **USERS, "EndTime": "now+1hour", "Nodes": "node3"},
            "StartTime + Duration does not equal EndTime.  No reservation created.",
        ),
        (
            {"StartTime": "now+2hours", "EndTime": "now+1hour", **USERS, "Nodes": "node3"},
            "Start time cannot be after end time.  No reservation created.",
        ),
        ({"StartTime": "now-2hours", "Duration": "300", **USERS, "Nodes": "node3"}, "Invalid time specified"),
        ({**SOON, **USERS, "Duration": "x"}, "Invalid duration duration=x.  No reservation created."),
        ({**SOON, **USERS, "MaxStartDelay": "x"}, "Invalid duration maxstartdelay=x.  No reservation created."),
        ({**SOON, **USERS, "PartitionName": "nosuch"}, "Invalid partition name specified"),
        ({**SOON, **USERS, "Features": "nosuch", "NodeCnt": "1"}, "Invalid feature specification"),
        ({**SOON, **USERS, "Licenses": "nosuch:1"}, "Invalid license specification"),
        ({**SOON, **USERS, "TRES": "mem=5"}, "Invalid Trackable RESource (TRES) specification"),
        (
            {**SOON, **USERS, "Nodes": "node3", "Flags": "part_nodes"},
            "PART_NODES flag requires specifying a Partition and ALL nodes.  No reservation created.",
        ),
        (
            {**SOON, **USERS, "Nodes": "node3", "Flags": "force_start"},
            "FORCE_START flag requires a reoccuring reservation. No reservation created.",
        ),
        (
            {**SOON, **USERS, "Groups": "wheel", "Nodes": "node3"},
            "Users and Groups are mutually exclusive.  You can have one or the other, but not both."
            "  No reservation created.",
        ),
    ],
)
def test_refusals(ctl, given, said):
    assert create(ctl, "new", **given) == said
    assert "new" not in ctl.cluster.reservations


@pytest.mark.parametrize(
    ("written", "flags"),
    [
        ("maintenance", ["MAINT"]),
        ("mai,ov,ign", ["MAINT", "OVERLAP", "IGNORE_JOBS"]),
        ("d,f", ["DAILY", "FLEX"]),
        ("weekd", ["WEEKDAY"]),
        ("weeke", ["WEEKEND"]),
        ("weekl,stat", ["WEEKLY", "STATIC_ALLOC"]),
        ("replace_d", ["REPLACE_DOWN"]),
        ("replace", ["REPLACE"]),
        ("purge_comp", ["PURGE_COMP"]),
        ("purge_comp=00:10:00,magnetic", ["PURGE_COMP", "MAGNETIC"]),
        ("no_hold_jobs_after", ["NO_HOLD_JOBS_AFTER_END"]),
        ("user_delete,time_float", ["TIME_FLOAT", "USER_DELETE"]),
    ],
)
def test_flags_may_be_cut(written, flags):
    ctl = world.controller()
    create(ctl, "r", **SOON, **USERS, NodeCnt="1", Flags=written)

    assert ctl.cluster.reservations["r"].flags == flags


def test_a_partition_alone_means_all_of_its_nodes():
    ctl = world.controller()
    create(ctl, "r", **SOON, **USERS, PartitionName="batch")
    resv = ctl.cluster.reservations["r"]

    assert (resv.nodes, resv.flags) == ("node[5-8]", ["SPEC_NODES", "PART_NODES"])


def test_trackable_resources_stand_for_counts():
    ctl = world.controller(Licenses="matlab:4")
    create(ctl, "r", **SOON, **USERS, TRES="node=2,license/matlab=3")
    resv = ctl.cluster.reservations["r"]

    assert (resv.node_cnt, resv.licenses) == (2, "matlab:3")


def test_whom_it_is_for_may_be_said_by_partition_or_qos():
    ctl = world.controller()
    ctl.cluster.accounting = {"qos normal": {}, "qos high": {}}
    create(ctl, "r", **SOON, AllowedPartitions="debug,batch", QOS="normal,high", Nodes="node3")

    resv = ctl.cluster.reservations["r"]
    assert (resv.allowed_partitions, resv.qos) == ("batch,debug", "high,normal")


def test_without_accounting_no_qos_is_known(ctl):
    assert create(ctl, "r", **SOON, QOS="normal", Nodes="node3") == "Invalid qos specification"


@pytest.mark.parametrize(
    ("signs", "value", "listed"),
    [
        ("", "debug", "debug"),
        ("", "-debug", "-debug"),
        ("", "-debug,-batch", "-batch,-debug"),
        ("-", "debug", "-debug"),
        ("", "debug,-batch", None),
        ("", "nosuch", None),
        ("+", "debug", None),
    ],
)
def test_partitions_of_a_new_reservation(signs, value, listed):
    ctl = world.controller()
    item = f"allowedpartitions{signs}={value}"
    given = [*fields({**SOON, "Nodes": "node3"}), item]
    if listed is None:
        with pytest.raises(UserError, match="Invalid partition name specified"):
            new(ctl, "r", given)
    else:
        new(ctl, "r", given)
        assert ctl.cluster.reservations["r"].allowed_partitions == listed


@pytest.mark.parametrize(
    ("first", "signs", "value", "listed"),
    [
        ("debug", "+", "batch", "batch,debug"),
        ("debug,batch", "-", "debug", "batch"),
        ("debug", "", "batch", "batch"),
        ("debug", "", "-debug", None),  # no list of those kept out: nobody would be left
        ("debug", "-", "debug", None),
        ("-debug", "-", "batch", "-batch,-debug"),
        ("-debug,-batch", "+", "batch", "-debug"),
        ("-debug", "", "batch", "batch"),
    ],
)
def test_partitions_of_a_changed_reservation(first, signs, value, listed):
    ctl = world.controller()
    create(ctl, "r", **SOON, AllowedPartitions=first, Nodes="node3")
    change = [f"allowedpartitions{signs}={value}"]
    if listed is None:
        with pytest.raises(UserError, match="Invalid partition name specified"):
            renew(ctl, "r", change)
    else:
        renew(ctl, "r", change)
    assert ctl.cluster.reservations["r"].allowed_partitions == (listed or first)


def test_what_an_update_refuses_and_moves():
    ctl = world.controller()
    create(ctl, "now", **SOON, **USERS, Nodes="node1")
    create(ctl, "daily", StartTime="now+1hour", Duration="30", Flags="daily", **USERS, Nodes="node2")

    assert change(ctl, "now", "starttime=now+1hour") == "Reservation already started"
    assert change(ctl, "now", "skip") == "Reservation given is not skipable, try deleting instead"
    assert change(ctl, "now", "users-=nobody") == "Invalid user id"
    assert change(ctl, "now", "users-=root") == "Reservation request lacks users, groups or accounts"
    assert change(ctl, "now", "nodes+=node3") == ""
    assert change(ctl, "now", "nodes-=node1") == ""
    assert change(ctl, "daily", "skip") == ""
    made = ctl.cluster.reservations
    assert (made["now"].nodes, made["daily"].start_time) == ("node3", world.START + 3600 + 86400)


def test_names_are_unique(ctl):
    assert create(ctl, "r1", **SOON, **USERS, Nodes="node3") == "Duplicate reservation name"
    assert create(ctl, **SOON, **USERS, Nodes="node3") == "root_6"  # the one that was refused had a number, too


def test_numbers_are_not_used_again():
    ctl = world.controller()
    for whom, name in (({"Users": "root"}, "root_1"), ({"Users": "ann", "Accounts": "lab"}, "lab_2")):
        assert create(ctl, **SOON, **whom, Nodes="node3") == name
        reservation_change.delete(ctl, name)
    create(ctl, "named", **SOON, **USERS, Nodes="node1")
    assert create(ctl, **SOON, AllowedPartitions="debug", Nodes="node4") == "resv_4"


def test_node_counts_and_partitions(ctl):
    far = {"StartTime": "now+3hours", **USERS}
    create(ctl, "r5", **far, Duration="1:00:00", NodeCnt="2")
    create(ctl, "r6", **far, Duration="1-0", PartitionName="batch", Nodes="all", Flags="part_nodes")
    made = [ctl.cluster.reservations[name] for name in ("r5", "r6")]

    assert [(r.nodes, r.partition, r.flags, r.end_time - r.start_time) for r in made] == [
        ("node[1-2]", "debug", [], 3600),
        ("node[5-8]", "batch", ["SPEC_NODES", "PART_NODES"], 86400),
    ]
    daily = {"StartTime": "now+1hour", "Duration": "30", **USERS, "Nodes": "node8", "Flags": "daily"}
    assert create(ctl, "d1", **daily) == "Requested reservation overlaps with another reservation"


def test_running_jobs_are_in_the_way_unless_ignored():
    ctl = world.controller()
    world.job(ctl, nodelist="node1")

    assert create(ctl, "r", **SOON, **USERS, Nodes="node1") == "Requested nodes are busy"
    assert create(ctl, "r", **SOON, **USERS, Nodes="node1", Flags="ignore_jobs") == "r"
    assert create(ctl, "r2", **SOON, **USERS, NodeCnt="2") == "r2"
    assert ctl.cluster.reservations["r2"].nodes == "node[2-3]"


def change(ctl, name, *words):
    try:
        renew(ctl, name, list(words))
    except UserError as error:
        return error.message
    return ""


def test_updates(ctl):
    overlap = "Requested reservation overlaps with another reservation"

    assert change(ctl, "r1", "duration=90") == overlap
    assert change(ctl, "r1", "nodes=node1,node2") == overlap
    assert change(ctl, "nosuch", "duration=5") == "Requested reservation is invalid"
    assert change(ctl, "r1", "users+=nobody") == ""
    assert change(ctl, "r1", "flags=flex", "duration-=10") == ""
    resv = ctl.cluster.reservations["r1"]
    assert (resv.users, resv.flags, resv.end_time) == ("root,nobody", ["SPEC_NODES", "FLEX"], world.START + 3000)
    assert change(ctl, "r1", "flags=-flex", "users-=root") == ""
    resv = ctl.cluster.reservations["r1"]
    assert (resv.users, resv.flags) == ("nobody", ["SPEC_NODES"])


def test_deleting_waits_for_the_jobs(ctl):
    job = world.job(ctl, reservation="maint1")
    assert (job.state, job.nodes) == ("RUNNING", "node1")
    with pytest.raises(UserError, match="Requested reservation is in use"):
        reservation_change.delete(ctl, "maint1")
    world.later(ctl, 300)
    reservation_change.delete(ctl, "maint1")
    with pytest.raises(UserError, match="Requested reservation is invalid"):
        reservation_change.delete(ctl, "maint1")


def test_some_cores_of_nodes():
    """Others get what is left of the nodes, the reservation's jobs what it holds."""
    ctl = world.controller()
    create(ctl, "half", StartTime="now", Duration="60", Users="root", CoreCnt="6")
    resv = ctl.cluster.reservations["half"]
    assert (resv.nodes, resv.cores, resv.core_cnt, resv.tres) == ("node[1-2]", {"node1": 4, "node2": 2}, 6, "cpu=6")

    inside = world.job(ctl, num_tasks=1, cpus_per_task=2, reservation="half", nodelist="node2")
    beside = world.job(ctl, num_tasks=1, cpus_per_task=2, nodelist="node2")
    outside = world.job(ctl, num_tasks=1, cpus_per_task=3)
    more = world.job(ctl, num_tasks=1, nodelist="node2")
    assert (inside.state, beside.state, outside.nodes) == ("RUNNING", "RUNNING", "node3")
    assert more.state == "PENDING"
    assert world.job(ctl, num_tasks=3, nodelist="node1", reservation="half").state == "RUNNING"

    world.later(ctl, 3600)
    assert more.state == "COMPLETED"


def test_cores_that_are_not_to_be_had():
    ctl = world.controller()
    assert create(ctl, "all", StartTime="now", Duration="60", Users="root", CoreCnt="99") == "Requested nodes are busy"
    answer = create(ctl, "none", StartTime="now", Duration="60", Users="root", CoreCnt="x")
    assert answer == "Invalid core count x"

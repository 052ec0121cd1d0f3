"""Who may use a reservation, from where and with what; an update may not shut a job out."""

from __future__ import annotations

import pytest
import world
from test_reservations import create, fields, renew

from slimsched.controller.requests.users import User
from slimsched.controller.reservations.access import admits
from slimsched.errors import SlurmError
from slimsched.model.reservation import Reservation
from slimsched.slurm.errno import Errno

BOB = User(1001, "bob", 1001, "staff")
SOON = {"StartTime": "now", "Duration": "60", "Nodes": "node3"}


@pytest.mark.parametrize(
    ("given", "admitted"),
    [
        ({"users": "bob"}, True),
        ({"users": "ann,bob"}, True),
        ({"users": "ann"}, False),
        ({"users": "-bob"}, False),
        ({"users": "-ann"}, True),
        ({"groups": "staff"}, True),
        ({"groups": "wheel"}, False),
        ({"accounts": "physics"}, True),
        ({"accounts": "-physics"}, False),
        ({"users": "bob", "accounts": "physics"}, True),
        ({"users": "bob", "accounts": "maths"}, False),  # both must let a job in
        ({"users": "ann", "accounts": "physics"}, False),
        ({"qos": "high"}, True),
        ({"users": "bob", "flags": ["TIME_FLOAT"]}, False),
    ],
)
def test_who_is_admitted(given, admitted):
    assert admits(world.controller().cluster, Reservation(name="r", **given), BOB, "physics") is admitted


@pytest.mark.parametrize("manager", ["bob", "bob(1001)"])
def test_who_manages_slurm_is_always_admitted(manager):
    cluster = world.controller(SlurmUser=manager).cluster

    assert admits(cluster, Reservation(name="r", users="ann"), BOB, "")
    assert admits(cluster, Reservation(name="r", users="ann"), world.ROOT, "")


@pytest.mark.parametrize(
    ("listed", "partition", "runs"),
    [
        ("debug", "debug", True),
        ("debug", "batch", False),
        ("-debug", "batch", True),
        ("-debug", "debug", False),
        ("debug", "batch,debug", True),
    ],
)
def test_from_which_partitions(listed, partition, runs):
    ctl = world.controller()
    create(ctl, "r", **SOON | {"Nodes": "node5"}, AllowedPartitions=listed)
    if runs:
        assert world.job(ctl, BOB, reservation="r", partition=partition).nodes == "node5"
        return
    with pytest.raises(SlurmError) as caught:
        world.job(ctl, BOB, reservation="r", partition=partition)

    assert caught.value.errno == Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE
    assert caught.value.detail == "Problem using reservation"


def test_with_which_qos():
    ctl = world.controller()
    create(ctl, "r", **SOON, Users="bob")
    ctl.cluster.reservations["r"].qos = "high"
    with pytest.raises(SlurmError) as caught:
        world.job(ctl, BOB, reservation="r")

    assert caught.value.detail == "Problem using reservation"


def test_a_job_keeps_others_from_shutting_it_out():
    ctl = world.controller()
    create(ctl, "r", **SOON, Users="bob")
    job = world.job(ctl, BOB, reservation="r")

    with pytest.raises(SlurmError) as caught:
        renew(ctl, "r", fields({"Users": "ann"}))

    assert (caught.value.errno, caught.value.detail) == (
        Errno.RESERVATION_BUSY,
        f"Reservation update rejected because of JobId={job.job_id}",
    )
    assert ctl.cluster.reservations["r"].users == "bob"


def test_licenses_alone_are_used_on_any_node_that_nobody_reserved():
    ctl = world.controller(Licenses="foo:4")
    create(ctl, "lic", StartTime="now", Duration="60", Users="root", Licenses="foo:2", Flags="ANY_NODES")
    create(ctl, "other", StartTime="now", Duration="60", Users="root", Nodes="node[1-2]")

    assert world.job(ctl, reservation="lic", licenses="foo:2").nodes == "node3"

"""Flags of reservations that exclude each other."""

from __future__ import annotations

import pytest
import world
from test_reservations import SOON, USERS, create, fields, new, renew

from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno

MIXED = "REPLACE and REPLACE_DOWN flags cannot be used with STATIC_ALLOC or MAINT flags"
SEVERAL = "Reservation has multiple reoccurring flags. Please specify only one reoccurring flag"
REPEATED = "Reservation request has mutually exclusive flags. Repeating floating reservations are not supported."
BY_COUNT = "REPLACE or REPLACE_DOWN flags should be used with the NodeCnt reservation option; do not specify"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        *((f"{a},{b}", MIXED) for a in ("REPLACE", "REPLACE_DOWN") for b in ("MAINT", "STATIC_ALLOC")),
        *((pair, SEVERAL) for pair in ("HOURLY,WEEKDAY", "WEEKDAY,WEEKEND", "WEEKEND,WEEKLY", "WEEKLY,HOURLY")),
        *((f"TIME_FLOAT,{flag}", REPEATED) for flag in ("HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY")),
    ],
)
def test_flags_of_a_new_reservation(flags, said):
    ctl = world.controller()
    for written in (flags, ",".join(reversed(flags.split(",")))):
        with pytest.raises(SlurmError) as caught:
            new(ctl, "r", fields({**SOON, **USERS, "NodeCnt": "1", "Flags": written}))
        assert (caught.value.errno, caught.value.detail) == (Errno.NOT_SUPPORTED, said)
    assert not ctl.cluster.reservations


@pytest.mark.parametrize(
    ("given", "errno", "said"),
    [
        ({"Nodes": "node1"}, Errno.INVALID_NODE_NAME, f"{BY_COUNT} Nodes"),
        ({"CoreCnt": "2"}, Errno.INVALID_CPU_COUNT, f"{BY_COUNT} CoreCnt"),
    ],
)
def test_nodes_that_are_replaced_are_counted(given, errno, said):
    ctl = world.controller()
    with pytest.raises(SlurmError) as caught:
        new(ctl, "r", fields({**SOON, **USERS, **given, "Flags": "REPLACE"}))

    assert (caught.value.errno, caught.value.detail) == (errno, said)


MANY = "Cannot update reservation to have multiple reoccurring flags. Please specify only one reoccurring flag"
FLOATS = "Cannot add a reoccurring flag to a floating reservation"


@pytest.mark.parametrize(
    ("first", "then", "errno", "said"),
    [
        ("MAINT", "REPLACE", Errno.NOT_SUPPORTED, MIXED),
        ("STATIC_ALLOC", "REPLACE_DOWN", Errno.NOT_SUPPORTED, MIXED),
        ("REPLACE", "MAINT", Errno.NOT_SUPPORTED, MIXED),
        ("REPLACE_DOWN", "STATIC_ALLOC", Errno.NOT_SUPPORTED, MIXED),
        ("HOURLY", "WEEKDAY", Errno.NOT_SUPPORTED, MANY),
        ("WEEKLY", "DAILY", Errno.NOT_SUPPORTED, MANY),
        ("TIME_FLOAT", "WEEKLY", Errno.NOT_SUPPORTED, FLOATS),
        ("WEEKEND", "TIME_FLOAT", Errno.INVALID_TIME_VALUE, ""),
        ("FLEX", "REPLACE", None, ""),
        ("DAILY", "DAILY", None, ""),
    ],
)
def test_flags_of_a_changed_reservation(first, then, errno, said):
    ctl = world.controller()
    create(ctl, "r", **SOON, **USERS, NodeCnt="1", Flags=first)
    if errno is None:
        renew(ctl, "r", fields({"Flags": then}))
        return
    with pytest.raises(SlurmError) as caught:
        renew(ctl, "r", fields({"Flags": then}))

    assert (caught.value.errno, caught.value.detail) == (errno, said)
    assert ctl.cluster.reservations["r"].flags == [first]


def test_named_nodes_and_replacing_exclude_each_other():
    ctl = world.controller()
    create(ctl, "named", **SOON, **USERS, Nodes="node1")
    create(ctl, "counted", **SOON, **USERS, NodeCnt="1", Flags="REPLACE")
    changes = {
        "named": ({"Flags": "REPLACE"}, "with REPLACE or REPLACE_DOWN flags; they should be updated on a NodeCnt res"),
        "counted": ({"Nodes": "node3"}, "with Nodes option; it is incompatible with REPLACE[_DOWN]"),
    }
    for name, (change, said) in changes.items():
        with pytest.raises(SlurmError) as caught:
            renew(ctl, name, fields(change))
        assert caught.value.detail.startswith(f"Reservation can't be updated {said}")

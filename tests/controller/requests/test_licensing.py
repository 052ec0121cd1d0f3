"""Licenses: what is free, what a job gets of it, and what reservations keep."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.requests import licensing
from slimsched.model.reservation import Reservation

TOTAL = "matlab:4,ansys:2,flag"


def controller():
    return world.controller(Licenses=TOTAL)


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ([], {"matlab": 4, "ansys": 2, "flag": 1}),
        (["matlab:1"], {"matlab": 3, "ansys": 2, "flag": 1}),
        (["matlab:1", "matlab:2,flag"], {"matlab": 1, "ansys": 2, "flag": 0}),
        (["matlab:4", "matlab:1"], {"matlab": 0, "ansys": 2, "flag": 1}),  # the second waits
    ],
)
def test_what_is_left(taken, free):
    ctl = controller()
    for text in taken:
        world.job(ctl, licenses=text)

    assert licensing.left(ctl.cluster) == free


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ("", ""),
        ("matlab:3", "matlab:3"),
        ("matlab:4", None),
        ("ansys:2,flag:1", "ansys:2,flag:1"),
        ("ansys:2,flag:2", None),
        ("matlab:4|ansys:1", "ansys:1"),
        ("matlab:3|ansys:1", "matlab:3"),
        ("matlab:4|ansys:3", None),
    ],
)
def test_what_a_job_gets_while_one_is_in_use(asked, granted):
    ctl = controller()
    world.job(ctl, licenses="matlab:1")
    job = world.job(ctl, hold=True)
    job.request.licenses = asked

    assert licensing.grant(ctl.cluster, job) == granted


@pytest.mark.parametrize(
    ("begins", "ends", "reservation", "granted"),
    [
        (0, 600, "", None),
        (0, 600, "r", "matlab:2"),
        (60, 600, "", "matlab:2"),  # it has not begun
        (-60, 0, "", "matlab:2"),  # it is over
        (-60, 1, "", None),
        (0, 600, "nosuch", None),
    ],
)
def test_a_reservation_keeps_its_licenses_while_it_lasts(begins, ends, reservation, granted):
    ctl = controller()
    job = world.job(ctl, hold=True)
    ctl.cluster.reservations["r"] = Reservation(
        name="r", start_time=world.START + begins, end_time=world.START + ends, licenses="matlab:3"
    )
    job.request.licenses, job.request.reservation = "matlab:2", reservation

    assert licensing.grant(ctl.cluster, job) == granted


def test_a_license_that_the_configuration_dropped_is_not_granted():
    ctl = controller()
    job = world.job(ctl, licenses="ansys:1", hold=True)
    ctl.cluster.config.slurm["Licenses"] = "matlab:4"

    assert licensing.grant(ctl.cluster, job) is None

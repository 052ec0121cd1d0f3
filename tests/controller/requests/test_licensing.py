"""Licenses: what is free, what a job gets of it, and what reservations keep."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.requests import licensing
from slimsched.model import resources
from slimsched.model.request import JobRequest
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


@pytest.mark.parametrize(
    ("own", "of_tasks", "asked"),
    [
        ("", "license/matlab:2", "matlab:4"),
        ("", "license/matlab,gres/gpu:1,license/flag=1", "matlab:2,flag:2"),
        ("matlab:1,ansys", "license/matlab", "matlab:3,ansys:1"),
        ("matlab:1|ansys", "license/flag", "matlab:1,flag:2|ansys:1,flag:2"),
        ("matlab", "gres/gpu:1", "matlab"),
    ],
)
def test_licenses_of_tasks(own, of_tasks, asked):
    request = JobRequest(licenses=own, tres_per_task=of_tasks, num_tasks=2)

    assert (resources.asked_licenses(request), request.takes_licenses) == (asked, True)


def test_licenses_of_tasks_are_taken_and_counted(sim):
    sim("init", "--set", "Licenses=matlab:9", "--set", "AccountingStorageTRES=license/matlab")
    sim("sbatch", "-n2", "-L", "matlab:3", "--tres-per-task=license/matlab:3", "--wrap", "sleep 60")
    sim("sbatch", "--tres-per-task=license/matlab", "--wrap", "sleep 60")

    assert sim("squeue", "-h", "-o", "%i %t %r") == "2 PD Licenses\n1 R None\n"
    assert " Used=9 Free=0 " in sim("scontrol", "-o", "show", "lic")
    shown = sim("scontrol", "show", "job", "1")
    assert shown.count("license/matlab=9") == 2
    assert " LicensesAlloc=matlab:9 " in shown
    refused = sim.run("sbatch", "--tres-per-task=license/matlab:10", "--wrap", "true")
    assert refused.err.startswith("sbatch: error: Batch job submission failed: Invalid license specification\n")
    assert sim.run("sbatch", "--tres-per-task=license/matlab:1license/matlab:1", "--wrap", "true").code == 1

"""Jobs that wait for a reservation which is over are held until somebody releases them."""

from __future__ import annotations

import pytest
import world
from test_reservations import create

from slimsched.controller.schedule import hold
from slimsched.render.jobs.job_view import View

SOON = {"StartTime": "now", "Duration": "1", "Users": "root", "Nodes": "node1"}
HELD = ("RESV_DEL_HOLD", "ReservationDeleted", "Reservation r was deleted", 0, "")


def seen(ctl, job):
    job = ctl.cluster.jobs[job.job_id]
    state = View(job, ctl.cluster).state
    return state, job.reason, job.state_desc, job.priority, job.request.reservation


def waiting(ctl, **more):
    world.job(ctl, reservation="r", min_nodes=1, exclusive="NODE")
    return world.job(ctl, reservation="r", **more)


@pytest.mark.parametrize("more", [{}, {"hold": True}])
def test_the_jobs_left_are_held(more):
    ctl = world.controller()
    create(ctl, "r", **SOON)
    job = waiting(ctl, **more)

    world.later(ctl, 120)

    assert seen(ctl, job) == HELD


def test_one_that_misses_its_deadline_meanwhile_ends():
    """As Slurm's own test suite has it (test_123_2)."""
    ctl = world.controller()
    create(ctl, "r", **SOON)
    job = waiting(ctl, deadline=ctl.cluster.now + 300, time_limit=1)
    world.later(ctl, 120)
    assert seen(ctl, job)[0] == "RESV_DEL_HOLD"

    world.later(ctl, 240)

    assert seen(ctl, job)[:3] == ("DEADLINE", "DeadLine", "")


def test_one_that_is_released_runs_anywhere():
    ctl = world.controller()
    create(ctl, "r", **SOON)
    job = waiting(ctl)
    world.later(ctl, 120)

    hold.release(ctl, [str(job.job_id)])
    ctl.settle()

    assert seen(ctl, job)[:3] == ("RUNNING", "None", "")


def test_an_operators_hold_stays_what_it_is():
    ctl = world.controller()
    create(ctl, "r", **SOON)
    job = waiting(ctl)
    hold.hold(ctl, [str(job.job_id)])
    world.later(ctl, 120)

    assert seen(ctl, job) == ("PENDING", "JobHeldAdmin", "", 0, "")


def test_another_reservation_is_waited_for():
    ctl = world.controller()
    create(ctl, "r", **SOON)
    create(ctl, "later", StartTime="now+1hour", Duration="60", Users="root", Nodes="node1")
    world.job(ctl, reservation="r", exclusive="NODE")
    job = world.job(ctl, reservation="r,later")
    world.later(ctl, 120)

    assert seen(ctl, job)[0::4] == ("PENDING", "later")
    world.later(ctl, 3600)
    assert seen(ctl, job)[0] == "RUNNING"


def test_a_flag_lets_the_jobs_go():
    ctl = world.controller()
    create(ctl, "r", **SOON, Flags="NO_HOLD_JOBS_AFTER_END")
    job = waiting(ctl)
    world.later(ctl, 120)

    assert seen(ctl, job)[0::4] == ("RUNNING", "")


def test_a_recurring_one_keeps_its_jobs():
    ctl = world.controller()
    create(ctl, "r", **SOON, Flags="HOURLY")
    job = waiting(ctl)
    world.later(ctl, 120)

    assert seen(ctl, job)[0::4] == ("PENDING", "r")


PURGED = {"StartTime": "now+1minute", "Users": "root", "Nodes": "node1"}


@pytest.mark.parametrize(("flag", "seconds"), [("PURGE_COMP=2", 120), ("PURGE_COMP", 300)])
def test_one_without_jobs_goes(flag, seconds):
    ctl = world.controller()
    create(ctl, "r", **PURGED, Duration="60", Flags=flag)

    world.later(ctl, 60 + seconds - 1)
    assert "r" in ctl.cluster.reservations
    world.later(ctl, 1)
    assert "r" not in ctl.cluster.reservations


def test_jobs_keep_it_for_a_while():
    ctl = world.controller()
    create(ctl, "r", **PURGED, Duration="60", Flags="PURGE_COMP=2")
    world.later(ctl, 120)
    world.job(ctl, reservation="r", runtime=30)

    world.later(ctl, 149)
    assert "r" in ctl.cluster.reservations
    world.later(ctl, 1)
    assert "r" not in ctl.cluster.reservations


def test_a_recurring_one_without_jobs_moves_on():
    ctl = world.controller()
    create(ctl, "r", **PURGED, Duration="30", Flags="HOURLY,PURGE_COMP=1")

    world.later(ctl, 120)

    assert ctl.cluster.reservations["r"].start_time == world.START + 3660
    world.later(ctl, 3600)
    assert ctl.cluster.reservations["r"].start_time == world.START + 7260


def test_one_that_nobody_purges_stays():
    ctl = world.controller()
    create(ctl, "r", **PURGED, Duration="30")

    world.later(ctl, 1800)

    assert "r" in ctl.cluster.reservations

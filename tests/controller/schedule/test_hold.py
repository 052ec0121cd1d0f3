"""Hold, release and top, against the priorities of the records."""

from __future__ import annotations

import world

from slimsched.controller.schedule import hold
from slimsched.slurm import reasons

TOP = 4294901759


def queue(ctl):
    ctl.settle()
    pending = [j for j in ctl.cluster.jobs.values() if j.pending]
    return {j.job_id: (j.priority, j.reason) for j in pending}


def test_hold_and_release():
    ctl = world.controller()
    world.fill(ctl)
    for _ in range(2):
        world.job(ctl)

    assert hold.hold(ctl, ["2"]) == []
    assert queue(ctl)[2] == (0, "JobHeldAdmin")
    assert hold.hold(ctl, ["2"], reasons.HELD_USER) == []
    assert queue(ctl)[2] == (0, "JobHeldUser")
    assert hold.release(ctl, ["2"]) == []
    assert queue(ctl) == {3: (TOP - 2, "Resources"), 2: (TOP - 3, "Priority")}


def test_releasing_sends_any_job_to_the_end():
    ctl = world.controller()
    world.fill(ctl)
    for _ in range(2):
        world.job(ctl)
    hold.release(ctl, ["2", "1"])

    assert queue(ctl)[2][0] == TOP - 3
    assert ctl.cluster.jobs[1].priority == TOP - 4


def test_a_running_job_can_be_held_and_goes_on():
    ctl = world.controller()
    job = world.job(ctl)
    hold.hold(ctl, ["1"])

    assert (job.state, job.priority, job.reason) == ("RUNNING", 0, "JobHeldAdmin")


def test_what_cannot_be_held():
    ctl = world.controller()
    world.job(ctl, runtime=10)
    world.later(ctl, 10)

    assert world.said(hold.hold(ctl, ["1", "9"])) == [
        "Job has already finished for job 1",
        "Invalid job id specified for job 9",
    ]


def test_some_tasks_of_an_array():
    ctl = world.controller()
    world.fill(ctl)
    world.job(ctl, array="0-3")
    hold.hold(ctl, ["2_[2-3]"])

    assert world.states(ctl) == {
        "1": ("RUNNING", "None"),
        "2_[0-1]": ("PENDING", "Resources"),
        "2_2": ("PENDING", "JobHeldAdmin"),
        "2_3": ("PENDING", "JobHeldAdmin"),
    }


def test_top_takes_from_the_others_in_equal_shares():
    """Scenario priority_top_nice."""
    ctl = world.controller()
    world.fill(ctl)
    for nice in (0, 100, 0, -100):
        world.job(ctl, min_nodes=8, max_nodes=8, exclusive="NODE", nice=nice)

    assert [ctl.cluster.jobs[i].priority for i in (2, 3, 4, 5)] == [TOP - 1, TOP - 102, TOP - 3, TOP + 96]
    assert hold.top(ctl, ["4"]) == []
    assert [ctl.cluster.jobs[i].priority for i in (2, 3, 4, 5)] == [TOP - 34, TOP - 135, TOP + 96, TOP + 63]
    assert [ctl.cluster.jobs[i].request.nice for i in (2, 3, 4, 5)] == [33, 133, -99, -67]


def test_top_of_several():
    """Scenario scontrol_hold_requeue_suspend: ``top 5,4``."""
    ctl = world.controller()
    world.fill(ctl)
    for job_id, priority in ((2, 752), (3, 750), (4, 749), (5, 755), (6, 746), (7, 745)):
        assert world.job(ctl, priority=priority).job_id == job_id
    hold.top(ctl, ["5", "4"])

    assert [ctl.cluster.jobs[i].priority for i in range(2, 8)] == [751, 750, 752, 755, 745, 744]


def test_what_cannot_go_to_the_top():
    ctl = world.controller()
    world.job(ctl)
    world.job(ctl, hold=True)

    assert world.said(hold.top(ctl, ["1", "2", "3"])) == [
        "Job is no longer pending execution for job 1",
        "Job is in held state, pending scheduler release for job 2",
        "Invalid job id specified for job 3",
    ]


def test_a_release_of_what_was_not_held_costs_the_nice_value():
    ctl = world.controller()
    world.fill(ctl)
    nice, held = world.job(ctl, nice=50), world.job(ctl, nice=50, hold=True)
    hold.release(ctl, ["2", "3"])

    assert (nice.request.nice, held.request.nice) == (0, 50)


def test_a_held_job_keeps_its_expected_start_until_time_moves():
    ctl = world.controller()
    world.fill(ctl)
    planned, later = world.job(ctl), world.job(ctl, begin_time=ctl.cluster.now + 3600)
    world.later(ctl, 1)
    assert planned.start_time
    hold.hold(ctl, ["2", "3"])

    assert planned.start_time
    world.later(ctl, 60)
    assert (planned.start_time, later.start_time) == (0, later.request.begin_time)

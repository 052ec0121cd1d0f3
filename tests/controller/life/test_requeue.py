"""Requeue, requeuehold, suspend and resume."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import requeue, suspend
from slimsched.controller.schedule import hold


def test_requeue_waits_two_minutes_behind_the_others():
    ctl = world.controller()
    job = world.job(ctl)
    world.job(ctl)

    assert requeue.requeue(ctl, ["1"]) == []
    assert (job.state, job.reason, job.restarts, job.priority) == ("PENDING", "BeginTime", 1, 4294901757)
    assert job.request.begin_time == world.START + 121
    world.later(ctl, 121)
    assert job.state == "RUNNING"


def test_a_finished_job_can_be_requeued():
    ctl = world.controller()
    job = world.job(ctl, runtime=10)
    world.later(ctl, 10)

    assert (job.state, requeue.requeue(ctl, ["1"], incomplete=True)) == ("COMPLETED", [])
    assert job.state == "COMPLETED"
    assert requeue.requeue(ctl, ["1"]) == []
    assert job.state == "PENDING"


def test_requeuehold():
    ctl = world.controller()
    job = world.job(ctl)

    assert requeue.requeue(ctl, ["1"], hold=True, special=True) == []
    assert (job.state, job.priority, job.reason, job.flags) == ("PENDING", 0, "JobHeldUser", ["SPECIAL_EXIT"])
    hold.release(ctl, ["1"])
    assert (job.flags, job.priority) == ([], 4294901758)


def test_what_cannot_be_requeued():
    ctl = world.controller()
    world.job(ctl, requeue=False)
    world.job(ctl, batch=False)
    world.job(ctl, array="0-1", hold=True)

    assert world.said(requeue.requeue(ctl, ["1", "2", "3_0", "9"])) == [
        "Requested operation is presently disabled for job 1",
        "Only batch jobs are accepted or processed for job 2",
        "3_[0]: Job is pending execution",
        "Invalid job id specified for job 9",
    ]


def test_suspend_and_resume():
    ctl = world.controller()
    job = world.job(ctl, runtime=300)
    world.later(ctl, 100)

    assert (suspend.suspend(ctl, ["1"]), job.state) == ([], "SUSPENDED")
    assert (suspend.suspend(ctl, ["1"]), job.state) == ([], "SUSPENDED")
    world.later(ctl, 1000)
    assert (suspend.resume(ctl, ["1"]), job.state) == ([], "RUNNING")
    world.later(ctl, 200)
    assert (job.state, job.end_time) == ("COMPLETED", world.START + 1300)


@pytest.mark.parametrize("verb", [suspend.suspend, suspend.resume])
def test_what_cannot_be_suspended_or_resumed(verb):
    ctl = world.controller()
    world.job(ctl, runtime=10)
    world.job(ctl, hold=True)
    world.later(ctl, 10)

    assert world.said(verb(ctl, ["1", "2", "9"])) == [
        "Job/step already completing or completed for job 1",
        "Job is pending execution for job 2",
        "Unexpected message received for job 9",
    ]


def test_only_a_suspended_job_is_resumed():
    ctl = world.controller()
    world.job(ctl)

    assert world.said(suspend.resume(ctl, ["1"])) == ["Job is not suspended for job 1"]

"""Cancelling jobs, tasks and what a filter finds; signals."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import cancel, selectors
from slimsched.controller.requests import users
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno


def stop(ctl, text):
    cancel.cancel(ctl, selectors.parse(text))


def test_running_and_pending_jobs():
    ctl = world.controller()
    running, held = world.job(ctl), world.job(ctl, hold=True)
    stop(ctl, "1")
    stop(ctl, "2")

    assert [(j.state, j.exit_signal, j.end_time) for j in (running, held)] == [
        ("CANCELLED", 15, world.START),
        ("CANCELLED", 0, world.START),
    ]


def test_what_waits_behind_a_cancelled_job_starts():
    ctl = world.controller()
    world.fill(ctl)
    job = world.job(ctl)
    stop(ctl, "1")
    ctl.settle()

    assert job.state == "RUNNING"


def test_gone_and_unknown_jobs():
    ctl = world.controller()
    world.job(ctl)
    stop(ctl, "1")
    for text, errno in (("1", Errno.ALREADY_DONE), ("2", Errno.INVALID_JOB_ID), ("1_0", Errno.INVALID_JOB_ID)):
        with pytest.raises(SlurmError) as caught:
            stop(ctl, text)
        assert caught.value.errno == errno


def test_tasks_as_recorded():
    """Scenario array_throttle: a pending task that is cancelled leaves nothing behind."""
    ctl = world.controller()
    world.job(ctl, array="0-5%2")
    stop(ctl, "1_0")
    ctl.settle()
    stop(ctl, "1_[2-3]")
    ctl.settle()

    assert {label: state for label, (state, _) in world.states(ctl).items()} == {
        "1_0": "CANCELLED",
        "1_1": "RUNNING",
        "1_2": "CANCELLED",
        "1_4": "RUNNING",
        "1_[5%2]": "PENDING",
    }


def test_a_whole_array():
    ctl = world.controller()
    world.job(ctl, array="0-5%2")
    stop(ctl, "1")

    assert {state for state, _ in world.states(ctl).values()} == {"CANCELLED"}
    assert "1_[2-5%2]" in world.states(ctl)


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({"name": "a"}, [1]),
        ({"name": "a,b"}, []),
        ({"user": "ann"}, [2]),
        ({"user_id": 0}, [1, 3]),
        ({"partition": "batch"}, [3]),
        ({"state": "PENDING"}, [3]),
        ({"state": "RUNNING", "name": "b"}, [2]),
        ({"account": "physics"}, [2]),
        ({"nodelist": "node[1-4]"}, [1, 2]),
        ({"qos": "nosuch"}, []),
    ],
)
def test_filters(chosen, found):
    ctl = world.controller()
    ann = users.User(1000, "ann", 1000, "staff")
    world.job(ctl, name="a")
    world.job(ctl, ann, name="b", account="physics")
    world.job(ctl, name="c", partition="batch", hold=True)

    assert [j.job_id for j in cancel.matching(ctl.cluster, cancel.Filter(**chosen))] == found
    assert cancel.Filter(**chosen).given
    assert not cancel.Filter().given


def test_signals_reach_running_jobs_only():
    ctl = world.controller()
    world.job(ctl)
    world.job(ctl, hold=True)
    cancel.signal(ctl, selectors.parse("1"), 10)

    assert ctl.cluster.jobs[1].state == "RUNNING"
    assert ctl.cluster.events[-1]["event"] == "signal"
    with pytest.raises(SlurmError) as caught:
        cancel.signal(ctl, selectors.parse("2"), 10)
    assert caught.value.errno == Errno.TRANSITION_STATE_NO_UPDATE

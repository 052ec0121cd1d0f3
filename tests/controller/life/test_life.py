from __future__ import annotations

import pytest
import world

from slimsched.controller.life import pauses, transitions


@pytest.fixture
def ctl():
    return world.uniform()


def freed(ctl):
    return world.shown(world.whole(ctl, 4, 5))


def test_a_start_is_written_down(ctl):
    job = world.submit(ctl, min_nodes=2, num_tasks=2, time_limit=10)

    assert world.shown(job) == ["RUNNING n[1-2]"]
    assert (job.cpus, job.memory, job.end_time - job.start_time) == ([1, 1], [100, 100], 600)
    assert ctl.cluster.events[-1] == {
        "event": "start", "job": 1, "time": world.START, "nodes": "n[1-2]", "scheduler": "Main",
    }  # fmt: skip
    assert 1 in ctl.cluster.dirty_jobs


@pytest.mark.parametrize(
    ("state", "code", "reason"),
    [
        ("COMPLETED", 0, "None"),
        ("FAILED", 2, "NonZeroExitCode"),
        ("TIMEOUT", 0, "TimeLimit"),
        ("CANCELLED", 0, "None"),
        ("NODE_FAIL", 0, "NodeDown"),
    ],
)
def test_an_end_frees_the_nodes(ctl, state, code, reason):
    job = world.whole(ctl, 4, 10)
    transitions.end_job(ctl, job, state, code)
    ctl.settle()

    assert (job.state, job.exit_code, job.reason, job.nodes) == (state, code, reason, "n[1-4]")
    assert freed(ctl) == ["RUNNING n[1-4]"]


def test_a_pending_job_ends_where_it_stood(ctl):
    job = world.submit(ctl, hold=True)
    transitions.end_job(ctl, job, "CANCELLED")

    assert (job.start_time, job.end_time, job.reason) == (world.START, world.START, "JobHeldUser")


def test_a_requeued_job_waits_two_minutes_behind_the_others(ctl):
    """Scenario extra_change_while_running."""
    job, other = world.whole(ctl, 4, 60), world.whole(ctl, 4, 10)
    before = job.priority
    transitions.requeue_job(ctl, job)
    ctl.settle()

    assert world.shown(job, other) == ["PENDING BeginTime", "RUNNING n[1-4]"]
    assert (job.restarts, job.cpus, job.priority < min(before, other.priority)) == (1, [], True)
    assert world.at(job) == 121

    world.later(ctl, 600)
    assert (world.shown(job), world.at(job)) == (["RUNNING n[1-4]"], 600)


def test_a_requeued_job_can_be_held(ctl):
    job = world.submit(ctl)
    transitions.requeue_job(ctl, job, hold=True)

    assert (job.pending, job.held) == (True, True)


def test_a_suspended_job_leaves_its_cpus_to_others(ctl):
    job = world.submit(ctl, num_tasks=16, sim_runtime=300, time_limit=30)
    other = world.submit(ctl, num_tasks=16, sim_runtime=100, time_limit=5)
    world.later(ctl, 60)
    pauses.suspend_job(ctl, job)
    ctl.settle()
    assert world.shown(other) == ["RUNNING n[1-4]"]
    assert job.pre_sus_time == 60

    world.later(ctl, 200)
    end = job.end_time
    pauses.resume_job(ctl, job)
    assert (job.state, job.end_time - end) == ("RUNNING", 200)

    world.later(ctl, 240)
    assert (job.state, world.at(job), job.end_time - world.START) == ("COMPLETED", 0, 500)

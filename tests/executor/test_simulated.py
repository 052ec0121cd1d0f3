from __future__ import annotations

import pytest
import world

from slimsched.controller.life import pauses


@pytest.mark.parametrize(
    ("rule", "script", "fields", "run_time", "exit_code"),
    [
        ("sleep", "sleep 60; exit 2", {}, 60, 2),
        ("sleep", "true", {}, 0, 0),
        ("sleep", "sleep infinity", {}, None, 0),
        ("sleep", "sleep 60; exit 2", {"sim_runtime": 5, "sim_exit": 0}, 5, 0),
        ("limit", "sleep 60; exit 2", {}, None, 2),
        ("10m", "sleep 60", {}, 600, 0),
    ],
)
def test_what_a_script_takes(rule, script, fields, run_time, exit_code):
    ctl = world.uniform()
    ctl.cluster.config.runtime = rule
    job = world.submit(ctl, script, **{"sim_runtime": None, **fields})

    assert (job.run_time, job.sim_exit_code) == (run_time, exit_code)


@pytest.mark.parametrize(
    ("fields", "over", "end", "state"),
    [
        ({"sim_runtime": 60}, "0", 60, "COMPLETED"),
        ({"sim_runtime": 60, "sim_exit": 3}, "0", 60, "FAILED"),
        ({"sim_runtime": 600, "time_limit": 10}, "0", 600, "COMPLETED"),
        ({"sim_runtime": 601, "time_limit": 10}, "0", 600, "TIMEOUT"),
        ({"sim_runtime": None, "time_limit": 10}, "0", 600, "TIMEOUT"),
        ({"sim_runtime": 601, "time_limit": 10}, "1", 601, "COMPLETED"),
        ({"sim_runtime": None, "time_limit": 10}, "5", 900, "TIMEOUT"),
    ],
)
def test_how_a_job_ends(fields, over, end, state):
    ctl = world.uniform(OverTimeLimit=over, MinJobAge="0")
    job = world.submit(ctl, **fields)
    world.later(ctl, 3600)

    assert (job.end_time - world.START, job.state) == (end, state)


def test_a_job_without_end_and_limit_has_no_outcome():
    ctl = world.uniform()
    job = world.submit(ctl, sim_runtime=None, time_limit=0xFFFFFFFF)

    assert ctl.executor.outcome(job) is None


def test_a_suspended_job_runs_its_time_all_the_same():
    ctl = world.uniform(MinJobAge="0")
    job = world.submit(ctl, sim_runtime=100)
    world.later(ctl, 40)
    pauses.suspend_job(ctl, job)
    world.later(ctl, 1000)
    pauses.resume_job(ctl, job)
    world.later(ctl, 1000)

    assert (job.end_time - world.START, job.pre_sus_time) == (1100, 40)

"""``MaxJobsAccrue`` and its kin: how many waiting jobs gain priority by their age."""

from __future__ import annotations

import pytest
from limited import BOB, EVE, change, controller, sbatch

from slimsched.controller.accounts import modify
from slimsched.controller.schedule import event_loop, job_queue
from slimsched.priority.multifactor import Multifactor

AGED = {"PriorityType": "priority/multifactor", "PriorityWeightAge": "100000", "PriorityMaxAge": "1000"}
AGED |= {"AccountingStorageType": "accounting_storage/slurmdbd", "PriorityCalcPeriod": "00:01"}


def waiting(ctl, *users):
    """Submit jobs that must wait, and return them after ten minutes of waiting and one more pass."""
    sbatch(ctl, min_nodes=8, num_tasks=32, time_limit=60, sim_runtime=3600)
    jobs = [sbatch(ctl, user, min_nodes=8, num_tasks=32, time_limit=60, sim_runtime=3600) for user in users]
    job_queue.build(ctl)
    event_loop.advance(ctl, ctl.cluster.now + 600)
    job_queue.build(ctl)
    return jobs


USERS = (BOB, BOB, EVE, EVE)
LIMITS = [
    ({}, [True, True, True, True]),
    ({"user_bob": {"MaxJobsAccrue": "1"}}, [True, False, True, True]),
    ({"account_lab": {"MaxJobsAccrue": "1"}}, [True, False, True, False]),  # each user inherits it
    ({"account_lab": {"GrpJobsAccrue": "3"}}, [True, True, True, False]),
    ({"account_lab": {"GrpJobsAccrue": "0"}}, [False, False, False, False]),
    ({"qos_normal": {"GrpJobsAccrue": "1"}}, [True, False, False, False]),
    ({"qos_normal": {"MaxJobsAccruePerUser": "1"}}, [True, False, True, False]),
    ({"qos_normal": {"MaxJobsAccruePerAccount": "2"}}, [True, True, False, False]),
]


@pytest.mark.parametrize(("limits", "accrue"), LIMITS)
def test_jobs_beyond_a_limit_do_not_age(limits, accrue):
    ctl = controller(slurm=AGED, **limits)
    jobs = waiting(ctl, *USERS)
    assert [bool(job.accrue_time) for job in jobs] == accrue
    assert [job.priority > 1 for job in jobs] == accrue


def test_limits_that_are_not_enforced_hold_nothing_back():
    jobs = waiting(controller(enforce="associations", slurm=AGED, user_bob={"MaxJobsAccrue": "1"}), *USERS)
    assert all(job.accrue_time for job in jobs)


def test_the_next_job_begins_when_one_has_left():
    ctl = controller(slurm=AGED, user_bob={"MaxJobsAccrue": "1"})
    first, second = waiting(ctl, BOB, BOB)
    ctl.cluster.jobs[first.job_id].priority = 0  # held
    job_queue.build(ctl)
    assert second.accrue_time == ctl.cluster.now


def test_a_raised_limit_lets_more_begin():
    ctl = controller(slurm=AGED, user_bob={"MaxJobsAccrue": "1"})
    _, second = waiting(ctl, BOB, BOB)
    assert not second.accrue_time
    change(ctl, modify.modify, "user", "bob", MaxJobsAccrue="2")
    job_queue.build(ctl)
    assert second.accrue_time == ctl.cluster.now


def test_accrue_always_counts_from_the_submission():
    ctl = controller(slurm={**AGED, "PriorityFlags": "ACCRUE_ALWAYS"}, user_bob={"MaxJobsAccrue": "0"})
    (job,) = waiting(ctl, BOB)
    plugin = ctl.priority
    assert isinstance(plugin, Multifactor)
    assert plugin.factors(job, ctl.cluster.partitions["debug"])["AGE"] == pytest.approx(1000)  # 10 of 1000 minutes

"""What each of the ``bf_*`` parameters does to a cycle."""

from __future__ import annotations

import pytest
import world

from slimsched.model.config import PartitionConf
from slimsched.model.reservation import Reservation


def cycle(ctl):
    ctl.cluster.pass_due = True
    ctl.settle()


def starts(*jobs):
    """Expected starts in minutes, None for none, and whether nodes are held for it."""
    return [(world.at(job) // 60 if job.start_time else None, job.planned) for job in jobs]


def waiting(params: str = "", **slurm: str):
    """A cluster of four nodes that are taken for an hour; nothing is tried at submission."""
    ctl = world.uniform(params=f"defer,{params}", **slurm)
    world.whole(ctl, 4, 60)
    cycle(ctl)
    return ctl


@pytest.mark.parametrize(
    "text", ["", "bf_window", "bf_window=", "bf_window=x", "bf_window=-5", "bf_window=9999999999999"]
)
def test_a_value_that_is_no_number_counts_as_the_default(text):
    config = world.uniform_config(params=text)

    assert config.parameters.number("bf_window") == 1440


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ("", [(60, True), (90, True), (120, True)]),
        ("bf_job_part_count_reserve=1", [(60, True), (None, False), (None, False)]),
        ("bf_job_part_count_reserve=2", [(60, True), (90, True), (None, False)]),
        ("bf_max_job_test=2", [(60, True), (90, True), (None, False)]),
        ("bf_max_job_user=1", [(60, True), (None, False), (None, False)]),
        ("bf_max_job_part=2", [(60, True), (90, True), (None, False)]),
        ("bf_max_job_user_part=2", [(60, True), (90, True), (None, False)]),
        ("bf_max_job_assoc=1", [(60, True), (None, False), (None, False)]),
        ("bf_min_prio_reserve=4294967295", [(None, False)] * 3),
        ("bf_min_age_reserve=1", [(None, False)] * 3),
        ("bf_window=75", [(60, True), (None, False), (None, False)]),
        ("bf_window=30", [(60, False)] * 3),  # beyond the window a job holds nothing, and all could start together
        ("bf_resolution=3600", [(60, True), (120, True), (180, True)]),
    ],
)
def test_who_gets_a_start_and_who_holds_nodes(params, expected):
    """Three jobs of all nodes and half an hour wait for one that has an hour to go."""
    ctl = waiting(params)
    jobs = [world.whole(ctl, 4, 30) for _ in range(3)]
    cycle(ctl)

    assert starts(*jobs) == expected


@pytest.mark.parametrize(("params", "tasks"), [("", 4), ("bf_max_job_array_resv=2", 2), ("bf_max_job_array_resv=1", 1)])
def test_bf_max_job_array_resv_tasks_of_an_array_hold_nodes(params, tasks):
    """A job of one node and 100 minutes that starts beside the promised nodes shows how many there are."""
    ctl = world.uniform(params=f"defer,{params}")
    world.whole(ctl, 4, 60)
    cycle(ctl)
    array = world.whole(ctl, 1, 30, array="0-3")
    others = [world.whole(ctl, 1, 100) for _ in range(4)]
    cycle(ctl)

    assert array.start_time
    assert [world.at(job) // 60 for job in others] == [60] * (4 - tasks) + [90] * tasks


def test_an_array_starts_all_the_tasks_it_can_in_one_cycle():
    """``bf_max_job_array_resv`` counts those that wait."""
    ctl = world.uniform(nodes=8, params="defer,bf_max_job_array_resv=1,default_queue_depth=0")
    world.whole(ctl, 1, 30, array="0-9")
    cycle(ctl)

    assert sum(job.active for job in ctl.cluster.jobs.values()) == 8


@pytest.mark.parametrize(("params", "expected"), [("", 120), ("bf_one_resv_per_job", 90)])
def test_bf_one_resv_per_job(params, expected):
    """A job of two partitions holds nodes in both, or in the first that is looked at."""
    ctl = waiting(params)
    ctl.cluster.add_partition(PartitionConf(partition_name="late", nodes="ALL", priority_tier=1, max_time=600))
    first = world.whole(ctl, 4, 30, partition="debug,late")
    other = world.whole(ctl, 4, 30)
    cycle(ctl)

    assert starts(first)[0] == (60, True)
    assert world.at(other) // 60 == expected


def test_a_job_that_lacks_licenses_holds_no_nodes():
    ctl = world.uniform(params="defer", Licenses="matlab:1")
    world.whole(ctl, 3, 60, licenses="matlab")
    cycle(ctl)
    unlicensed, other = world.whole(ctl, 2, 30, licenses="matlab"), world.whole(ctl, 2, 30)
    cycle(ctl)

    assert starts(unlicensed, other) == [(None, False), (60, True)]


def test_plans_keep_off_cpus_that_a_reservation_holds():
    """Two of the four CPUs of n1 are reserved from minute 70 to 100."""
    ctl = world.uniform(nodes=1, params="defer")
    world.whole(ctl, 1, 60)
    cycle(ctl)
    ctl.cluster.reservations["r"] = Reservation(
        name="r", nodes="n1", cores={"n1": 2}, start_time=world.START + 70 * 60, end_time=world.START + 100 * 60
    )
    jobs = [world.submit(ctl, num_tasks=tasks, time_limit=30) for tasks in (4, 2)]
    cycle(ctl)

    assert [world.at(job) // 60 for job in jobs] == [100, 60]


@pytest.mark.parametrize(("tier", "expected"), [(1, (30, True)), (2, (0, False))])
def test_plans_know_whom_a_job_may_preempt(tier, expected):
    ctl = world.uniform(nodes=2, PreemptType="preempt/partition_prio", PreemptMode="REQUEUE")
    ctl.cluster.add_partition(PartitionConf(partition_name="top", nodes="ALL", priority_tier=tier, max_time=600))
    low = world.whole(ctl, 2, 30)
    job = world.whole(ctl, 2, 30, partition="top")
    world.later(ctl, 0)

    assert starts(job) == [expected]
    assert (low.pending, job.active) == (tier == 2, tier == 2)

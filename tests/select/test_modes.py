"""RUN_NOW, TEST_ONLY, WILL_RUN, and making room for a better job."""

from __future__ import annotations

import pytest
from select_world import NOW, World

from slimsched.errors import Never, NotNow
from slimsched.select.api import Mode


def busy(*minutes, **world):
    """A world with one whole-node job a node, ending after so many minutes."""
    world = World(**world)
    return world, [world.start(exclusive="NODE", minutes=m, nodelist=f"node{k}") for k, m in enumerate(minutes, 1)]


def will_run(world, job, **more):
    found = world.try_mode(job, Mode.WILL_RUN, **more)
    return world.cluster.hostlist_of(found.bitmap), found.start_time - NOW


def test_what_fits_now_will_run_now():
    world, _ = busy(10, 10, 10)

    assert will_run(world, world.job(num_tasks=2)) == ("node4", 0)


def test_a_job_waits_for_the_first_end_that_suffices():
    world, _ = busy(40, 10, 20, 30)

    assert will_run(world, world.job(num_tasks=1)) == ("node2", 600)
    assert will_run(world, world.job(min_nodes=2)) == ("node[2-3]", 1200)
    assert will_run(world, world.job(min_nodes=4)) == ("node[1-4]", 2400)


@pytest.mark.parametrize(
    ("ends", "starts"),
    [
        # windows are counted from the first end, rounded up to a half minute (here to 20): up to 50, 80, 140, 260, ...
        ((0, -10, -20, -30), (0, 0, 0, 0)),
        ((0, 60, 61, 90), (0, 61, 61, 90)),
        ((0, 40, 90, 100), (40, 40, 100, 100)),
        ((10, 70, 80, 91), (10, 80, 80, 91)),
        ((0, 1000, 1100, 3000), (0, 1100, 1100, 3000)),  # it grows until it holds the next end
    ],
)
def test_ends_in_one_window_count_as_one(ends, starts):
    world, jobs = busy(10, 10, 10, 10)
    for job, end in zip(jobs, ends, strict=True):
        job.end_time = NOW + 600 + end
        world.plugin.nodeinfo_set(job)

    assert [will_run(world, world.job(min_nodes=n))[1] - 600 for n in (1, 2, 3, 4)] == list(starts)


def test_windows_that_grow_by_seconds():
    world, jobs = busy(10, 10, 10, 10, SchedulerParameters="bf_window_linear=1")
    for job, end in zip(jobs, (0, 40, 80, 120), strict=True):
        job.end_time = NOW + 600 + end
        world.plugin.nodeinfo_set(job)

    assert [will_run(world, world.job(min_nodes=n))[1] for n in (1, 2, 3, 4)] == [640, 640, 680, 720]


def test_linear_takes_out_one_job_after_the_other():
    """Though both end at the same instant, the first of them has to go for one node (scenario fifo_exclusive)."""
    world, _ = busy(10, 10, 30, 30, select="linear", params="")

    assert will_run(world, world.job(min_nodes=1)) == ("node1", 600)
    assert will_run(world, world.job(min_nodes=1), nodes="node[2-4]") == ("node2", 600)
    assert will_run(world, world.job(min_nodes=2)) == ("node[1-2]", 600)


@pytest.mark.parametrize(("select", "expected"), [("cons_tres", ("node1", 1201)), ("linear", ("node4", 600))])
def test_a_start_that_is_not_before_an_instant(select, expected):
    """cons_tres chooses among what is free by then, linear among what is free first."""
    world, _ = busy(20, 40, 40, 10, select=select, params="")

    assert will_run(world, world.job(exclusive="NODE"), start=NOW + 1201) == expected


def test_a_start_that_waits_for_what_ends_later():
    world, _ = busy(10, 20, 30, 40)

    assert will_run(world, world.job(min_nodes=3), start=NOW + 900) == ("node[1-3]", 1800)


def test_jobs_that_may_be_preempted_keep_nobody_waiting():
    world, jobs = busy(10, 20, 30, 40)
    job = world.job(min_nodes=2, exclusive="NODE")

    found = world.try_mode(job, Mode.WILL_RUN, preemptee_candidates=jobs[2:])
    assert (found.start_time, world.cluster.hostlist_of(found.bitmap)) == (NOW, "node[3-4]")
    assert found.preempted == jobs[2:]
    found = world.try_mode(world.job(min_nodes=3), Mode.WILL_RUN, preemptee_candidates=jobs[2:])
    assert (found.start_time - NOW, found.preempted) == (600, jobs[2:])


def test_only_jobs_on_candidate_nodes_are_waited_for():
    world, _ = busy(10, 20, 30, 40)

    assert will_run(world, world.job(num_tasks=1), nodes="node[3-4]") == ("node3", 1800)


def test_a_job_over_its_limit_may_end_any_moment():
    world, _ = busy(10, 10, 10, 10)
    world.cluster.now += 3600

    assert will_run(world, world.job(num_tasks=1)) == ("node1", 3601)


def test_a_job_without_limit_ends_in_a_year():
    world, jobs = busy(10, 10, 10, 10)
    for job in jobs:
        job.end_time = 0
        world.plugin.nodeinfo_set(job)

    assert will_run(world, world.job(num_tasks=1)) == ("node1", 365 * 86400)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "request_",
    [
        {"num_tasks": 17},
        {"min_nodes": 5},
        {"num_tasks": 5, "max_nodes": 1},
        {"mem_per_node": 1001},
        {"gres": "gpu:1"},
        {"cpus_per_task": 5},
        {"min_cpus_per_node": 5},
        {"min_tmp_disk": 1},
        {"sockets_per_node": 5},
        {"threads_per_core": 2},
        {"ntasks_per_node": 5},
    ],
    ids=str,
)
def test_what_can_never_run(request_, mode):
    world = World()
    job = world.job(**request_)

    with pytest.raises(Never):
        world.try_mode(job, mode)


def test_required_nodes_must_be_candidates():
    world = World()
    job = world.job(nodelist="node1")
    question = world.query(job, "node[2-4]")

    with pytest.raises(Never):
        world.plugin.job_test(question, Mode.RUN_NOW)


def test_a_suspended_job_keeps_its_memory():
    world, jobs = busy(10, 10, 10, 10)
    world.plugin.job_suspend(jobs[1])

    assert will_run(world, world.job(mem_per_node=600)) == ("node2", 0)
    assert will_run(world, world.job(mem_per_node=601)) == ("node1", 600)


# cores held for reservations


def test_cpus_held_for_reservations_are_out_of_reach():
    world = World()
    job = world.job(num_tasks=3)

    assert world.where(job, exc_cores={0: 2}) == "node2"
    assert world.where(world.job(num_tasks=2), exc_cores={0: 2}) == "node1"
    with pytest.raises(Never):
        world.try_mode(world.job(num_tasks=16), Mode.RUN_NOW, exc_cores={0: 1})
    assert world.where(world.job(num_tasks=16)) == "node[1-4]"


# preemption


def preempted(world, job, candidates):
    found = world.try_mode(job, Mode.RUN_NOW, preemptee_candidates=candidates)
    return world.cluster.hostlist_of(found.bitmap), [j.job_id for j in found.preempted]


def test_nobody_is_preempted_if_there_is_room():
    world, jobs = busy(10, 10, 10)

    assert preempted(world, world.job(num_tasks=1), jobs) == ("node4", [])


def test_the_first_candidates_go():
    world, jobs = busy(10, 10, 10, 10)

    assert preempted(world, world.job(num_tasks=1), jobs[::-1]) == ("node4", [4])
    assert preempted(world, world.job(min_nodes=2), jobs) == ("node[1-2]", [1, 2])


def test_those_that_need_not_go_stay():
    world, jobs = busy(10, 10, 10, 10)
    wanted = world.job(nodelist="node3")

    assert preempted(world, wanted, jobs) == ("node3", [3])


def test_candidates_that_do_not_help():
    world, jobs = busy(10, 10, 10, 10)
    stranger = world.job()

    with pytest.raises(NotNow):
        world.try_mode(world.job(min_nodes=2), Mode.RUN_NOW, preemptee_candidates=[stranger, jobs[0]])


def test_preemption_changes_nothing_by_itself():
    world, jobs = busy(10, 10, 10, 10)
    before = world.free()
    preempted(world, world.job(min_nodes=3), jobs)

    assert world.free() == before

"""When passes happen at Slurm's pace. Times are seconds since the cluster was made, which counts as a pass."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import cancel, transitions
from slimsched.controller.schedule import event_loop, hold, rhythm
from slimsched.controller.schedule.event_loop import next_instant

FAR = 100_000


@pytest.fixture
def passes(monkeypatch):
    """The passes that come: kind, instant, and whether the whole queue is tried."""
    found, real = [], rhythm.main_pass.run_once

    def noted(ctl, *, main=True, backfill=True, whole=False):
        kind = "main" if main else "backfill"
        found.append((kind + " of all" * whole, ctl.cluster.now - world.START))
        return real(ctl, main=main, backfill=backfill, whole=whole)

    monkeypatch.setattr(rhythm.main_pass, "run_once", noted)
    return found


def paced(nodes=4, params="bf_interval=5", **slurm):
    ctl = world.uniform(nodes, params, **slurm)
    ctl.cluster.config.pace = "slurm"
    return ctl


def started(ctl, *jobs):
    return [(world.at(job), job.scheduler) for job in jobs]


def test_no_batch_job_is_tried_at_its_submission(passes):
    ctl = paced()
    job = world.submit(ctl)

    assert (world.shown(job), passes) == (["PENDING None"], [])
    world.later(ctl, 1)
    assert (world.shown(job), passes) == (["RUNNING n1"], [("backfill", 0)])


def test_what_somebody_waits_for_is_tried_at_once():
    ctl = paced()
    here = world.submit(ctl, batch=False, min_nodes=3, exclusive="NODE")
    behind = world.submit(ctl, min_nodes=2, exclusive="NODE")
    fits_behind_one = world.submit(ctl, batch=False)

    assert world.shown(here, behind, fits_behind_one) == ["RUNNING n[1-3]", "PENDING None", "PENDING Priority"]


def test_a_main_pass_comes_a_second_later_but_three_after_the_last():
    ctl = paced(params="bf_interval=1000,sched_interval=1000")
    jobs = []
    for instant in (0, 5, 6, 7, 20):  # the first one meets the first cycle
        event_loop.advance(ctl, world.START + instant)
        jobs.append(world.submit(ctl))
    world.later(ctl, 10)

    assert started(ctl, *jobs) == [(0, "Backfill"), (6, "Main"), (9, "Main"), (9, "Main"), (21, "Main")]


def test_batch_sched_delay():
    ctl = paced(params="bf_interval=1000,sched_interval=1000,batch_sched_delay=10")
    jobs = []
    for instant in (0, 2, 14):
        event_loop.advance(ctl, world.START + instant)
        jobs.append(world.submit(ctl))
    world.later(ctl, 100)

    assert [world.at(job) for job in jobs] == [0, 10, 20]


def test_cycles_follow_each_other_while_jobs_wait_and_look_each_second_when_none_does(passes):
    ctl = paced(params="bf_interval=5,sched_interval=1000")
    world.submit(ctl, min_nodes=4, exclusive="NODE", sim_runtime=10)
    world.later(ctl, 100)  # after the end, at 10, a cycle comes: at 5.6, 6.6, ... one has looked
    world.submit(ctl, min_nodes=4, exclusive="NODE", sim_runtime=500)
    world.submit(ctl, min_nodes=4, exclusive="NODE", sim_runtime=500)
    world.later(ctl, 100)
    world.submit(ctl)
    world.later(ctl, 100)

    assert [instant for kind, instant in passes if kind == "backfill"] == [0, 5, 10, 100, 105, 200, 205]


def test_a_chain_of_backfilled_jobs_goes_on_from_cycle_to_cycle():
    ctl = paced(params="bf_interval=5")
    world.submit(ctl, min_nodes=3, exclusive="NODE", time_limit=5, sim_runtime=300)
    world.submit(ctl, min_nodes=4, exclusive="NODE", time_limit=5)
    chain = [world.submit(ctl, min_nodes=1, exclusive="NODE", time_limit=1, sim_runtime=6) for _ in range(4)]
    world.later(ctl, 200)

    assert started(ctl, *chain) == [(0, "Backfill"), (10, "Backfill"), (20, "Backfill"), (30, "Backfill")]


def test_a_backfilled_job_ends_after_the_cycle_of_its_last_second():
    ctl = paced(params="bf_interval=5")
    world.submit(ctl, min_nodes=3, exclusive="NODE", time_limit=5, sim_runtime=300)
    world.submit(ctl, min_nodes=4, exclusive="NODE", time_limit=5)
    chain = [world.submit(ctl, min_nodes=1, exclusive="NODE", time_limit=1, sim_runtime=5) for _ in range(3)]
    world.later(ctl, 5)

    assert world.shown(chain[0]) == ["RUNNING n4"]
    world.later(ctl, 100)
    assert started(ctl, *chain) == [(0, "Backfill"), (10, "Backfill"), (20, "Backfill")]


def test_the_nodes_of_a_job_that_is_killed_get_a_main_pass_at_once(passes):
    ctl = paced(1, "bf_interval=1000,sched_interval=1000")
    first = world.submit(ctl, sim_runtime=500, exclusive="NODE")
    world.later(ctl, 1)
    last = [world.submit(ctl, sim_runtime=500, exclusive="NODE") for _ in range(2)]
    world.later(ctl, 10)
    cancel.cancel_job(ctl, first)
    ctl.settle()

    assert world.shown(*last) == ["RUNNING n1", "PENDING Resources"]
    transitions.requeue_job(ctl, last[0])
    ctl.settle()
    assert world.shown(*last) == ["PENDING BeginTime", "RUNNING n1"]
    assert passes == [("backfill", 0), ("main", 3), ("main", 11), ("main", 11)]


def test_nobody_asks_for_a_pass_when_a_begin_time_comes(passes):
    ctl = paced(1, "sched_interval=20")
    job = world.submit(ctl, begin_time=world.START + 27)
    world.later(ctl, 100)

    assert started(ctl, job) == [(40, "Main")]
    assert passes == [("main of all", 40), ("backfill", 40), ("main of all", 60)]


def test_the_whole_queue_is_tried_every_sched_interval_if_the_passes_before_did_not_reach_its_end(passes):
    ctl = paced(2, "bf_interval=1000,sched_interval=60,default_queue_depth=2")
    world.submit(ctl, min_nodes=2, exclusive="NODE", partition="batch,debug")
    world.later(ctl, 10)
    for _ in range(3):
        world.submit(ctl, min_nodes=2, exclusive="NODE", partition="debug")
    last = world.submit(ctl, partition="batch", min_nodes=1, nodelist="n2", exclusive="NODE", time_limit=1)
    world.later(ctl, 1000)

    assert [one for one in passes if one[0] != "backfill"] == [("main", 3), ("main", 11), ("main of all", 60)]
    assert last.pending


def test_a_cycle_sees_what_is_submitted_in_its_second_and_a_main_pass_does_not():
    ctl = paced(params="bf_interval=5,sched_interval=1000")
    world.submit(ctl, sim_runtime=3)
    world.later(ctl, 5)
    job = world.submit(ctl)
    world.later(ctl, 1)

    assert started(ctl, job) == [(5, "Backfill")]


def test_a_release_asks_for_a_pass():
    ctl = paced()
    job = world.submit(ctl, hold=True)
    world.later(ctl, 50)
    assert world.shown(job) == ["PENDING JobHeldUser"]
    hold.release(ctl, [str(job.job_id)])
    ctl.settle()
    world.later(ctl, 2)

    assert (job.state, world.at(job)) == ("RUNNING", 50)  # by a cycle, since there was none for long


def test_time_costs_events_only(passes):
    ctl = paced(params="bf_interval=1")
    world.submit(ctl, min_nodes=4, exclusive="NODE", time_limit=120, sim_runtime=7000)
    world.submit(ctl, min_nodes=4, exclusive="NODE", time_limit=120)
    world.later(ctl, FAR)

    assert len(passes) < 12


def test_steps_and_strides_give_the_same():
    told = []
    for stride in (3600, 7, 1):
        ctl = paced()
        for nodes, minutes in ((3, 30), (4, 30), (2, 11), (1, 29), (4, 1), (1, 90)):
            world.whole(ctl, nodes, minutes)
        for _ in range(3 * 3600 // stride):
            world.later(ctl, stride)
        told.append([(e["event"], e["job"], e["time"]) for e in ctl.cluster.events if e["event"] in {"start", "end"}])

    assert len(told[0]) == 12
    assert told[0] == told[1] == told[2]


def test_the_next_event_is_told_to_who_sleeps_until_then():
    ctl = paced(params="bf_interval=5,sched_interval=1000")
    assert next_instant(ctl) is None
    world.later(ctl, 20)
    world.submit(ctl, sim_runtime=None)
    assert next_instant(ctl) == world.START + 21
    world.later(ctl, 1)
    assert next_instant(ctl) is None or next_instant(ctl) > world.START + 21


def test_a_job_whose_nodes_are_down_is_told_so_at_its_submission():
    ctl = paced()
    world.put(ctl, "n1", "DOWN")
    here, there = world.submit(ctl, nodelist="n1"), world.submit(ctl, nodelist="n2")

    assert world.shown(here, there) == ["PENDING ReqNodeNotAvail, UnavailableNodes:n1", "PENDING None"]


def test_a_job_that_was_suspended_for_another_goes_on_when_that_ends():
    ctl = paced(PreemptType="preempt/partition_prio", PreemptMode="SUSPEND,GANG")
    ctl.cluster.partitions["batch"].priority_tier = 10
    low = world.whole(ctl, nodelist="n4")
    world.later(ctl, 3)
    high = world.whole(ctl, 1, 1, partition="batch", nodelist="n4")
    world.later(ctl, 4)
    assert (low.state, high.state) == ("SUSPENDED", "RUNNING")

    event_loop.advance(ctl, high.start_time + 60)
    assert (low.state, high.state) == ("RUNNING", "COMPLETED")

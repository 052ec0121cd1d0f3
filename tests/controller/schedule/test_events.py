from __future__ import annotations

import pytest
import world

from slimsched.controller.schedule import event_loop
from slimsched.errors import UserError
from slimsched.model.reservation import Reservation

ENDLESS = 0xFFFFFFFF


def instants(ctl, *kinds):
    return [(e["event"], e["job"], e["time"] - world.START) for e in ctl.cluster.events if e["event"] in kinds]


def test_what_falls_due_happens_at_its_own_instant():
    ctl = world.uniform()
    world.whole(ctl, 4, 10)
    world.whole(ctl, 4, 5)
    world.whole(ctl, 4, 1)
    event_loop.advance(ctl, world.START + 3600)

    assert instants(ctl, "start", "end") == [
        ("start", 1, 0), ("end", 1, 600), ("start", 2, 600), ("end", 2, 900), ("start", 3, 900), ("end", 3, 960),
    ]  # fmt: skip
    assert ctl.cluster.now == world.START + 3600


def test_steps_and_strides_give_the_same():
    told = []
    for stride in (3600, 7):
        ctl = world.uniform()
        for nodes, minutes in ((3, 30), (4, 30), (2, 11), (1, 29), (4, 1), (1, 90)):
            world.whole(ctl, nodes, minutes)
        for _ in range(2 * 3600 // stride + 1):
            world.later(ctl, stride)
        told.append([e for e in instants(ctl, "start", "end") if e[2] <= 7000])

    assert told[0] == told[1]


def test_ends_come_before_the_pass_and_submissions_of_the_same_instant():
    """Tie rule ``batch`` (oracle/easy, litmus E)."""
    ctl = world.uniform()
    world.whole(ctl, 2, 10)
    world.whole(ctl, 2, 10)
    event_loop.advance(ctl, world.START + 600, settle=False)
    late = world.whole(ctl, 4, 5)

    assert instants(ctl, "end") == [("end", 1, 600), ("end", 2, 600)]
    assert (world.shown(late), world.at(late)) == (["RUNNING n[1-4]"], 600)


def test_begin_times_and_dependencies():
    ctl = world.uniform()
    later = world.submit(ctl, begin_time=world.START + 100, sim_runtime=50)
    chained = world.submit(ctl, dependency="afterok:1", sim_runtime=10)
    delayed = world.submit(ctl, dependency="after:1+5", sim_runtime=10)
    never = world.submit(ctl, dependency="afternotok:1", kill_on_invalid_dep=True)
    world.later(ctl, 1000)

    assert [world.at(job) for job in (later, chained, delayed)] == [100, 150, 400]
    assert (never.state, never.reason, never.end_time - world.START) == ("CANCELLED", "DependencyNeverSatisfied", 150)


def test_deadlines():
    ctl = world.uniform(MinJobAge="0")
    world.whole(ctl, 4, 60)
    hopeless = world.whole(ctl, 4, 30, deadline=world.START + 45 * 60)
    flexible = world.whole(ctl, 4, 30, deadline=world.START + 70 * 60, time_min=5)
    world.later(ctl, 2 * 3600)

    assert (hopeless.state, hopeless.reason, hopeless.end_time - world.START) == ("DEADLINE", "DeadLine", 901)
    assert (flexible.state, world.at(flexible), flexible.end_time - world.START) == ("DEADLINE", 3600, 4200)


def test_a_node_comes_back_and_a_reservation_moves_on():
    ctl = world.uniform()
    node = ctl.cluster.nodes[0]
    world.put(ctl, "n1", "IDLE", "DRAIN")
    node.change(resume_after=world.START + 60)
    daily = Reservation(name="d", start_time=world.START + 100, end_time=world.START + 200, nodes="n2", flags=["DAILY"])
    ctl.cluster.reservations["d"] = daily
    job = world.submit(ctl, nodelist="n1")
    world.later(ctl, 300)

    assert (node.up, world.at(job)) == (True, 60)
    assert (daily.start_time - world.START, daily.end_time - world.START) == (86500, 86600)


def test_backfill_waits_for_its_interval():
    ctl = world.uniform(params="bf_interval=300")
    for seconds in (10, 20, 700):
        world.submit(ctl, sim_runtime=seconds)
    world.whole(ctl, 4, 30)
    world.later(ctl, 1)
    cycles = []

    def watch(now):
        cycles.append((now - world.START, ctl.cluster.last_backfill - world.START))
        return True

    event_loop.advance(ctl, world.START + 1000, watch=watch)

    assert cycles == [(10, 0), (20, 0), (300, 300), (700, 700)]


def test_until_idle():
    ctl = world.uniform(MinJobAge="0")
    world.whole(ctl, 4, 10)
    world.whole(ctl, 4, 10)
    for more in ({"hold": True}, {"extra": "a=1"}, {"extra": "a=1", "nodelist": "n1"}):
        world.submit(ctl, **more)
    ctl.cluster.reservations["d"] = Reservation(
        name="d", start_time=world.START + 100, end_time=world.START + 200, nodes="n2", flags=["DAILY"]
    )

    assert event_loop.advance_until_idle(ctl)
    assert [job.state for job in ctl.cluster.jobs.values()] == ["COMPLETED"] * 2 + ["PENDING"] * 3


def test_a_job_without_end_is_named():
    ctl = world.uniform()
    ctl.cluster.partitions["batch"].max_time = None
    world.submit(ctl, sim_runtime=60)
    world.submit(ctl, sim_runtime=None, time_limit=ENDLESS, partition="batch")

    with pytest.raises(UserError, match="job 2 runs forever: it has neither a run time nor a time limit"):
        event_loop.advance_until_idle(ctl)
    assert ctl.cluster.now == world.START + 60


def test_until_something_has_happened():
    ctl = world.uniform()
    job = world.submit(ctl, sim_runtime=100)
    world.submit(ctl, sim_runtime=5)

    assert event_loop.advance_until(ctl, lambda: job.finished)
    assert ctl.cluster.now == world.START + 100
    assert not event_loop.advance_until(ctl, lambda: False, world.START + 500)
    assert ctl.cluster.now == world.START + 500


def test_a_watcher_stops_between_two_instants():
    ctl = world.uniform()
    jobs = [world.submit(ctl, sim_runtime=seconds) for seconds in (10, 20, 30)]

    assert not event_loop.advance(ctl, world.START + 100, watch=lambda now: now < world.START + 20)
    assert [job.finished for job in jobs] == [True, True, False]
    assert ctl.cluster.now == world.START + 20

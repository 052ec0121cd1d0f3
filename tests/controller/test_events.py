from __future__ import annotations

import engine
import pytest

from slimsched.controller import events
from slimsched.errors import UserError
from slimsched.model.reservation import Reservation

ENDLESS = 0xFFFFFFFF


def instants(ctl, *kinds):
    return [(e["event"], e["job"], e["time"] - engine.START) for e in ctl.cluster.events if e["event"] in kinds]


def test_what_falls_due_happens_at_its_own_instant():
    ctl = engine.controller()
    engine.whole(ctl, 4, 10)
    engine.whole(ctl, 4, 5)
    engine.whole(ctl, 4, 1)
    events.advance(ctl, engine.START + 3600)

    assert instants(ctl, "start", "end") == [
        ("start", 1, 0), ("end", 1, 600), ("start", 2, 600), ("end", 2, 900), ("start", 3, 900), ("end", 3, 960),
    ]  # fmt: skip
    assert ctl.cluster.now == engine.START + 3600


def test_steps_and_strides_give_the_same():
    told = []
    for stride in (3600, 7):
        ctl = engine.controller()
        for nodes, minutes in ((3, 30), (4, 30), (2, 11), (1, 29), (4, 1), (1, 90)):
            engine.whole(ctl, nodes, minutes)
        for _ in range(2 * 3600 // stride + 1):
            engine.after(ctl, stride)
        told.append([e for e in instants(ctl, "start", "end") if e[2] <= 7000])

    assert told[0] == told[1]


def test_ends_come_before_the_pass_and_submissions_of_the_same_instant():
    """Tie rule ``batch`` (oracle/easy, litmus E)."""
    ctl = engine.controller()
    engine.whole(ctl, 2, 10)
    engine.whole(ctl, 2, 10)
    events.advance(ctl, engine.START + 600, settle=False)
    late = engine.whole(ctl, 4, 5)

    assert instants(ctl, "end") == [("end", 1, 600), ("end", 2, 600)]
    assert (engine.shown(late), engine.at(late)) == (["RUNNING n[1-4]"], 600)


def test_begin_times_and_dependencies():
    ctl = engine.controller()
    later = engine.submit(ctl, begin_time=engine.START + 100, sim_runtime=50)
    chained = engine.submit(ctl, dependency="afterok:1", sim_runtime=10)
    delayed = engine.submit(ctl, dependency="after:1+5", sim_runtime=10)
    never = engine.submit(ctl, dependency="afternotok:1", kill_on_invalid_dep=True)
    engine.after(ctl, 1000)

    assert [engine.at(job) for job in (later, chained, delayed)] == [100, 150, 400]
    assert (never.state, never.reason, never.end_time - engine.START) == ("CANCELLED", "DependencyNeverSatisfied", 150)


def test_deadlines():
    ctl = engine.controller(MinJobAge="0")
    engine.whole(ctl, 4, 60)
    hopeless = engine.whole(ctl, 4, 30, deadline=engine.START + 45 * 60)
    flexible = engine.whole(ctl, 4, 30, deadline=engine.START + 70 * 60, time_min=5)
    engine.after(ctl, 2 * 3600)

    assert (hopeless.state, hopeless.reason, hopeless.end_time - engine.START) == ("DEADLINE", "DeadLine", 901)
    assert (flexible.state, engine.at(flexible), flexible.end_time - engine.START) == ("DEADLINE", 3600, 4200)


def test_a_node_comes_back_and_a_reservation_moves_on():
    ctl = engine.controller()
    node = ctl.cluster.nodes[0]
    engine.put(ctl, "n1", "IDLE", "DRAIN")
    node.change(resume_after=engine.START + 60)
    daily = Reservation(
        name="d", start_time=engine.START + 100, end_time=engine.START + 200, nodes="n2", flags=["DAILY"]
    )
    ctl.cluster.reservations["d"] = daily
    job = engine.submit(ctl, nodelist="n1")
    engine.after(ctl, 300)

    assert (node.up, engine.at(job)) == (True, 60)
    assert (daily.start_time - engine.START, daily.end_time - engine.START) == (86500, 86600)


def test_backfill_waits_for_its_interval():
    ctl = engine.controller(params="bf_interval=300")
    for seconds in (10, 20, 700):
        engine.submit(ctl, sim_runtime=seconds)
    engine.whole(ctl, 4, 30)
    engine.after(ctl, 1)
    cycles = []

    def watch(now):
        cycles.append((now - engine.START, ctl.cluster.last_backfill - engine.START))
        return True

    events.advance(ctl, engine.START + 1000, watch=watch)

    assert cycles == [(10, 0), (20, 0), (300, 300), (700, 700)]


def test_until_idle():
    ctl = engine.controller(MinJobAge="0")
    engine.whole(ctl, 4, 10)
    engine.whole(ctl, 4, 10)
    for more in ({"hold": True}, {"extra": "a=1"}, {"extra": "a=1", "nodelist": "n1"}):
        engine.submit(ctl, **more)
    ctl.cluster.reservations["d"] = Reservation(
        name="d", start_time=engine.START + 100, end_time=engine.START + 200, nodes="n2", flags=["DAILY"]
    )

    assert events.advance_until_idle(ctl)
    assert [job.state for job in ctl.cluster.jobs.values()] == ["COMPLETED"] * 2 + ["PENDING"] * 3


def test_a_job_without_end_is_named():
    ctl = engine.controller()
    ctl.cluster.partitions["batch"].max_time = None
    engine.submit(ctl, sim_runtime=60)
    engine.submit(ctl, sim_runtime=None, time_limit=ENDLESS, partition="batch")

    with pytest.raises(UserError, match="job 2 runs for ever: it has neither an end of its own nor a time limit"):
        events.advance_until_idle(ctl)
    assert ctl.cluster.now == engine.START + 60


def test_until_something_has_happened():
    ctl = engine.controller()
    job = engine.submit(ctl, sim_runtime=100)
    engine.submit(ctl, sim_runtime=5)

    assert events.advance_until(ctl, lambda: job.finished)
    assert ctl.cluster.now == engine.START + 100
    assert not events.advance_until(ctl, lambda: False, engine.START + 500)
    assert ctl.cluster.now == engine.START + 500


def test_a_watcher_stops_between_two_instants():
    ctl = engine.controller()
    jobs = [engine.submit(ctl, sim_runtime=seconds) for seconds in (10, 20, 30)]

    assert not events.advance(ctl, engine.START + 100, watch=lambda now: now < engine.START + 20)
    assert [job.finished for job in jobs] == [True, True, False]
    assert ctl.cluster.now == engine.START + 20

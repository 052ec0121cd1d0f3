"""Expected starts are for those who look at them; the schedule is the same whether anybody looks or not."""

from __future__ import annotations

import random

import msgspec
import pytest
import world
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import CONFIGURATIONS, STEPS, Play, config

from slimsched.controller.schedule import event_loop
from slimsched.model.cluster import Cluster

NODES = 40


def replay(seed: int, params: str, slurm: dict[str, str], *, forecasting: bool) -> list[tuple[object, ...]]:
    """Return job, start, nodes and scheduler of all that started in a busy replay, batch after batch."""
    rng = random.Random(seed)
    ctl = world.uniform(nodes=NODES, params=params, MinJobAge="60", **slurm)
    ctl.forecasting = forecasting
    now = ctl.cluster.now
    for _ in range(60):
        now += rng.choice((0, 7, 40, 300))
        event_loop.advance(ctl, now, settle=False)
        ctl.cluster.pass_due = True
        limit = rng.choice((5, 15, 60, 110))
        size = {"min_nodes": rng.choice((1, 2, 8, 20, 39))} if rng.random() < 0.7 else {"num_tasks": rng.randint(1, 98)}
        world.submit(ctl, time_limit=limit, sim_runtime=int(limit * 60 * rng.random()) + 1, **size)
    event_loop.advance_until_idle(ctl)
    found = [event for event in ctl.cluster.events if event["event"] == "start"]
    return [(event["job"], event["time"], event["nodes"], event["scheduler"]) for event in found]


@pytest.mark.parametrize("params", ["", "bf_interval=1", "bf_job_part_count_reserve=1", "bf_max_job_test=3"])
@pytest.mark.parametrize(
    "slurm",
    [{}, {"SelectType": "select/linear"}, {"SelectType": "select/linear", "SchedulerType": "sched/builtin"}],
    ids=["cons_tres", "linear", "builtin"],
)
def test_a_replay_without_forecasts_is_the_replay_with_them(params, slurm):
    looked, blind = (replay(0, params, slurm, forecasting=on) for on in (True, False))

    assert blind == looked


def played(name: str, steps: list[tuple]) -> bytes:
    play = Play(Cluster(config(name), world.START)).run(steps)
    return msgspec.json.encode([list(play.ctl.cluster.jobs.values()), play.ctl.cluster.events])


@pytest.mark.parametrize("name", CONFIGURATIONS)
@given(steps=STEPS)
@settings(max_examples=25, deadline=None)
def test_plans_that_a_later_cycle_replaces_need_not_be_made(name, steps):
    found = played(name, steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_loop, "_superseded", lambda ctl, due, until: False)
        assert played(name, steps) == found


JOBS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 40), st.integers(0, 900)), min_size=3, max_size=10)


@given(jobs=JOBS, gaps=st.lists(st.integers(1, 900), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_the_whole_records_are_those_of_cycles_that_plan_everything(jobs, gaps):
    def records() -> bytes:
        ctl = world.uniform(MinJobAge="0")
        for nodes, limit, pause in jobs:
            world.later(ctl, pause)
            world.whole(ctl, nodes, limit)
        for gap in gaps:
            world.later(ctl, gap)
        return msgspec.json.encode(list(ctl.cluster.jobs.values()))

    found = records()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_loop, "_superseded", lambda ctl, due, until: False)
        assert records() == found


def test_a_loop_that_is_stopped_leaves_no_job_without_its_plan():
    def planned(watch) -> list[tuple[int, str]]:
        ctl = world.uniform()
        for minutes in (10, 20, 30, 40):
            world.whole(ctl, 4, minutes)
        event_loop.advance(ctl, world.START + 3600, watch=watch)
        ctl.settle()
        return [(job.start_time - world.START, job.sched_nodes) for job in ctl.cluster.jobs.values() if job.pending]

    assert planned(lambda now: now < world.START + 600) == [(30 * 60, "n[1-4]"), (60 * 60, "n[1-4]")]

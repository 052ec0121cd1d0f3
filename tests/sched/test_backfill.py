"""Backfill, by the scenarios recorded from Slurm; starts in minutes, plans as (start, nodes)."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import cancel, selectors
from slimsched.model.request import INFINITE


def plan(job):
    return job.planned and (world.at(job) // 60, job.sched_nodes)


def test_a_job_that_delays_nobody_goes_ahead():
    """Scenario backfill_limits: SURPRISES D37."""
    ctl = world.uniform()
    world.whole(ctl, 3, 30)
    world.later(ctl, 3)
    head = world.whole(ctl, 4, 30)
    world.later(ctl, 2)
    c31, c30, c29 = (world.whole(ctl, 1, minutes) for minutes in (31, 30, 29))
    world.later(ctl, 40)

    assert world.shown(head, c31, c30, c29) == [
        "PENDING Resources", "PENDING Priority", "PENDING Priority", "RUNNING n4",
    ]  # fmt: skip
    assert (plan(head), plan(c31), plan(c30)) == ((30, "n[1-4]"), (60, "n1"), (60, "n2"))
    assert c29.scheduler == "Backfill"


def test_a_job_without_limit_that_backfill_starts_is_limited_to_a_year():
    ctl = world.uniform()
    ctl.cluster.partitions["debug"].max_time = ctl.cluster.partitions["debug"].default_time = None
    first = world.submit(ctl, exclusive="NODE", min_nodes=1, time_limit=None)
    world.whole(ctl, 2, 30)
    world.whole(ctl, 2, 30)
    behind = world.submit(ctl, exclusive="NODE", min_nodes=1, time_limit=None)
    world.later(ctl, 40)
    started = [first, behind]

    assert [job.scheduler for job in started] == ["Main", "Backfill"]
    assert [job.request.time_limit for job in started] == [INFINITE, 365 * 24 * 60]


def test_every_waiting_job_holds_a_promise():
    """Scenario backfill_future_reservations."""
    ctl = world.uniform()
    world.whole(ctl, 3, 30)
    world.later(ctl, 3)
    jobs = [world.whole(ctl, n, minutes) for n, minutes in ((4, 30), (2, 60), (4, 20), (1, 5), (1, 90))]
    world.later(ctl, 40)

    assert [plan(job) for job in jobs] == [(30, "n[1-4]"), (60, "n[1-2]"), (120, "n[1-4]"), False, (140, "n1")]
    assert world.shown(jobs[3]) == ["RUNNING n4"]


def test_a_constrained_job_holds_idle_nodes_that_do_not_match():
    """Scenario extra_match_busy: SURPRISES C20."""
    ctl = world.uniform()
    world.tag(ctl, "n1", '{"a": 1}')
    world.submit(ctl, nodelist="n1", min_nodes=1, exclusive="NODE", time_limit=20)
    wants = world.submit(ctl, extra="a=1")
    others = [world.whole(ctl) for _ in range(4)]
    world.later(ctl, 40)

    assert world.shown(wants, *others) == [
        "PENDING Resources", "RUNNING n3", "RUNNING n4", "PENDING Priority", "PENDING Priority",
    ]  # fmt: skip
    assert wants.sched_nodes == "n2"
    assert wants.start_time == ctl.cluster.last_backfill


def test_our_own_parameter_plans_on_nodes_that_match():
    ctl = world.uniform(params="bf_extra_constraints")
    world.tag(ctl, "n1", '{"a": 1}')
    world.submit(ctl, nodelist="n1", min_nodes=1, exclusive="NODE", time_limit=20)
    wants = world.submit(ctl, extra="a=1")
    others = [world.whole(ctl) for _ in range(4)]
    world.later(ctl, 40)

    assert plan(wants) == (20, "n1")
    assert world.shown(*others)[:3] == ["RUNNING n2", "RUNNING n3", "RUNNING n4"]


def test_a_job_that_no_node_matches_holds_nothing():
    ctl = world.uniform()
    wants = world.submit(ctl, extra="a=1")
    other = world.whole(ctl, 4)
    world.later(ctl, 40)

    assert world.shown(wants, other) == ["PENDING Constraints", "RUNNING n[1-4]"]


def test_time_min_shrinks_the_limit():
    """Scenario time_min_backfill: 29 minutes are left before the head job's promise."""
    ctl = world.uniform()
    world.whole(ctl, 3, 30)
    world.later(ctl, 3)
    world.whole(ctl, 4, 30)
    flexible = world.whole(ctl, 1, 60, time_min=10)
    world.later(ctl, 1)

    assert world.shown(flexible) == ["RUNNING n4"]
    assert flexible.request.time_limit == 29
    assert flexible.end_time == flexible.start_time + 29 * 60


@pytest.mark.parametrize(
    ("params", "running"),
    [
        ("", 3),
        ("bf_max_job_test=2", 1),
        ("bf_max_job_user=2", 1),
        ("bf_max_job_part=3", 2),
        ("bf_max_job_user_part=3", 2),
        ("bf_max_job_start=1", 1),
    ],
)
def test_how_deep_a_cycle_looks(params, running):
    """One node is taken; the head wants all; three short jobs would fit."""
    ctl = world.uniform(params=f"defer,{params}")
    blocker = world.whole(ctl, 1, 100)
    ctl.cluster.pass_due = True
    ctl.settle()
    head = world.whole(ctl, 4, 30)
    short = [world.whole(ctl, 1, 10) for _ in range(3)]
    ctl.cluster.pass_due = True
    ctl.settle()

    assert blocker.active
    assert head.pending
    assert sum(job.active for job in short) == running


def test_only_the_first_job_holds_a_promise_under_easy():
    """The second waiting job has no promise, so a long narrow job may go ahead of it (oracle/easy, litmus G)."""
    litmus = ((6, 50), (8, 25), (9, 5), (2, 100))
    starts = {}
    for params in ("bf_exact", "bf_exact,bf_job_part_count_reserve=1"):
        ctl = world.uniform(nodes=10, params=params, MinJobAge="0")
        jobs = [world.whole(ctl, nodes, minutes) for nodes, minutes in litmus]
        world.later(ctl, 3600 * 10)
        starts[params] = [world.at(job) // 60 for job in jobs]

    assert starts == {"bf_exact": [0, 50, 75, 80], "bf_exact,bf_job_part_count_reserve=1": [0, 50, 100, 0]}


def test_beyond_bf_window_a_job_has_a_start_but_no_nodes():
    ctl = world.uniform(params="bf_window=60")
    world.whole(ctl, 4, 100)
    job, next_one = world.whole(ctl, 1, 10), world.whole(ctl, 4, 10)
    world.later(ctl, 30)

    assert [(plan(j), world.at(j) // 60) for j in (job, next_one)] == [(False, 100), (False, 100)]


def test_a_higher_job_starts_when_the_blocking_one_is_gone():
    ctl = world.uniform()
    world.whole(ctl, 3, 30)
    head, low = world.whole(ctl, 4, 30), world.whole(ctl, 1, 60)
    cancel.cancel(ctl, selectors.parse(str(head.job_id)))
    ctl.settle()

    assert world.shown(low) == ["RUNNING n4"]


def test_errors_are_described_by_the_plugin():
    plugin = world.uniform().sched

    assert (plugin.get_errno(), plugin.strerror(9000), plugin.initial_priority(10)) == (0, None, 9)

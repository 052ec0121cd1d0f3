from __future__ import annotations

import pytest
import world

from slimsched.errors import PluginError
from slimsched.sched import registry


def fifo(**slurm):
    return world.uniform(SchedulerType="sched/builtin", SelectType="select/linear", **slurm)


def test_nobody_overtakes_and_starts_are_estimated_one_after_the_other():
    """Scenario backfill_limits, linear+builtin."""
    ctl = fifo()
    world.whole(ctl, 3, 30)
    jobs = [world.whole(ctl, nodes, minutes) for nodes, minutes in ((4, 30), (1, 31), (1, 30), (1, 29))]
    world.later(ctl, 1)

    assert world.shown(*jobs) == ["PENDING Resources"] + ["PENDING Priority"] * 3
    assert [world.at(job) // 60 for job in jobs] == [30, 60, 91, 121]


def test_a_constrained_job_holds_nobody_up():
    ctl = fifo()
    first, second = world.submit(ctl, extra="a=1"), world.submit(ctl)

    assert world.shown(first, second) == ["PENDING Constraints", "RUNNING n1"]


def test_partitions_are_separate_but_share_nodes():
    """Scenario blocked_head_other_partition."""
    ctl = fifo()
    world.submit(ctl, nodelist="n[1-2]", min_nodes=2, exclusive="NODE", time_limit=60)
    head = world.whole(ctl, 4, 60)
    other, next_one = (world.whole(ctl, 1, minutes, partition="batch") for minutes in (90, 30))
    world.later(ctl, 1)

    too_few = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
    assert world.shown(head, other, next_one) == ["PENDING Resources", f"PENDING {too_few}", "PENDING Priority"]


def test_unknown_plugins_are_named():
    ctl = world.uniform(SchedulerType="sched/nosuch")
    with pytest.raises(PluginError, match="sched/nosuch"):
        registry.find(ctl.cluster.config.get("SchedulerType"))

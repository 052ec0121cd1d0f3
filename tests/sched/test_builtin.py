from __future__ import annotations

import engine
import pytest

from slimsched.errors import PluginError
from slimsched.sched import registry


def fifo(**slurm):
    return engine.controller(SchedulerType="sched/builtin", SelectType="select/linear", **slurm)


def test_nobody_overtakes_and_starts_are_estimated_one_after_the_other():
    """Scenario backfill_limits, linear+builtin."""
    ctl = fifo()
    engine.whole(ctl, 3, 30)
    jobs = [engine.whole(ctl, nodes, minutes) for nodes, minutes in ((4, 30), (1, 31), (1, 30), (1, 29))]
    engine.after(ctl, 1)

    assert engine.shown(*jobs) == ["PENDING Resources"] + ["PENDING Priority"] * 3
    assert [engine.at(job) // 60 for job in jobs] == [30, 60, 91, 121]


def test_a_constrained_job_holds_nobody_up():
    ctl = fifo()
    first, second = engine.submit(ctl, extra="a=1"), engine.submit(ctl)

    assert engine.shown(first, second) == ["PENDING Constraints", "RUNNING n1"]


def test_partitions_are_separate_but_share_nodes():
    """Scenario blocked_head_other_partition."""
    ctl = fifo()
    engine.submit(ctl, nodelist="n[1-2]", min_nodes=2, exclusive="NODE", time_limit=60)
    head = engine.whole(ctl, 4, 60)
    other, next_one = (engine.whole(ctl, 1, minutes, partition="batch") for minutes in (90, 30))
    engine.after(ctl, 1)

    too_few = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
    assert engine.shown(head, other, next_one) == ["PENDING Resources", f"PENDING {too_few}", "PENDING Priority"]


def test_unknown_plugins_are_named():
    ctl = engine.controller(SchedulerType="sched/nosuch")
    with pytest.raises(PluginError, match="sched/nosuch"):
        registry.find(ctl.cluster.config.get("SchedulerType"))

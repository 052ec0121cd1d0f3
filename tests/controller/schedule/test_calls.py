"""How much work a job makes, in Python calls: a busy machine does not change them. Lower the bounds if it gets less."""

from __future__ import annotations

import random
import sys

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.model.cluster import Cluster
from slimsched.model.config import NodeConf
from slimsched.model.request import JobRequest

JOBS = 120
DEEP = "bf_exact,bf_interval=1,bf_window=10000000,bf_max_job_test=1000000,default_queue_depth=1000000"


def calls(scheduler: str, params: str, jobs: int = JOBS) -> float:
    """Return the calls of Python functions for each job of a busy replay on 100 nodes of one CPU."""
    keys = {"SelectType": "select/linear", "SelectTypeParameters": "", "MinJobAge": "60"}
    config = world.config(
        [NodeConf(node_name="n[001-100]", cpus=1)],
        {"all": {"default": True}},
        **keys,
        SchedulerType=scheduler,
        SchedulerParameters=params,
    )
    ctl, rng = Controller(Cluster(config)), random.Random(3)
    ctl.forecasting = False
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        now = 0
        for _ in range(jobs):
            now += rng.choice((0, 60, 900, 3600))
            event_loop.advance(ctl, now, settle=False)
            ctl.cluster.pass_due = True
            limit, nodes = rng.choice((5, 30, 120, 600)), rng.choice((1, 1, 2, 4, 8, 16, 32, 64))
            seconds = int(limit * 60 * rng.random()) + 1
            fields = {"min_nodes": nodes, "max_nodes": nodes, "time_limit": limit, "sim_runtime": seconds}
            submit(ctl, JobRequest(partition="all", **fields), world.ME)
            ctl.settle()
            ctl.cluster.events.clear()
        event_loop.advance_until_idle(ctl)
    finally:
        sys.setprofile(before)
    return count / jobs


@pytest.mark.parametrize(
    ("scheduler", "params", "most"),
    [
        ("sched/backfill", "", 620),
        ("sched/backfill", f"{DEEP},bf_job_part_count_reserve=1", 495),
        ("sched/builtin", "", 405),
    ],
    ids=["defaults", "EASY", "FCFS"],
)
def test_a_job_makes_no_more_calls_than_before(scheduler, params, most):
    calls(scheduler, params, 40)  # imports all that it needs

    assert calls(scheduler, params) <= most

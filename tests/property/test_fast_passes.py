"""What passes keep and leave out decides nothing: passes that look at everything anew start the same jobs.

Whole records and all events are compared: starts, nodes, reasons and planned starts.
"""

from __future__ import annotations

import random

import msgspec
import pytest
import world
from hypothesis import given, settings
from scenarios import CONFIGURATIONS, STEPS, Play, config

from slimsched.controller.core import Controller
from slimsched.controller.life import cancel, selectors
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.model.cluster import Cluster
from slimsched.model.request import JobRequest
from slimsched.sched.outlook import Outlook
from slimsched.select.base import Booking
from slimsched.select.questions import Standing


def records(ctl: Controller) -> bytes:
    return msgspec.json.encode([list(ctl.cluster.jobs.values()), ctl.cluster.gone_jobs, ctl.cluster.events])


def played(name: str, steps: list[tuple], *, thorough: bool) -> bytes:
    play = Play(Cluster(config(name), world.START))
    play.ctl.thorough = thorough
    return records(play.run(steps).ctl)


@pytest.mark.parametrize("name", CONFIGURATIONS)
@given(steps=STEPS)
@settings(max_examples=25, deadline=None)
def test_scenarios(name, steps):
    assert played(name, steps, thorough=False) == played(name, steps, thorough=True)


EASY = "bf_exact,bf_interval=1,bf_window=100000,bf_max_job_test=1000,bf_job_part_count_reserve=1"
PARAMS = ["", "bf_interval=1", EASY, "bf_exact,bf_interval=1", "bf_window=60,bf_interval=1", "bf_max_job_test=4"]
SLURM = {
    "cons_tres": {"SelectTypeParameters": "CR_CPU_Memory"},
    "linear": {"SelectType": "select/linear"},
    "builtin": {"SelectType": "select/linear", "SchedulerType": "sched/builtin"},
    "multifactor": {"PriorityType": "priority/multifactor", "PriorityWeightJobSize": "1000"},
    "accounts": {
        "PriorityType": "priority/multifactor",
        **{"PriorityWeightJobSize": "1000", "PriorityWeightQOS": "5000", "PriorityWeightFairshare": "3000"},
    },
    "overtime": {"SelectType": "select/linear", "OverTimeLimit": "5"},
    "preemption": {"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "PreemptExemptTime": "3:00"},
}


ACCOUNTS = {
    "qos normal": {"ID": "1"},
    "qos high": {"ID": "2", "Priority": "10", "Flags": "NoReserve", "GrpTRES": "node=6"},
    "account lab": {"Description": "lab", "Organization": "lab"},
    "user me": {"DefaultAccount": "lab"},
    **{"assoc root": {"ID": "1", "QosLevel": "normal,high"}, "assoc lab": {"ID": "3", "ParentName": "root"}},
    "assoc lab me": {"ID": "4", "ParentName": "lab", "GrpJobs": "3"},
}
"""Accounts and QOS with limits, which the configuration enforces or does not."""


def replay(
    seed: int, params: str, slurm: dict[str, str], *, forecasts: bool, thorough: bool, accounts: bool = False
) -> bytes:
    """Replay a busy trace in batches, each followed by a pass; some jobs are cancelled on the way."""
    rng = random.Random(seed)
    ctl = world.uniform(nodes=12, params=params, MinJobAge="60", **slurm)
    ctl.forecasting, ctl.thorough = forecasts, thorough
    ctl.cluster.partitions["batch"].priority_tier = 5  # of no account but where there is preemption
    if accounts:
        ctl.cluster.accounting.update(ACCOUNTS)
    now = ctl.cluster.now
    for _ in range(40):
        now += rng.choice((0, 7, 60, 300, 900))
        event_loop.advance(ctl, now, settle=False)
        ctl.cluster.pass_due = True
        for _ in range(rng.choice((1, 1, 3))):
            limit, partition = rng.choice((5, 30, 60, 120)), rng.choice(("debug", "debug", "debug", "batch"))
            nodes, tasks = {"min_nodes": rng.choice((1, 1, 2, 4, 6))}, {"num_tasks": rng.randint(1, 20)}
            size = nodes if rng.random() < 0.6 else tasks
            fields = {"partition": partition, "time_limit": limit, "nice": rng.choice((0, 0, 0, 5)), **size}
            if accounts:
                fields["qos"] = rng.choice(("normal", "normal", "high"))
            submit(ctl, JobRequest(sim_runtime=int(limit * 80 * rng.random()) + 1, **fields), world.ME)
        ctl.settle()
        waiting = [job.job_id for job in ctl.cluster.jobs.values() if job.pending]
        if waiting and rng.random() < 0.1:
            cancel.cancel(ctl, selectors.parse(str(rng.choice(waiting))))
            ctl.settle()
    event_loop.advance_until_idle(ctl)
    return records(ctl)


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("slurm", SLURM.values(), ids=SLURM)
def test_replays(params, slurm):
    how = {"forecasts": params == "bf_interval=1", "accounts": slurm is SLURM["accounts"]}
    fast, slow = (replay(7, params, slurm, thorough=thorough, **how) for thorough in (False, True))

    assert fast == slow


@pytest.mark.parametrize("params", ["bf_interval=1", "bf_exact", EASY])
def test_what_surely_cannot_start_is_passed_over(params, monkeypatch):
    slurm = SLURM["cons_tres"]
    fast = replay(11, params, slurm, forecasts=True, thorough=False)
    monkeypatch.setattr(Booking, "may_suffice", lambda *_: True)

    assert fast == replay(11, params, slurm, forecasts=True, thorough=False)


@pytest.mark.parametrize("params", ["bf_interval=1", "bf_window_linear=60", "bf_resolution=600"])
@pytest.mark.parametrize("slurm", SLURM.values(), ids=SLURM)
def test_answers_that_stand_are_those_that_are_found_anew(params, slurm, monkeypatch):
    how = {"forecasts": True, "thorough": False, "accounts": slurm is SLURM["accounts"]}
    fast = replay(17, params, slurm, **how)
    monkeypatch.setattr(Standing, "look", lambda *_: (None, ()))

    assert fast == replay(17, params, slurm, **how)


@pytest.mark.parametrize("params", ["bf_interval=1", "bf_exact", EASY])
@pytest.mark.parametrize("slurm", SLURM.values(), ids=SLURM)
def test_a_cycle_without_an_outlook_starts_the_same(params, slurm, monkeypatch):
    how = {"forecasts": False, "thorough": False, "accounts": slurm is SLURM["accounts"]}
    fast = replay(13, params, slurm, **how)
    monkeypatch.setattr(Outlook, "lost", lambda *_: False)
    monkeypatch.setattr(Outlook, "_fits", lambda *_: True)
    monkeypatch.setattr(Outlook, "_look", lambda outlook: setattr(outlook, "_room", 1000))

    assert fast == replay(13, params, slurm, **how)
    assert (b'"event":"preempt"' in fast) == ("PreemptType" in slurm)


@pytest.mark.parametrize("params", ["bf_exact", "bf_interval=1", EASY])
@pytest.mark.parametrize("slurm", [{}, SLURM["accounts"], SLURM["preemption"]], ids=["basic", "fair", "preemption"])
def test_a_replay_under_limits(params, slurm):
    slurm = slurm | {"AccountingStorageEnforce": "limits"}
    fast, slow = (
        replay(7, params, slurm, forecasts=False, thorough=thorough, accounts=True) for thorough in (False, True)
    )

    assert fast == slow
    assert b"AssocGrpJobsLimit" in fast

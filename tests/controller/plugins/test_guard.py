"""A plugin of another package that goes wrong costs its job that pass, never the state."""

from __future__ import annotations

import pytest
import tracing
import world

from slimsched import outside


@pytest.fixture(autouse=True)
def _plugins(monkeypatch):
    tracing.install(monkeypatch)
    monkeypatch.setattr(outside, "MOST_SECONDS", 0.1)


def controller(select="tracing", sched="backfill"):
    return world.controller(SelectType=f"select/{select}", SchedulerType=f"sched/{sched}")


@pytest.mark.parametrize(
    ("select", "said"),
    [
        ("raising", "ZeroDivisionError: no"),
        ("looping", "Overrun: still running after 0.1 s of processor time"),
        ("outside", "nodes outside the candidates"),
        ("jealous", "preempts a job that it was not asked about"),
        ("painting", "the reason is not a line of printable text"),
    ],
)
def test_job_test(select, said):
    ctl = controller(select)
    first = world.job(ctl, num_tasks=1)
    bad = world.job(ctl, num_tasks=1, name="bad")
    last = world.job(ctl, num_tasks=1)

    assert (first.state, bad.state, last.state) == ("RUNNING", "PENDING", "RUNNING")
    assert bad.reason == "SystemFailure"
    faults = [event for event in ctl.cluster.events if event["event"] == "plugin-fault"]
    assert {event["fault"] for event in faults} == {said}
    assert ctl.cluster.statistics["plugin_faults"] == len(faults) > 0
    assert ctl.cluster.statistics[f"plugin_faults select/{select} job_test"] == len(faults)

    bad.request.name = "mended"
    world.later(ctl, 60)
    ctl.cluster.pass_due = True
    ctl.settle()
    assert bad.state == "RUNNING"


def test_books_are_built_anew():
    ctl = controller("torn")
    bad = world.job(ctl, num_tasks=4, nodelist="node1", name="bad")
    assert (bad.state, bad.nodes) == ("PENDING", "")
    good = world.job(ctl, num_tasks=4, nodelist="node1")
    assert good.state == "RUNNING"

    world.later(ctl, 300)
    assert good.state == "COMPLETED"
    assert world.job(ctl, num_tasks=4, nodelist="node1").state == "RUNNING"


def test_a_scheduler_may_start_jobs_of_the_queue_only():
    ctl = controller(sched="wild")
    running = world.job(ctl, num_tasks=1)
    held = world.job(ctl, num_tasks=1, hold=True)
    ctl.cluster.pass_due = True
    ctl.settle()

    assert (running.state, held.state) == ("RUNNING", "PENDING")
    assert ctl.cluster.statistics["plugin_faults sched/wild schedule"] >= 1


def test_a_scheduler_that_reports_an_error():
    ctl = controller(sched="mistaken")
    job = world.job(ctl, num_tasks=1)
    ctl.cluster.pass_due = True
    ctl.settle()

    assert job.state == "RUNNING"
    assert job.priority == 4294901759
    faults = {event["fault"] for event in ctl.cluster.events if event["event"] == "plugin-fault"}
    assert faults == {"error 9007: lost the queue", "returned -5"}

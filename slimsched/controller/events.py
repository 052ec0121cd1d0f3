"""The event loop: time moves from event to event, and a scheduling pass follows each instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import life, scheduling
from slimsched.controller.agenda import Agenda, Event, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller


def advance(ctl: Controller, until: int) -> None:
    """Move the clock to ``until``; whatever falls due on the way happens at its own instant."""
    cluster = ctl.cluster
    agenda = ctl.agenda = ctl.agenda or Agenda(ctl)
    ctl.settle()
    while (time := agenda.next_time()) is not None and time <= until:
        step(ctl)
    cluster.now = max(cluster.now, until)


def advance_until(ctl: Controller, done: Callable[[], bool], limit: int | None = None) -> bool:
    """Move the clock from event to event until ``done()``; False if nothing is left or ``limit`` is reached."""
    agenda = ctl.agenda = ctl.agenda or Agenda(ctl)
    ctl.settle()
    while not done():
        time = agenda.next_time()
        if time is None or (limit is not None and time > limit):
            if limit is not None:
                ctl.cluster.now = max(ctl.cluster.now, limit)
            return False
        step(ctl)
    return True


def step(ctl: Controller) -> None:
    """Handle all events of the next instant, then run the pass if it is due."""
    cluster, agenda = ctl.cluster, ctl.agenda
    assert agenda is not None
    time = agenda.next_time()
    assert time is not None
    cluster.now = max(cluster.now, time)
    while agenda.next_time() == time:
        _handle(ctl, agenda.pop())
    if cluster.pass_due:
        scheduling.run_pass(ctl)


def _handle(ctl: Controller, event: Event) -> None:
    """Let one event happen, if it still holds."""
    job = ctl.cluster.jobs.get(event.job_id)
    if event.kind is Kind.END and job is not None and job.active:
        outcome = ctl.executor.outcome(job)
        if outcome is not None and outcome.time == event.time:
            life.end_job(ctl, job, outcome.state, outcome.exit_code, outcome.signal)
    elif event.kind is Kind.BEGIN:
        ctl.cluster.pass_due = True

"""Handlers of the events in the queue, each checked against the records before it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.life import transitions
from slimsched.controller.requests import time_limits
from slimsched.controller.schedule.event_queue import Event, EventKind
from slimsched.model.record import replaced
from slimsched.slurm import states
from slimsched.slurm.states import DRAIN, IDLE

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.executor.api import Outcome
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation


def _end(ctl: Controller, event: Event) -> None:
    job = ctl.cluster.jobs.get(event.job_id)
    if job is None or not (job.state == states.RUNNING or job.ending):
        return
    if job.clears:
        from slimsched.controller.life import slowness

        outcome: Outcome | None = slowness.outcome(job)
    else:
        outcome = ctl.executor.outcome(job)
    if outcome is None or outcome.time > ctl.cluster.now:
        return
    step_calls.look(ctl, job)
    if outcome.state == states.TIMEOUT and 0 < job.request.deadline <= ctl.cluster.now:
        outcome = replaced(outcome, state=states.DEADLINE)
    if job.ending or not transitions.takes_time(ctl, job, outcome.state):
        transitions.end_run(ctl, job, outcome)


def _begin(ctl: Controller, event: Event) -> None:
    """Let a pass see that a job may start now; at Slurm's pace nobody asks for one."""
    job = ctl.cluster.jobs.get(event.job_id)
    if job is not None and job.pending:
        if ctl.paced:
            from slimsched.controller.schedule import rhythm

            rhythm.want_whole(ctl)
        else:
            ctl.cluster.pass_due = True


def _deadline(ctl: Controller, event: Event) -> None:
    """End a job that can no longer meet its deadline, or that still runs then."""
    job = ctl.cluster.jobs.get(event.job_id)
    if job is None or job.finished or not job.request.deadline:
        return
    if time_limits.last_chance(ctl, job) <= ctl.cluster.now:
        transitions.end_job(ctl, job, states.DEADLINE, signal=15 if job.active else 0)
    else:
        ctl.note(job)


def _node(ctl: Controller, event: Event) -> None:
    """Take a node down when it fails; return it to service when its ``ResumeAfter`` is over; switch it on or off."""
    cluster = ctl.cluster
    if not event.name:
        ctl.power.rest()
        return
    index = cluster.node_index.get(event.name)
    if index is None:
        return
    node = cluster.nodes[index]
    if 0 < node.fails_at <= cluster.now:
        from slimsched.controller.life import node_failure

        node_failure.fail(ctl, node)
    elif 0 < node.resume_after <= cluster.now:
        _resume(ctl, node)
    elif node.power_time or cluster.saves_power:
        ctl.power.look(node)


def _resume(ctl: Controller, node: Node) -> None:
    """Return a node to service."""
    cluster = ctl.cluster
    flags = [flag for flag in node.flags if flag != DRAIN]
    node.change(state=IDLE, flags=flags, reason="", reason_time=0, resume_after=0)
    cluster.touch_node(node)
    cluster.changed("state")
    cluster.pass_due = True
    cluster.record("node", node=node.name, state=IDLE, reason="ResumeAfter is over")


def _reservation(ctl: Controller, event: Event) -> None:
    """Begin a reservation, or end it with its jobs; a recurring one moves to its next time."""
    cluster = ctl.cluster
    cluster.pass_due = True
    resv = cluster.reservations.get(event.name)
    if resv is None or (resv.end_time > cluster.now and not _unused(ctl, resv)):
        if resv is not None and resv.start_time == cluster.now:
            cluster.record("reservation-start", reservation=resv.name, nodes=resv.nodes)
        return
    cluster.record("reservation-end", reservation=resv.name)
    if "FLEX" not in resv.flags:
        for job in [j for j in cluster.jobs.values() if j.active and j.resv_name == resv.name]:
            transitions.end_job(ctl, job, states.TIMEOUT, signal=15)
    if not _move_on(resv):
        from slimsched.controller.reservations import ends

        del cluster.reservations[resv.name]
        ends.forget(ctl, resv)
    elif ctl.agenda is not None:
        ctl.agenda.note_reservation(resv)
    cluster.dirty_reservations.add(resv.name)


def _unused(ctl: Controller, resv: Reservation) -> bool:
    """Whether a reservation has been without jobs for as long as ``PURGE_COMP`` allows."""
    if not resv.idle_since:
        return False
    from slimsched.controller.reservations import ends

    ends.look(ctl)
    return 0 < resv.idle_since <= ctl.cluster.now - resv.purge_comp


def _move_on(resv: Reservation) -> bool:
    """Put a recurring reservation to its next time; false for one that happens once."""
    from slimsched.controller.reservations import times

    by = times.distance(resv.flags, resv.start_time)
    resv.start_time, resv.end_time, resv.idle_since = resv.start_time + by, resv.end_time + by, 0
    return by > 0


def _ready(ctl: Controller, event: Event) -> None:
    job = ctl.cluster.jobs.get(event.job_id)
    if job is not None and job.active and states.CONFIGURING in job.flags:
        transitions.configure(ctl, job)


def _step(ctl: Controller, event: Event) -> None:
    job = ctl.cluster.jobs.get(event.job_id)
    if job is not None and job.active and states.CONFIGURING not in job.flags:
        step_calls.look(ctl, job)
        ctl.note(job)


def _slice(ctl: Controller, event: Event) -> None:
    from slimsched.controller.schedule import gang

    end = gang.next_slice(ctl.cluster)
    if end and end <= ctl.cluster.now:
        gang.take_turns(ctl, next_turn=True)


def _preempt(ctl: Controller, event: Event) -> None:
    job = ctl.cluster.jobs.get(event.job_id)
    if job is not None and job.active and 0 < job.preempt_time <= ctl.cluster.now:
        from slimsched.controller.schedule import preemption

        preemption.go(ctl, job)


def _usage(ctl: Controller, event: Event) -> None:
    from slimsched.controller.accounts import usage_limits

    usage_limits.look(ctl)


def _cycle(ctl: Controller, event: Event) -> None:
    ctl.cluster.pass_due = True


def _mail(ctl: Controller, event: Event) -> None:
    job = ctl.cluster.jobs.get(event.job_id)
    if job is not None and job.state == states.RUNNING:
        from slimsched.controller.life import mail

        mail.look(ctl, job)


def _trigger(ctl: Controller, event: Event) -> None:
    """Nothing of itself: triggers are looked at when all else of the instant has happened."""


HANDLERS = {
    EventKind.END: _end,
    EventKind.LATE_END: _end,
    EventKind.RESERVATION: _reservation,
    EventKind.NODE: _node,
    EventKind.DEADLINE: _deadline,
    EventKind.BEGIN: _begin,
    EventKind.CYCLE: _cycle,
    EventKind.PERIOD: _cycle,
    EventKind.READY: _ready,
    EventKind.SLICE: _slice,
    EventKind.PREEMPT: _preempt,
    EventKind.USAGE: _usage,
    EventKind.STEP: _step,
    EventKind.TRIGGER: _trigger,
    EventKind.MAIL: _mail,
}

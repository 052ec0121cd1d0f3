"""Slurm's rhythm: when passes happen at ``pace = "slurm"``, as slurmctld 26.11 was recorded to have them.

No batch job is tried when it is submitted. What may start a job asks for a main pass, which comes at the next whole
second, but ``batch_sched_delay`` after the last one at the earliest; one of the whole queue comes every
``sched_interval``. A backfill cycle follows the last one after ``bf_interval`` and a few milliseconds while jobs wait;
with none it looks each second after that for a change. The nodes of a job that was killed (cancelled, requeued,
preempted, at its limit) get a main pass of their own at once. Nobody asks for a pass when a begin time comes. Passes
that could find nothing new are left out, so that time costs events only; the others come when they would have come.

`Cluster.rhythm` holds the marks: instants in seconds since 1970, that of the last cycle in milliseconds.
Source: the recorded passes of the workloads W1 and W2; slurm.conf, SchedulerParameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.schedule import main_pass
from slimsched.controller.schedule.event_queue import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.slurm.reasons import Reason

ASKED = "asked"  # when the next main pass was asked for first
MAIN = "main"  # the last main pass
WHOLE = "whole"  # since when a pass of the whole queue may find something new
CHANGED = "changed"  # the last change that no cycle has seen
CYCLE = "cycle"  # the last cycle, in milliseconds
WAITING = "waiting"  # how many jobs waited after it

SECOND = 1000
LAG = 5
"""Milliseconds by which a cycle comes later than ``bf_interval`` after the one before."""

FIRST = 600
"""Milliseconds into its second at which the first cycle comes."""


def note(ctl: Controller) -> None:
    """Note that a pass is due: it was asked for at this instant. The nodes of a job that was killed get theirs now."""
    cluster = ctl.cluster
    while cluster.pass_due or ctl.killed:
        if cluster.pass_due:
            cluster.rhythm.setdefault(ASKED, cluster.now)
            cluster.rhythm[CHANGED] = cluster.now
            if ctl.roster.suspended:
                from slimsched.controller.schedule import preemption

                preemption.resume_suspended(ctl)  # slurmctld's gang does not wait for a pass
        cluster.pass_due = cluster.arrays_due = False
        if ctl.killed:
            ctl.killed = False
            _run_main(ctl)


def catch_up(ctl: Controller) -> None:
    """Note what asked for a pass before this command, or between it and the one before on the wall clock."""
    cluster = ctl.cluster
    seen = cluster.rhythm.get(MAIN, 0)
    if any(seen < job.request.begin_time <= cluster.now for job in ctl.roster.pending.values()):
        want_whole(ctl)
    cluster.pass_due |= any(seen < one.start_time <= cluster.now for one in cluster.reservations.values())
    note(ctl)


def want_whole(ctl: Controller, after: int = 0) -> None:
    """Note that the next pass of the whole queue may find something new, if it comes ``after`` seconds or later."""
    ctl.cluster.rhythm.setdefault(WHOLE, ctl.cluster.now + after)


def due(ctl: Controller) -> Iterator[Event]:
    """Yield the next main pass and the next cycle, if there will be one."""
    main = _next_main(ctl)
    if main is not None:
        yield Event(main, EventKind.MAIN)
    if CHANGED in ctl.cluster.rhythm:
        yield Event(_next_cycle(ctl) // SECOND, EventKind.BACKFILL)


def run(ctl: Controller, kind: EventKind) -> None:
    """Run the pass of this instant."""
    cluster = ctl.cluster
    marks = cluster.rhythm
    if kind is EventKind.MAIN:
        marks.pop(ASKED, None)
        marks[MAIN] = cluster.now
        _run_main(ctl, whole=_next_whole(ctl, cluster.now - 1) == cluster.now)
    else:
        marks[CYCLE] = max(_next_cycle(ctl), cluster.now * SECOND)
        marks.pop(CHANGED)
        before = cluster.statistics.get("jobs_started", 0)
        main_pass.run_once(ctl, main=False)
        _note_starts(ctl, before)
        marks[WAITING] = len(ctl.roster.pending) - len(ctl.roster.held)
    note(ctl)


def _run_main(ctl: Controller, *, whole: bool = False) -> None:
    cluster = ctl.cluster
    cluster.rhythm.pop(WHOLE, None)
    before = cluster.statistics.get("jobs_started", 0)
    waits = _reasons(ctl)
    if main_pass.run_once(ctl, backfill=False, whole=whole):
        want_whole(ctl, 1)
    if _reasons(ctl) != waits:
        cluster.rhythm[CHANGED] = cluster.now
    _note_starts(ctl, before)


def _reasons(ctl: Controller) -> dict[int, Reason]:
    """Return why each job waits; a change of it is one that the next cycle looks at."""
    return {job_id: job.reason for job_id, job in ctl.roster.pending.items()}


def _note_starts(ctl: Controller, before: int) -> None:
    """Note that jobs have started: the next pass of the whole queue tells the others what they wait for now."""
    if ctl.cluster.statistics.get("jobs_started", 0) != before:
        ctl.cluster.rhythm[CHANGED] = ctl.cluster.now
        want_whole(ctl, 1)


def _next_main(ctl: Controller) -> int | None:
    """Return when the next main pass comes that may find something new."""
    marks = ctl.cluster.rhythm
    asked, wanted = marks.get(ASKED), marks.get(WHOLE)
    if asked is None:
        return None if wanted is None else _next_whole(ctl, wanted - 1)
    whole = _next_whole(ctl, asked if wanted is None else min(asked, wanted - 1))
    last = max(marks.get(MAIN, 0), whole - _interval(ctl))
    return min(whole, max(asked + 1, last + ctl.cluster.config.parameters.number("batch_sched_delay")))


def _next_whole(ctl: Controller, after: int) -> int:
    """Return when the whole queue is tried next: every ``sched_interval`` since the cluster was made."""
    begun, interval = ctl.cluster.boot_time, _interval(ctl)
    return begun + ((after - begun) // interval + 1) * interval


def _interval(ctl: Controller) -> int:
    return max(1, ctl.cluster.config.parameters.number("sched_interval"))


def _next_cycle(ctl: Controller) -> int:
    """Return when the next cycle comes, in milliseconds, after a change that none has seen."""
    marks = ctl.cluster.rhythm
    changed = marks[CHANGED] * SECOND
    if CYCLE not in marks:
        return changed + FIRST
    step = max(1, main_pass.backfill_interval(ctl)) * SECOND + LAG
    at = marks[CYCLE] + step
    turn = step if marks[WAITING] else SECOND
    return at + max(0, (changed - at + turn - 1) // turn) * turn

"""Slurm's rhythm: when passes happen at ``pace = "slurm"``, as slurmctld 26.11 was recorded to have them.

No batch job is tried when it is submitted. What may start a job asks for a main pass, which comes at the next whole
second, but ``batch_sched_delay`` after the last one at the earliest; one of the whole queue comes every
``sched_interval``. A backfill cycle follows the last one after ``bf_interval`` and a few milliseconds while jobs wait;
with none it looks each second after that for a change. Passes that could find nothing new are left out, so that time
costs events only; those that remain come when they would have come.

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

ASKED = "asked"  # when the next main pass was asked for first
MAIN = "main"  # the last main pass
CUT = "cut"  # that pass did not reach the end of its queue
CHANGED = "changed"  # the last change that no cycle has seen
CYCLE = "cycle"  # the last cycle, in milliseconds
WAITING = "waiting"  # how many jobs waited after it

SECOND = 1000
LAG = 5
"""Milliseconds by which a cycle comes later than ``bf_interval`` after the one before."""

FIRST = 600
"""Milliseconds into its second at which the first cycle comes."""


def note(ctl: Controller) -> None:
    """Note that a pass is due: it was asked for at this instant."""
    cluster = ctl.cluster
    if cluster.pass_due:
        cluster.pass_due = cluster.arrays_due = False
        cluster.rhythm.setdefault(ASKED, cluster.now)
        cluster.rhythm[CHANGED] = cluster.now


def catch_up(ctl: Controller) -> None:
    """Note what asked for a pass before this command, or between it and the one before on the wall clock."""
    cluster = ctl.cluster
    seen = cluster.rhythm.get(MAIN, 0)
    begins = [job.request.begin_time for job in cluster.jobs.values() if job.pending]
    begins += [reservation.start_time for reservation in cluster.reservations.values()]
    cluster.pass_due |= any(seen < begin <= cluster.now for begin in begins)
    note(ctl)


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
    marks, before = cluster.rhythm, cluster.statistics.get("jobs_started", 0)
    if kind is EventKind.MAIN:
        marks.pop(ASKED, None)
        marks.pop(CUT, None)
        whole = _next_whole(ctl, cluster.now - 1) == cluster.now
        if main_pass.run_once(ctl, backfill=False, whole=whole):
            marks[CUT] = 1
        marks[MAIN] = cluster.now
    else:
        marks[CYCLE] = max(_next_cycle(ctl), cluster.now * SECOND)
        marks.pop(CHANGED)
        main_pass.run_once(ctl, main=False)
        marks[WAITING] = sum(job.pending and not job.held for job in cluster.jobs.values())
    if cluster.statistics.get("jobs_started", 0) != before:
        marks[CHANGED] = cluster.now
    note(ctl)


def _next_main(ctl: Controller) -> int | None:
    """Return when the next main pass comes that may find something new."""
    marks = ctl.cluster.rhythm
    asked = marks.get(ASKED)
    if asked is None:
        return _next_whole(ctl, marks[MAIN]) if marks.get(CUT) else None
    whole = _next_whole(ctl, asked)
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

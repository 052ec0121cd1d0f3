"""The event loop: time moves from event to event, and a scheduling pass follows each instant at which it is due.

At one instant all job ends come first, then what else falls due, then one pass. Whoever drives the loop may
watch it: the watcher is told the instant after each step and stops the loop by returning false, between two
instants, so that the state is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from slimsched.controller.schedule import handlers, main_pass
from slimsched.controller.schedule.event_queue import Event, EventKind
from slimsched.errors import UserError
from slimsched.slurm import states
from slimsched.text import times

if TYPE_CHECKING:
    from types import ModuleType

    from slimsched.controller.core import Controller

Watcher = Callable[[int], bool]
END = 253_402_300_799
"""The last second of the year 9999, at which the clock ends."""

RECURRENCES = 32
"""The number of events in a row without a start after which a cluster counts as idle (some recur forever)."""


def advance(ctl: Controller, until: int, *, settle: bool = True, watch: Watcher | None = None) -> bool:
    """Move the clock to ``until``; what falls due on the way happens at its own instant. False if stopped.

    Without ``settle`` the pass of the last instant is left to the caller, who has submissions of that instant.
    """
    if until > END:
        raise UserError(f"the clock cannot go past {times.instant(END)}")
    _begin(ctl, until)
    latest = _latest(until)
    while (event := _next(ctl)) is not None and event < latest:
        last = event.time == until and not settle
        _step(ctl, event, until, run_pass=not last)
        if watch is not None and not watch(ctl.cluster.now):
            return _stopped(ctl)
    ctl.cluster.now = max(ctl.cluster.now, until)
    purge(ctl)
    return True


def advance_until(
    ctl: Controller,
    done: Callable[[], bool],
    limit: int | None = None,
    *,
    watch: Watcher | None = None,
    idle: bool = False,
) -> bool:
    """Move the clock from event to event until ``done()``; false if nothing more happens until ``limit``.

    The clock then stands at ``limit``, or at the last event if there is no limit. ``idle``: it is not done while a job
    runs.
    """
    limit = None if limit is None else min(limit, END)
    until = END if idle else 0
    _begin(ctl, until)
    quiet = 0  # passes in a row in which a scheduler could release jobs and nothing else happened
    while not done():
        event = _next(ctl)
        quiet = quiet + 1 if event is not None and event.kind is EventKind.PERIOD else 0
        if limit is None and quiet > RECURRENCES:
            return False
        if event is None or event >= _latest(END if limit is None else limit):
            if limit is not None:
                ctl.cluster.now = max(ctl.cluster.now, limit)
            return False
        _step(ctl, event, until)
        if watch is not None and not watch(ctl.cluster.now):
            return _stopped(ctl)
    return True


def advance_until_idle(ctl: Controller, *, watch: Watcher | None = None) -> bool:
    """Move the clock until no job runs and none will start; those that wait for ever do not count.

    Raises UserError if a job is left that runs without end. False if the watcher stopped it.
    """
    quiet = 0

    def idle() -> bool:
        nonlocal quiet
        roster = ctl.roster
        if roster.running:
            quiet = 0
            return False
        quiet += 1
        return quiet > RECURRENCES or not any(job.priority or job.sched_hold for job in roster.pending.values())

    stopped = False

    def watching(now: int) -> bool:
        nonlocal stopped
        stopped = watch is not None and not watch(now)
        return not stopped

    advance_until(ctl, idle, watch=watching, idle=True)
    endless = sorted(ctl.roster.running)
    if endless and not stopped:
        listed = ", ".join(map(str, endless[:10]))
        fault = UserError(f"job {listed} runs forever: it has neither a run time nor a time limit")
        fault.commits = True
        raise fault
    return not stopped


def _step(ctl: Controller, event: Event, until: int, *, run_pass: bool = True) -> None:
    """Let all events of the next event's instant happen, then the pass if it is due; the loop goes on to ``until``."""
    agenda, cluster = ctl.event_queue, ctl.cluster
    cluster.now = max(cluster.now, event.time)
    cluster.pass_due = False
    if event.kind in (EventKind.MAIN, EventKind.BACKFILL):
        _rhythm().run(ctl, event.kind)
    else:
        late = event.kind is EventKind.LATE_END
        following: Event | None = event
        while following and following.time <= cluster.now and (following.kind is EventKind.LATE_END) is late:
            handlers.HANDLERS[following.kind](ctl, agenda.pop())
            following = agenda.peek()
    if ctl.paced:
        _rhythm().note(ctl)
    elif not cluster.pass_due:
        cluster.pass_due = agenda.cycles > 0
    elif run_pass:
        _pass(ctl, until)
    if cluster.triggers:
        from slimsched.controller.life import triggers

        triggers.look(ctl)
    if cluster.accounting or ctl.led:
        _note_periods(ctl)
    if cluster.now >= ctl.next_purge:  # from time to time, so that a long run does not keep all ended jobs in memory
        purge(ctl)
        ctl.next_purge = cluster.now + DEFAULT_AGE


def _note_periods(ctl: Controller) -> None:
    """Enter what comes again and again."""
    if ctl.cluster.accounting:
        ctl.event_queue.note_usage()
    if ctl.led:
        ctl.event_queue.note_period()


def _begin(ctl: Controller, until: int) -> None:
    """Bring the schedule up to date before time moves, to ``until`` at least.

    Jobs that no cycle has seen are planned now, and all others anew if some job has started since.
    """
    _drop_held_plans(ctl)
    if ctl.paced:
        _rhythm().catch_up(ctl)
    else:
        _plan(ctl, until)
    if ctl.cluster.accounting or ctl.led:
        _note_periods(ctl)


def _plan(ctl: Controller, until: int) -> None:
    """Run the pass that is due, or that plans the jobs that no cycle has seen."""
    due = ctl.cluster.pass_due and not ctl.event_queue.cycles
    if due or ctl.roster.unseen or _plans_are_stale(ctl):
        _pass(ctl, until)


def _drop_held_plans(ctl: Controller) -> None:
    """Remove the expected start of held jobs: slurmctld keeps it until its next cycle."""
    cluster, roster = ctl.cluster, ctl.roster
    for job in [roster.pending[job_id] for job_id in roster.held] if roster.held else ():
        if job.start_time:
            start_time = begin if (begin := job.request.begin_time) > cluster.now else 0
            if job.start_time != start_time:
                job.start_time = start_time
                cluster.touch_job(job)


def _plans_are_stale(ctl: Controller) -> bool:
    """Whether a job has started in the last cycle or since, and another that the cycle looked at waits."""
    if not main_pass.started_since_cycle(ctl.cluster):
        return False
    roster = ctl.roster
    return len(roster.pending) > len(roster.held) + len(roster.unseen)


def _pass(ctl: Controller, until: int) -> None:
    """Run the pass; its cycle waits until ``bf_interval`` is over, and one that starts jobs is followed by another."""
    cluster = ctl.cluster
    if ctl.led:
        main_pass.run_pass(ctl)
        return
    interval = main_pass.backfill_interval(ctl)
    due = cluster.last_backfill + interval
    if cluster.now >= due or not cluster.last_backfill:
        due = cluster.now + interval
        main_pass.run_pass(ctl, forecast=ctl.forecasting and not _superseded(ctl, due, until))
        another = _plans_are_stale(ctl)
    else:
        main_pass.run_pass(ctl, backfill=False)
        cluster.pass_due = another = True  # kept, in case the clock stops before the cycle
    if another and not ctl.event_queue.cycles:
        ctl.event_queue.add(Event(max(due, cluster.now + 1), EventKind.CYCLE))


def _superseded(ctl: Controller, due: int, until: int) -> bool:
    """Whether a cycle at ``due`` or later, but not after ``until``, is certain to replace the plans of one now.

    It is if the next event is the end of a job, and nothing but that end can happen to the job.
    """
    event, config = _next(ctl), ctl.cluster.config
    if ctl.each_plan:
        return False
    if event is None or event.kind is not EventKind.END or max(event.time, due) > until:
        return False
    if config.live or config.slow_end or ctl.preempts or ctl.gangs:
        return False
    job = ctl.cluster.jobs.get(event.job_id)
    outcome = ctl.executor.outcome(job) if job is not None and job.state == states.RUNNING else None
    return outcome is not None and outcome.time == event.time


def _stopped(ctl: Controller) -> bool:
    """Leave the loop before its end: plans that nobody was to read are made by the pass that is due now."""
    ctl.cluster.pass_due |= ctl.plans_left
    return False


def _next(ctl: Controller) -> Event | None:
    """Return the next event, at Slurm's pace also the next pass."""
    first = (ctl.agenda or ctl.event_queue).peek()
    if not ctl.paced:
        return first
    return min((event for event in (first, *_rhythm().due(ctl)) if event is not None), default=None)


def next_instant(ctl: Controller) -> int | None:
    """Return the instant of the next event that comes by itself, None if there is none."""
    if ctl.agenda is None:
        return None
    instants = {ctl.agenda.awaited()}
    if ctl.paced:
        instants |= {event.time + (event.kind is EventKind.BACKFILL) for event in _rhythm().due(ctl)}
    return min((instant for instant in instants if instant is not None), default=None)


def _latest(until: int) -> Event:
    """Return what all events come before that happen until an instant.

    A cycle at Slurm's pace waits for the end of its second, since it sees what is submitted in it.
    """
    return Event(until, EventKind.BACKFILL)


def _rhythm() -> ModuleType:
    from slimsched.controller.schedule import rhythm  # only at Slurm's pace

    return rhythm


DEFAULT_AGE = 300


def purge(ctl: Controller) -> int:
    """Move jobs that ended long ago to ``cluster.gone_jobs``; returns how many (``MinJobAge=0`` keeps all)."""
    cluster, roster = ctl.cluster, ctl.roster
    if not roster.finished or not ctl.job_age:
        return 0
    past = cluster.now - ctl.job_age
    old = [job for _, job in sorted(roster.finished.items()) if job.end_time <= past]
    for job in old:
        del cluster.jobs[job.job_id]
        roster.drop(job.job_id)
        cluster.dirty_jobs.discard(job.job_id)
    cluster.gone_jobs += old
    return len(old)

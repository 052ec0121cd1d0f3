"""The event queue: what happens next, and when, derived from the job, node and reservation records.

Nothing of it is stored. An entry is a hint that must still hold when its time comes: a record that changed
gets a new entry, and the old one is dropped when it is due. At one instant ends come first.
"""

from __future__ import annotations

import heapq
from enum import IntEnum
from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.life import transitions
from slimsched.controller.requests import time_limits
from slimsched.model.record import Value
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation


BACKFILL = "Backfill"
"""The scheduler of jobs that a cycle started."""


class EventKind(IntEnum):
    """Classes of events, in their order at one instant."""

    MAIN = -1  # a main pass at Slurm's pace, at the beginning of its second
    END = 0  # a running job ends
    RESERVATION = 1  # an advance reservation begins or ends
    NODE = 2  # a node's ResumeAfter is over, or it fails, or it is switched on or off
    DEADLINE = 3  # a job can no longer meet its deadline
    BEGIN = 4  # a job's begin time, or what it depends on, has come
    CYCLE = 5  # a backfill cycle that bf_interval delayed
    SLICE = 7  # the turn of jobs that share CPUs is over
    PREEMPT = 8  # a preempted job's time of grace is over
    READY = 6  # the select plugin is asked again whether a job's nodes are ready
    PERIOD = 10  # a scheduler plugin that leads gets its pass while jobs wait
    STEP = 11  # a step of a script begins or ends
    TRIGGER = 12  # a trigger of strigger is due, or a job comes near its time limit
    BACKFILL = 13  # a backfill cycle at Slurm's pace, in the course of its second
    MAIL = 15  # a job has used a part of its time limit about which it asks for mail
    LATE_END = 14  # the end of a job that such a cycle started, as late in its second
    USAGE = 9  # the usage of associations and QOS is computed again


class Event(Value, frozen=True, order=True):
    """One entry: instant, class, and the record it is about (a job id, or a name)."""

    time: int
    kind: EventKind
    job_id: int = 0
    name: str = ""


class EventQueue:
    """A heap of events over one controller's records."""

    def __init__(self, ctl: Controller) -> None:
        self._ctl = ctl
        self._heap: list[Event] = []
        self.cycles = 0  # how many of the entries are cycles that were put off
        self._usage_due = 0  # instant of the last entry of that class
        self._period_due = -1  # likewise
        self._watched: bool | None = None  # whether limits depend on usage; None: not known yet
        cluster = ctl.cluster
        for job in cluster.jobs.values():
            self.note(job)
        for resv in cluster.reservations.values():
            self.note_reservation(resv)
        self.note_slice()
        self.note_triggers()
        for node in cluster.nodes:
            if node.resume_after or node.fails_at:
                self.note_node(node)
        if cluster.saves_power or any(node.power_time for node in cluster.nodes):
            for time, node in ctl.power.instants():
                self.add(Event(time, EventKind.NODE, 0, node.name))

    def add(self, event: Event) -> None:
        """Enter an event."""
        heapq.heappush(self._heap, event)
        self.cycles += event.kind is EventKind.CYCLE

    def note(self, job: Job) -> None:
        """Enter the next events of a job whose state, limit or begin time changed."""
        now, job_id = self._ctl.cluster.now, job.job_id
        if job.active:
            self._note_run(job)
        elif job.pending:
            begin = job.request.begin_time
            if begin > now:
                self.add(Event(begin, EventKind.BEGIN, job_id))
            if job.preempts_since:
                from slimsched.controller.schedule import preemption

                again = preemption.may_again(self._ctl.cluster, job)
                if again > now:
                    self.add(Event(again, EventKind.BEGIN, job_id))
            if "+" in job.dependency:
                from slimsched.controller.life import dependency

                freed = dependency.next_instant(self._ctl.cluster, job)
                if freed > now:
                    self.add(Event(freed, EventKind.BEGIN, job_id))
        if job.request.deadline and not job.finished:
            self.add(Event(time_limits.last_chance(self._ctl, job), EventKind.DEADLINE, job_id))

    def _note_run(self, job: Job) -> None:
        now, job_id = self._ctl.cluster.now, job.job_id
        late = job.scheduler == BACKFILL and self._ctl.paced and not self._ctl.cluster.config.live
        end = EventKind.LATE_END if late else EventKind.END
        if job.clears:
            self.add(Event(job.clears, end, job_id))
        elif states.CONFIGURING in job.flags:
            self.add(Event(max(now + 1, transitions.ready_at(self._ctl, job)), EventKind.READY, job_id))
        elif job.state == states.RUNNING or job.ending:
            outcome = self._ctl.executor.outcome(job)
            if outcome is not None:
                self.add(Event(outcome.time, end, job_id))
        if self._ctl.cluster.triggers:
            self.note_triggers()  # one may wait for this job's limit
        due = step_calls.next_instant(job, now) if job.steps else None
        if due is not None:
            self.add(Event(due, EventKind.STEP, job_id))
        if "TIME_LIMIT" in job.request.mail_type:
            from slimsched.controller.life import mail

            for _, instant in mail.instants(job):
                self.add(Event(instant, EventKind.MAIL, job_id))
        if job.preempt_time:
            self.add(Event(job.preempt_time, EventKind.PREEMPT, job_id))

    def note_node(self, node: Node) -> None:
        """Enter the instants at which a node returns to service, fails, or is switched on or off."""
        for time in (node.resume_after, node.fails_at, self._power(node)):
            if time:
                self.add(Event(time, EventKind.NODE, 0, node.name))

    def note_turn(self, time: int) -> None:
        """Enter the instant at which more idle nodes may be switched off."""
        self.add(Event(time, EventKind.NODE))

    def _power(self, node: Node) -> int:
        """Return when a node goes up or down next, 0 for never."""
        cluster = self._ctl.cluster
        if not (node.power_time or cluster.saves_power):
            return 0
        from slimsched.controller.life import power

        return power.next_instant(cluster, node) or power.idle_until(cluster, node)

    def note_triggers(self) -> None:
        """Enter the instants at which triggers are looked at."""
        if self._ctl.cluster.triggers:
            from slimsched.controller.life import triggers

            for time in triggers.next_instants(self._ctl.cluster):
                self.note_trigger(time)

    def note_trigger(self, time: int) -> None:
        """Enter an instant at which triggers are looked at."""
        self.add(Event(max(time, self._ctl.cluster.now), EventKind.TRIGGER))

    def note_slice(self) -> None:
        """Enter the end of the present time slice, if any job waits for its turn."""
        if not self._ctl.gangs:
            return
        from slimsched.controller.schedule import gang

        end = gang.next_slice(self._ctl.cluster)
        if end:
            self.add(Event(max(end, self._ctl.cluster.now + 1), EventKind.SLICE))

    def note_usage(self) -> None:
        """Enter the instant at which usage is computed next, if a limit depends on it."""
        ctl = self._ctl
        if not ctl.cluster.accounting or self._usage_due > ctl.cluster.now:
            return
        from slimsched.controller.accounts import usage_limits

        if self._watched is None:
            self._watched = usage_limits.watched(ctl)
        due = usage_limits.next_look(ctl) if self._watched else 0
        if due:
            self._usage_due = due
            self.add(Event(due, EventKind.USAGE))

    def note_period(self) -> None:
        """Enter the next pass of a scheduler plugin that leads, if any job waits."""
        ctl = self._ctl
        now = ctl.cluster.now
        if self._period_due > now or not ctl.led or not any(job.pending for job in ctl.cluster.jobs.values()):
            return
        interval = ctl.cluster.config.parameters.number("sched_interval")
        self._period_due = max(now + 1, ctl.cluster.last_backfill + interval)
        self.add(Event(self._period_due, EventKind.PERIOD))

    def note_reservation(self, resv: Reservation) -> None:
        """Enter the beginning and the end of a reservation, and when it is purged because it has no jobs."""
        unused = resv.idle_since + resv.purge_comp if resv.idle_since else 0
        for time in (resv.start_time, resv.end_time, unused):
            if time > self._ctl.cluster.now:
                self.add(Event(time, EventKind.RESERVATION, 0, resv.name))

    def peek(self) -> Event | None:
        """Return the next entry, ``None`` if there is none."""
        return self._heap[0] if self._heap else None

    def awaited(self) -> int | None:
        """Return the instant of the next event that still holds, None if there is none.

        A cycle that was put off is one while a job waits for it.
        """
        fresh = EventQueue(self._ctl)
        fresh.note_usage()
        fresh.note_period()
        if any(job.pending and not job.held for job in self._ctl.cluster.jobs.values()):
            for event in self._heap:
                if event.kind is EventKind.CYCLE:
                    fresh.add(event)
        first = fresh.peek()
        return first.time + (first.kind is EventKind.LATE_END) if first is not None else None

    def pop(self) -> Event:
        """Take the next entry."""
        event = heapq.heappop(self._heap)
        self.cycles -= event.kind is EventKind.CYCLE
        return event

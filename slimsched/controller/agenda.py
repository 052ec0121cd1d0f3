"""The event queue: what happens next, and when, derived from the job, node and reservation records.

Nothing of it is stored. An entry is a hint that must still hold when its time comes: a record that changed
gets a new entry and the old one is dropped when it is due. At one instant ends come first.
"""

from __future__ import annotations

import heapq
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


class Kind(IntEnum):
    """Classes of events, in their order at one instant."""

    END = 0
    RESERVATION = 1
    NODE = 2
    DEADLINE = 3
    BEGIN = 4
    CYCLE = 5


class Event(NamedTuple):
    """One entry: instant, class, and the record it is about (a job id, or a name)."""

    time: int
    kind: Kind
    job_id: int = 0
    name: str = ""


class Agenda:
    """A heap of events over one controller's records."""

    def __init__(self, ctl: Controller) -> None:
        self._ctl = ctl
        self._heap: list[Event] = []
        cluster = ctl.cluster
        for job in cluster.jobs.values():
            self.note(job)
        for resv in cluster.reservations.values():
            self.add(Event(resv.start_time, Kind.RESERVATION, 0, resv.name))
            self.add(Event(resv.end_time, Kind.RESERVATION, 0, resv.name))
        for node in cluster.nodes:
            if node.resume_after:
                self.add(Event(node.resume_after, Kind.NODE, 0, node.name))

    def add(self, event: Event) -> None:
        """Enter an event; those of the past are not entered."""
        if event.time > self._ctl.cluster.now or event.kind is Kind.END:
            heapq.heappush(self._heap, event)

    def note(self, job: Job) -> None:
        """Enter the next events of a job whose state, limit or begin time changed."""
        if job.active:
            outcome = self._ctl.executor.outcome(job)
            if outcome is not None:
                self.add(Event(outcome.time, Kind.END, job.job_id))
        elif job.pending:
            self.add(Event(job.request.begin_time, Kind.BEGIN, job.job_id))
        if job.request.deadline and not job.finished:
            self.add(Event(job.request.deadline, Kind.DEADLINE, job.job_id))

    def next_time(self) -> int | None:
        """Return the instant of the next entry, ``None`` if there is none."""
        return self._heap[0].time if self._heap else None

    def pop(self) -> Event:
        """Take the next entry."""
        return heapq.heappop(self._heap)

"""The job queue in order: a job enters it, leaves it or moves in it when something happens to it.

What a job waits for is judged again when the job has changed, and in each pass for those whose answer depends on the
time or on others (a begin time, a reservation, a throttle, limits of a partition, an account or a QOS). Where it
depends on much more (dependencies, limits on how many jobs gain priority, components of heterogeneous jobs, priorities
of another package's plugin), the queue is built from all that wait, in each pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from slimsched.controller.schedule import job_queue
from slimsched.model.record import Record
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.sched.api import Candidates, Entry
    from slimsched.select.openings import Shape

UNTOLD = frozenset({reasons.NONE, reasons.RESOURCES})
"""Reasons that give way to ``Priority`` when a job waits behind another."""

Place = tuple[tuple[bool, int, int, int, int], int, int]
"""A place in the queue: the order of the entry, the job's id, and the number of the partition among the job's."""


class Busy(Record):
    """A job that waited for nodes: what was asked, and what the answer rests on besides the nodes that are free."""

    entry: Entry
    where: Candidates
    shape: Shape
    offered: int
    state: tuple[int, ...]


class OrderedQueue:
    """The queue of one controller, kept from pass to pass."""

    def __init__(self, ctl: Controller) -> None:
        self._ctl = ctl
        self._changed = ctl.cluster.watch_jobs()
        self._told = ctl.cluster.watch_reasons()
        self._moved = ctl.cluster.watch_priorities()
        self._layout: tuple[int, ...] = ()  # how often partitions and accounts had changed when all jobs were judged
        self._places: list[Place] = []
        self._entries: list[Entry] = []  # by place
        self._of: dict[int, list[Place]] = {}  # job -> its places
        self._restless: set[int] = set()  # jobs that are judged again in each pass
        self._untold: set[int] = set()  # jobs with one of the reasons `UNTOLD`
        self.where: Counter[str] = Counter()  # partition or reservation -> how many entries wait for it
        self.busy: dict[str, Busy] = {}  # partition or reservation -> the last job that held up the others there
        self.kept = False  # whether the queue of this instant is the one that is kept
        self.several: set[int] = set()  # jobs in the queue that asked for several partitions
        self.moves = 0  # counts the changes other than a job that entered as the last

    def entries(self) -> list[Entry]:
        """Return the queue of this instant, best first; the list does not change any more."""
        ctl, roster = self._ctl, self._ctl.roster
        self.kept = ctl.trusts_marks and not (roster.depending or roster.parts or self._accrual_limited())
        if not self.kept:
            self._layout = ()
            return job_queue.build(ctl)
        ctl.priority.recalculate(roster.pending.values())
        layout = ctl.cluster.partition_changes, ctl.cluster.epoch.get("accounting", 0)
        if self._layout != layout:
            self._layout = layout
            self._changed.update(roster.pending, self._of)
        again = self._changed | self._restless
        moved = self._moved - again
        if again or moved:
            self._entries = self._entries.copy()
            for job_id in sorted(again):
                self._judge(job_id, roster.pending.get(job_id))
            self._changed -= again
            self._told |= again
            self._move(sorted(moved))
            self._moved.clear()
        return self._entries

    def _accrual_limited(self) -> bool:
        if not self._ctl.cluster.accounting:
            return False
        from slimsched.controller.accounts import accrual

        return accrual.limits(self._ctl.cluster)

    def behind(self, index: int) -> list[Job]:
        """Return the jobs behind a place that have not been told that they wait for others."""
        jobs = self._ctl.cluster.jobs
        for job_id in self._told:
            if job_id in self._of and jobs[job_id].reason in UNTOLD:
                self._untold.add(job_id)
            else:
                self._untold.discard(job_id)
        self._told.clear()
        last = self._places[index]
        found = [jobs[job_id] for job_id in self._untold if max(self._of[job_id]) > last]
        return [job for job in found if job.state == states.PENDING and job.priority]

    def _judge(self, job_id: int, job: Job | None) -> None:
        """Put a job where it belongs."""
        found = []
        self._restless.discard(job_id)
        self.several.discard(job_id)
        if job is not None and job.priority:
            if job_queue.runnable(self._ctl, job):
                found = job_queue.entries(self._ctl, job)
            asked = job.request
            if "," in asked.partition:
                self.several.add(job_id)
            throttled = job.array_max_tasks or (found and job_queue.limited(self._ctl, found[0]))
            if not found or "," in asked.partition or asked.reservation or throttled:
                self._restless.add(job_id)
        places = [(job_queue.order(entry), job_id, number) for number, entry in enumerate(found)]
        before = self._of.get(job_id, [])
        if places == before and job_id not in self._changed and job_id not in self.several:
            return  # nothing has happened to it
        for place in before:
            self._leave(place)
        for place, entry in zip(places, found, strict=True):
            self._enter(place, entry)
        if places:
            self._of[job_id] = places
        elif before:
            del self._of[job_id]
        self._untold.discard(job_id)

    def _move(self, moved: list[int]) -> None:
        """Put jobs of which nothing but the priority has changed where they belong; they keep their entries."""
        for job_id in moved:
            places = self._of.get(job_id, [])
            for number, before in enumerate(places):
                entry = self._leave(before)
                entry.priority = self._ctl.priority.in_partition(entry.job, entry.partition)
                places[number] = job_queue.order(entry), job_id, before[2]
                self._enter(places[number], entry)

    def _enter(self, place: Place, entry: Entry) -> None:
        index = bisect_left(self._places, place)
        self.moves += index != len(self._places)
        self._places.insert(index, place)
        self._entries.insert(index, entry)
        self.where[job_queue.where(entry)] += 1

    def _leave(self, place: Place) -> Entry:
        index = bisect_left(self._places, place)
        self.moves += 1
        del self._places[index]
        entry = self._entries.pop(index)
        name = job_queue.where(entry)
        self.where[name] -= 1
        if not self.where[name]:
            del self.where[name]
        return entry

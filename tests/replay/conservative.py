"""Conservative backfilling twice, in the plainest way: with promises that are kept, and with promises made anew.

Kept, as pyss does it: a job gets its place when it comes; when one ends before its limit, those that wait are moved, in
the order in which they came, each to the earliest place that is free for it. At one instant submissions come first.
Anew, as Slurm and slimsched do it: each pass forgets all promises and makes them in the order of the queue. At one
instant ends come first, then submissions, then the pass.

    python conservative.py TRACE PROCESSORS STARTS [kept]

compares with the starts in a file ``job,start``.
"""

from __future__ import annotations

import csv
import gzip
import sys
from bisect import bisect_right
from heapq import heappop, heappush
from typing import NamedTuple


class Job(NamedTuple):
    number: int
    submit: int
    run: int
    processors: int
    limit: int


class Profile:
    """The processors that are free, from each of some instants on."""

    def __init__(self, processors: int) -> None:
        self.times, self.free = [-(10**15)], [processors]

    def _cut(self, instant: int) -> int:
        place = bisect_right(self.times, instant) - 1
        if self.times[place] != instant:
            place += 1
            self.times.insert(place, instant)
            self.free.insert(place, self.free[place - 1])
        return place

    def take(self, begin: int, end: int, processors: int) -> None:
        """Take processors for a time, or give back a negative number of them."""
        if begin < end:
            for place in range(self._cut(begin), self._cut(end)):
                self.free[place] -= processors

    def earliest(self, now: int, job: Job) -> int:
        """Return the first instant from which on a job fits until its limit."""
        place = bisect_right(self.times, now) - 1
        while True:
            while self.free[place] < job.processors:
                place += 1
            start = max(self.times[place], now)
            until = place
            while until < len(self.times) and self.times[until] < start + job.limit:
                if self.free[until] < job.processors:
                    break
                until += 1
            else:
                return start
            place = until

    def forget(self, now: int) -> None:
        """Drop what is past."""
        past = bisect_right(self.times, now) - 1
        del self.times[:past], self.free[:past]


SUBMISSION, START, END = 0, 1, 2


def kept(jobs: list[Job], processors: int) -> dict[int, int]:
    """Return the starts if promises are kept."""
    profile, starts = Profile(processors), dict[int, int]()
    events = [(job.submit, SUBMISSION, place) for place, job in enumerate(jobs)]
    promised: dict[int, int] = {}  # of those that wait, in the order in which they came
    while events:
        now, kind, place = heappop(events)
        job = jobs[place]
        profile.forget(now)
        moved = {}
        if kind == SUBMISSION:
            promised[place] = moved[place] = profile.earliest(now, job)
            profile.take(promised[place], promised[place] + job.limit, job.processors)
        elif kind == START and promised.get(place) == now:
            starts[job.number] = now
            del promised[place]
            heappush(events, (now + job.run, END, place))
        elif kind == END and job.run < job.limit:
            profile.take(now, starts[job.number] + job.limit, -job.processors)
            for other, before in promised.items():
                waits = jobs[other]
                if before > now:
                    profile.take(before, before + waits.limit, -waits.processors)
                    moved[other] = profile.earliest(now, waits)
                    profile.take(moved[other], moved[other] + waits.limit, waits.processors)
            promised.update(moved)
        for other, instant in moved.items():
            heappush(events, (instant, START, other))
    return starts


def anew(jobs: list[Job], processors: int) -> dict[int, int]:
    """Return the starts if each pass makes all promises anew."""
    starts, running = dict[int, int](), Profile(processors)
    waiting: list[Job] = []
    come = iter(sorted(jobs, key=lambda job: job.submit))
    coming = next(come, None)
    ends: list[tuple[int, Job]] = []
    while coming or ends:
        now = min([job.submit for job in (coming,) if job] + [end for end, _ in ends[:1]])
        while ends and ends[0][0] == now:
            _, job = heappop(ends)
            running.take(now, starts[job.number] + job.limit, -job.processors)
        while coming and coming.submit == now:
            waiting.append(coming)
            coming = next(come, None)
        running.forget(now)
        promises, left = Profile(processors), []
        promises.times, promises.free = list(running.times), list(running.free)
        for job in waiting:
            start = promises.earliest(now, job)
            promises.take(start, start + job.limit, job.processors)
            if start > now:
                left.append(job)
                continue
            starts[job.number] = now
            running.take(now, now + job.limit, job.processors)
            heappush(ends, (now + job.run, job))
        waiting = left
    return starts


def main() -> None:
    """Compare with a file of starts."""
    trace, processors, told, *rule = sys.argv[1:]
    with gzip.open(trace, "rt") as lines:
        rows = [[int(word) for word in line.split()] for line in lines if line.strip() and line[0] != ";"]
    jobs = [Job(row[0], row[1], row[3], row[4], max(row[3], row[8])) for row in rows]
    found = (kept if rule else anew)(jobs, int(processors))
    with gzip.open(told, "rt") if told.endswith(".gz") else open(told) as lines:
        table = csv.reader(lines)
        next(table)
        expected = {int(row[0]): int(float(row[1])) for row in table}
    same = sum(found.get(number) == start for number, start in expected.items())
    print(f"{same} of {len(expected)} starts are the same")


if __name__ == "__main__":
    main()

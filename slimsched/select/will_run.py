"""When and where a job will run, as the running jobs end at their limits.

Source: select API, "job_test", mode WILL_RUN.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from slimsched.select.future import FAR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.job import Job
    from slimsched.select.future import Touch
    from slimsched.select.ledger import Ledger
    from slimsched.select.pool import Pool
    from slimsched.select.records import JobTest, Selection


class Search:
    """A search for the first time at which there is room for a job; it can go on when something has changed.

    Until a job starts or ends the answer stands. After that, what the search has found still holds for each instant
    by which the job in question has ended either way; and where room was certainly missing, it still is as long as no
    job has left that would have run on. Mostly both are true, and nothing has to be placed again.
    """

    __slots__ = ("failed", "found")

    def __init__(self) -> None:
        self.found: Selection | None = None  # the answer
        self.failed = 0  # an instant up to which room is certainly missing, on whatever part of the free nodes

    def doubt(self, changes: Sequence[Touch], nodes: int) -> None:
        """Forget what no longer holds for some ``nodes`` after these changes."""
        failed, at = self.failed, self.found.start_time if self.found is not None else FAR
        for moved, end, left in changes:
            if moved & nodes:
                if left and end >= failed:
                    failed = 0
                if end >= at:
                    at, self.found = FAR, None
                    if not failed:
                        break
        self.failed = failed

    def go_on(
        self,
        ledger: Ledger,
        request: JobTest,
        start: int,
        place: Callable[[Pool], Selection | None],
        lacks: Callable[[Pool], bool],
    ) -> Selection | None:
        """Return the first time from ``start`` on (0: the present) at which ``place`` finds room, and where.

        ``lacks``: whether there is certainly none, not even if less is free. Jobs that may be preempted count as gone
        at once.
        """
        now, futures = ledger.cluster.now, ledger.futures
        linear = ledger.cluster.config.parameters.text("bf_window_linear")
        ends = futures.after(now, request.bitmap, linear, start=start, until=request.until)
        if start or request.preemptee_candidates:
            instant = start or now
            ends = chain([(instant, futures.ended(now, instant))], ends)
        known, self.found = self.found, None
        tried: list[tuple[int, Pool]] = []
        for end, ended in ends:
            if end <= self.failed:
                continue
            if known is not None and known.start_time == max(start, end):
                self.found = known
                break
            pool, gone = _without(ledger, request.preemptee_candidates, ended)
            found = place(pool)
            if found:
                found.start_time = max(start, end)
                found.preempted = [job for job in gone if ledger.holds[job.job_id].mask & found.bitmap]
                self.found = found
                break
            tried.append((end, pool))
        while tried and self.found is not None and tried[-1][0] >= self.found.start_time:
            tried.pop()  # of jobs that end at the same instant some were gone, in vain, before others
        if tried and lacks(tried[-1][1]):
            self.failed = tried[-1][0]
        return self.found


def _without(ledger: Ledger, candidates: Sequence[Job], ended: int) -> tuple[Pool, list[Job]]:
    """Return the pool when so many jobs have ended, less the ``candidates`` that still run then, and those jobs."""
    futures, holds = ledger.futures, ledger.holds
    pool = futures.state(ended)
    gone = [job for job in candidates if futures.runs(job.job_id, ended)]
    fork = pool.fork() if gone else pool
    for job in gone:
        fork.remove(holds[job.job_id])
    return fork, gone

"""When and where a job will run, as the running jobs end at their limits.

Source: select API, "job_test", mode WILL_RUN.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.job import Job
    from slimsched.select.ledger import Ledger
    from slimsched.select.pool import Pool
    from slimsched.select.records import JobTest, Selection


def find(ledger: Ledger, request: JobTest, start: int, place: Callable[[Pool], Selection | None]) -> Selection | None:
    """Return the first time from ``start`` on (0: the present) at which ``place`` finds room, and where.

    Jobs that may be preempted count as gone at once.
    """
    now, futures = ledger.cluster.now, ledger.futures
    linear = ledger.cluster.config.parameters.text("bf_window_linear")
    ends = futures.after(now, request.bitmap, linear, start=start, until=request.until)
    if start or request.preemptee_candidates:
        instant = start or now
        ends = chain([(instant, futures.ended(now, instant))], ends)
    for end, ended in ends:
        pool, gone = _without(ledger, request.preemptee_candidates, ended)
        found = place(pool)
        if found:
            found.start_time = max(start, end)
            found.preempted = [job for job in gone if ledger.holds[job.job_id].mask & found.bitmap]
            return found
    return None


def _without(ledger: Ledger, candidates: Sequence[Job], ended: int) -> tuple[Pool, list[Job]]:
    """Return the pool when so many jobs have ended, less the ``candidates`` that still run then, and those jobs."""
    futures, holds = ledger.futures, ledger.holds
    pool = futures.state(ended)
    gone = [job for job in candidates if futures.runs(job.job_id, ended)]
    fork = pool.fork() if gone else pool
    for job in gone:
        fork.remove(holds[job.job_id])
    return fork, gone

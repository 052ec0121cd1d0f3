"""Making room: which of the jobs that may be preempted must go so that another can start now."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.job import Job
    from slimsched.select.pool import Hold, Pool
    from slimsched.select.records import Selection


def find(
    candidates: Sequence[Job],
    holds: dict[int, Hold],
    nodes: int,
    pool: Pool,
    place: Callable[[Pool], Selection | None],
) -> Selection | None:
    """Return where ``place`` fits the job once some candidates are gone, and those candidates.

    The candidates go in their order until the job fits; then each is let back in if the job still fits.
    """

    def without(gone: Sequence[Job]) -> Selection | None:
        fork = pool.fork()
        for job in gone:
            fork.remove(holds[job.job_id])
        return place(fork)

    gone: list[Job] = []
    found = None
    for job in candidates:
        if job.job_id in holds and holds[job.job_id].mask & nodes:
            gone.append(job)
            found = without(gone)
            if found:
                break
    if found is None:
        return None
    for job in gone[:-1]:
        fewer = [other for other in gone if other is not job]
        again = without(fewer)
        if again:
            gone, found = fewer, again
    found.preempted = gone
    return found

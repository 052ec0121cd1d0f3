"""What will be free, and when: the pool as it becomes while the running jobs end at their limits.

cons_tres looks at the ends in growing windows: all jobs that end within 30 seconds of the next one are taken out
together, then within 60, 120, ...; a job may start at the last end of a window (``bf_window_linear=N`` makes
the window grow by N seconds instead). linear takes the ends one by one. The states are the same for all jobs that
are tested between two changes, so they are kept.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.model.job import Job
    from slimsched.select.pool import Hold, Pool

FIRST_WINDOW = 30  # seconds
FAR = 365 * 24 * 3600
"""When a job without a limit is taken to end, in seconds from now."""


class Futures:
    """The future states of a pool."""

    def __init__(self, pool: Pool, jobs: dict[int, Job], holds: dict[int, Hold], window: int) -> None:
        """``jobs`` and ``holds`` by job id, as the plugin keeps them; ``window``: seconds of the first one."""
        self.window = window
        self._pool = pool
        self._jobs = jobs
        self._holds = holds
        self.version = 0  # counts the changes
        self._now = -1
        self._ends: list[tuple[int, int, Hold]] = []
        self._states: dict[int, Pool] = {}

    def forget(self) -> None:
        """Note that the pool or a job's end changed."""
        self.version += 1
        self._now = -1

    def after(self, now: int, candidates: int, linear: int = 0) -> Iterator[tuple[int, Pool]]:
        """Yield instants and what is free then, until every job that uses ``candidates`` has ended."""
        if now != self._now:
            self._read(now)
        ends = self._ends
        window, place = self.window, 0
        while place < len(ends):
            first = last = 0
            while place < len(ends):
                end, _, hold = ends[place]
                if first and end > first + window:
                    break
                if hold.mask & candidates:
                    first, last = first or end, end
                place += 1
            if not last:
                return
            yield last, self._state(place)
            window = window + linear if linear and window else window * 2

    def _read(self, now: int) -> None:
        """Put the ends of the running jobs in order; one that is over its limit may end any moment."""
        self._now = now
        self._states = {0: self._pool}
        self._ends = sorted(
            (max(job.end_time, now + 1) if job.end_time else now + FAR, job_id, self._holds[job_id])
            for job_id, job in self._jobs.items()
        )

    def _state(self, count: int) -> Pool:
        """Return the pool without the first ``count`` jobs to end."""
        pool = self._states.get(count)
        if pool is None:
            near = max(known for known in self._states if known < count)
            pool = self._states[near].fork()
            for _, _, hold in self._ends[near:count]:
                pool.remove(hold)
            self._states[count] = pool
        return pool

"""The pool of the future: what will be free, and when, while the running jobs end at their limits.

cons_tres looks at the ends in growing windows, which are counted from the first end on, rounded up to half a minute:
all jobs that end within 30 seconds of it are taken out together, then those within 60, 120, ...; a job may start at the
last end of a window (``bf_window_linear=N`` makes the window grow by N seconds instead). linear takes the jobs out one
by one, even those that end at the same instant. The states are the same for all jobs that are tested between two
changes, so they are kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from operator import itemgetter

from slimsched.text.times import YEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.model.job import Job
    from slimsched.select.pool import Hold, Moves, Pool

    End = tuple[int, int, Hold]
    """When a job ends, its id, and what it holds."""

FIRST_WINDOW = 30  # seconds
FAR = 1 << 62
"""An instant after all others."""

Touch = tuple[int, int, bool]
"""A change: the nodes of a job, the instant at which it ends, and whether it has left them. Later all is as before."""

MOST_TOUCHED = 4000
"""Changes that are listed before the list begins anew."""

_end = itemgetter(0)


def _grown(window: int, grow: int, seconds: int) -> int:
    """Return the next window that is long enough: longer by ``grow`` again and again, 0: twice as long."""
    if grow:
        return window + max(0, -(-(seconds - window) // grow)) * grow
    while window < seconds:
        window *= 2
    return window


def _first_on(nodes: int, ends: list[End], place: int, count: int) -> int:
    """Return the place of the first job from ``place`` on that uses ``nodes``, ``count`` if none before it does."""
    while place < count and not ends[place][2].mask & nodes:
        place += 1
    return place


def _last_on(nodes: int, ends: list[End], place: int) -> int:
    """Return the place of the last job before ``place`` that uses ``nodes``; there is one."""
    place -= 1
    while not ends[place][2].mask & nodes:
        place -= 1
    return place


class Futures:
    """The future states of a pool."""

    def __init__(self, pool: Pool, holds: dict[int, Hold], window: int) -> None:
        """Begin with no ends; ``holds`` by job id are the plugin's; ``window``: seconds of the first one, 0: none."""
        self.window = window
        self._pool = pool
        self._holds = holds
        self.version = 0  # counts the changes
        self._now = -1  # when the ends were read, -1: something has changed since
        self._ends: list[End] = []
        self._instants: dict[int, int] = {}  # by job: when it ends
        self._endless: set[int] = set()  # jobs without a limit
        self._before: dict[int, int] = {}  # by job that has changed: when it ended as far as the moves know, or FAR
        self._places: dict[int, int] = {}  # of each job in `_ends`, once somebody has asked
        self._states: dict[int, Pool] = {0: pool}
        self._counts = [0]  # of ended jobs in `_states`, in order
        self._moves: dict[int, Moves] = {}  # by job: what its end does to its nodes
        self._seen = (-1, 0)  # how much of the pool's log these know of
        self._fresh = False  # whether these are up to date
        self._touched: list[Touch] = []

    def forget(self) -> None:
        """Note that the pool or a job's end changed."""
        self.version += 1
        self._void()

    def _void(self) -> None:
        """Forget what follows from the pool and the ends."""
        self._now = -1
        self._fresh = False
        self._places = {}
        if len(self._states) > 1:
            self._states, self._counts = {0: self._pool}, [0]

    def enter(self, job: Job) -> None:
        """Note that a job has got a hold."""
        self.forget()
        if not job.end_time:
            self._endless.add(job.job_id)
        self._touch(self._put(job.job_id, job.end_time or FAR), left=False)

    def leave(self, job_id: int) -> None:
        """Note that a job has lost its hold."""
        self.forget()
        self._touch(self._take_out(job_id), left=True)
        self._endless.discard(job_id)

    def move(self, job: Job) -> None:
        """Note when a job ends; it may have no hold."""
        if job.job_id in self._holds and self._instants[job.job_id] != job.end_time:
            self.leave(job.job_id)
            self.enter(job)

    def after(
        self, now: int, candidates: int, linear: str, *, start: int = 0, until: int = 0, exact: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Yield instants, and how many jobs have ended by then, until every job that uses ``candidates`` has.

        ``linear``: the value of ``bf_window_linear``, if any; ``exact``: the ends count one by one, in no windows.
        Jobs that end at ``start`` or before are gone from the beginning. Those that end after ``until`` (0: never)
        stay, if windows count. One closes when the next job to end, on whatever nodes, ends later.

        Source: `_future_run_test` of src/plugins/select/cons_tres/job_test.c.
        """
        ends, origin, window = self.ends(now), 0, 0 if exact else self.window
        grow = int(linear) if linear.isdigit() else 0
        place, count = bisect_right(ends, start, key=_end), len(ends)
        if until and window:
            count = bisect_right(ends, until, key=_end)
        while place < count:
            if not ends[place][2].mask & candidates:
                place += 1
                continue
            ended = place + 1
            if window:
                end = ends[place][0]
                origin = origin or end + window - end % window
                near = bisect_right(ends, origin + window, place, count, key=_end) - 1  # the last within the window
                if near > place:
                    far = _first_on(candidates, ends, near, count)
                    ended = min(far + 1, count)
                    place = far if far < count else _last_on(candidates, ends, near)
            yield ends[place][0], ended
            if window and ended < count:
                window = _grown(window, grow, ends[ended][0] - origin)
            place = ended

    def ends(self, now: int) -> list[End]:
        """Return the ends of the running jobs in order."""
        if now != self._now:
            self._read(now)
        return self._ends

    def moves(self, place: int) -> Moves:
        """Return what becomes of the nodes of one job of `ends` when it is the next to end."""
        self._renew()
        return self._moves[self._ends[place][1]]

    def touched(self, now: int) -> list[Touch]:
        """Return what changed, change by change; another list once it got too long."""
        self.ends(now)
        return self._touched

    def ended(self, now: int, instant: int) -> int:
        """Return how many jobs end at ``instant`` or before."""
        return bisect_right(self.ends(now), instant, key=_end)

    def at(self, now: int, instant: int) -> Pool:
        """Return the pool as it will be when all jobs have ended that end at ``instant`` or before."""
        return self.state(self.ended(now, instant))

    def runs(self, job_id: int, ended: int) -> bool:
        """Whether a job still runs when the first ``ended`` jobs have ended, as of the last reading."""
        if not self._places:
            self._places = {number: place for place, (_, number, _) in enumerate(self._ends)}
        return self._places.get(job_id, -1) >= ended

    def _put(self, job_id: int, end: int) -> End:
        """Give an end to a job that is not among the ends."""
        self._before.setdefault(job_id, FAR)
        self._instants[job_id] = end
        put = end, job_id, self._holds[job_id]
        insort(self._ends, put)
        return put

    def _take_out(self, job_id: int) -> End:
        """Take a job out of the ends."""
        end = self._instants.pop(job_id)
        self._before.setdefault(job_id, end)
        return self._ends.pop(bisect_left(self._ends, (end, job_id)))

    def _touch(self, end: End, *, left: bool) -> None:
        """Note that a job has taken its nodes, or has left them."""
        if len(self._touched) >= MOST_TOUCHED:
            self._touched = []
        self._touched.append((end[2].mask, end[0], left))

    def _read(self, now: int) -> None:
        """Move the ends that depend on the present: a job over its limit may end at any moment, or after long."""
        over = {number: now + 1 for _, number, _ in self._ends[: bisect_right(self._ends, now, key=_end)]}
        for job_id, end in (over | dict.fromkeys(self._endless, now + YEAR)).items():
            self._void()
            self._touch(self._take_out(job_id), left=True)
            self._touch(self._put(job_id, end), left=False)
        self._now = now

    def state(self, count: int) -> Pool:
        """Return the pool without the first ``count`` jobs to end."""
        pool = self._states.get(count)
        if pool is None:
            self._renew()
            place = bisect_left(self._counts, count)
            near = self._counts[place - 1]
            pool = self._states[near].fork()
            for _, job_id, _ in self._ends[near:count]:
                pool.follow(self._moves[job_id])
            self._states[count] = pool
            self._counts.insert(place, count)
        return pool

    def _renew(self) -> None:
        """Bring the moves up to date, of those nodes only whose use, or the order of whose ends, has changed."""
        if self._fresh:
            return
        self._fresh = True
        pool, moves, instants = self._pool, self._moves, self._instants
        stale = pool.changed(*self._seen)
        self._seen = pool.epoch, len(pool.log)
        for job_id, earlier in self._before.items():
            end = instants.get(job_id)
            if end is None:
                moves.pop(job_id, None)
            elif earlier != end:
                stale |= self._holds[job_id].mask
                moves.setdefault(job_id, {})
        self._before.clear()
        if not stale:
            return
        fork = pool.fork()
        for _, job_id, hold in self._ends:
            if again := hold.mask & stale:
                kept = {uses: left for uses, nodes in moves[job_id].items() if (left := nodes & ~stale)}
                new = fork.given_back(hold, again)
                fork.follow(new)
                for uses, nodes in new.items():
                    kept[uses] = kept.get(uses, 0) | nodes
                moves[job_id] = kept

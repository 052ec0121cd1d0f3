"""The outlook of a cycle: which jobs of its queue it must plan.

Each promise and each start leaves less for the jobs behind it, so a job that does not fit around the present promises
will not fit later in the cycle. One that may hold no promise, and does not fit, is passed over; where nobody reads the
plans, a cycle ends when none of the jobs that are left fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from slimsched.sched.api import Entry
    from slimsched.sched.cycle import Cycle
    from slimsched.sched.requests import Request
    from slimsched.select.openings import Shape

INFINITE = float("inf")

CHUNK = 50
"""Jobs whose requests are read together; a cycle on a long queue ends before most of them."""


class Outlook:
    """Looks ahead of a cycle for jobs that could still start."""

    def __init__(self, cycle: Cycle, queue: Sequence[Entry]) -> None:
        """Look at what a cycle counts and promises; the cycle itself is not held, which holds this."""
        self._known, self._quota, self._promises = cycle.requests, cycle.quota, cycle.promises
        self._timeline, self._margin, self._most_promises = cycle.timeline, cycle.margin, cycle.most_promises
        self._now = cycle.now
        self._queue = queue
        self._foresight = self._known.foresight
        self._requests: list[Request | None] = []  # of the first jobs of the queue
        self._next = 0  # the place to go on from
        self._ahead = 0  # of the first job that may still be able to start
        self._where: int | None = None  # the nodes on which that one may do so, if they are known
        self._seen = 0  # how many promises were made by then
        self._starts = -1  # how many jobs had started when the idle nodes were looked up
        self._idle = self._room = 0  # nodes on which some CPU is free, and how many these are
        self._open: dict[tuple[Shape | None, int], int] = {}  # of the nodes of alike jobs: those open for them
        self._barred: dict[Hashable, int] = {}  # what is asked -> the fewest seconds that were found not to fit

    def places(self, now: int, *, may_stop: bool) -> Iterator[int]:
        """Yield the places in the queue of the jobs to plan; ``may_stop``: nobody reads the plans."""
        self._now, self._where = now, None
        quota, promises, most, requests = self._quota, self._promises, self._most_promises, self._requests
        limited = quota.limited
        blind = self._foresight is None or limited or not self._known.kept
        for place in range(self._next, len(self._queue)):
            entry = self._queue[place]
            if limited and not quota.leaves(entry):
                continue
            if quota.tested >= quota.most or (quota.started and quota.enough_started):
                return
            if blind or not 0 < most <= promises[entry.partition.partition_name] or entry.job.het_job_id:
                if may_stop and not (place <= self._ahead and self._untouched()) and self.lost(place):
                    return
                self._next = place + 1
                yield place
                continue
            self._next = place + 1
            if place >= len(requests):
                self._read(place)
            request = requests[place]
            if quota.started != self._starts:
                self._look()
            if request is None or request.count > self._room or self._fits(request) is None:
                quota.tested += request is not None
            else:
                yield place

    def extend(self, queue: list[Entry]) -> list[Entry]:
        """Take in a queue that has grown at its end; returns what is new."""
        new = queue[len(self._queue) :]
        self._queue = queue
        return new

    def _read(self, place: int) -> None:
        """Read the requests of the queue up to a place and a little beyond."""
        known = len(self._requests)
        self._requests += self._known.read(self._queue[known : place + CHUNK])

    def lost(self, place: int) -> bool:
        """Whether no job from a place of the queue on can start."""
        if self._foresight is None or (self._known.preempts and not self._known.kept):
            return False  # in the latter case nobody has asked which jobs may end others
        if self._quota.started != self._starts:
            self._look()
        kept, room, barred = self._known.kept, self._room, self._barred
        at = max(self._ahead, place)
        while at < len(self._queue):
            if at >= len(self._requests):
                self._read(at)
            for request in self._requests[at:]:
                if not kept:
                    where = self._may_fit(self._queue[at])
                elif request is None or request.count > room:
                    where = None
                elif request.seconds < barred.get(request.asked, INFINITE):  # as `_fits` says, without a call
                    where = self._fits(request)
                else:
                    where = None
                if where is not None:
                    self._ahead, self._where = at, where
                    self._seen = len(self._timeline.promised)
                    return False
                at += 1
        self._ahead = at
        return True

    def _untouched(self) -> bool:
        """Whether the nodes on which the job ahead may start are known, and promised to nobody since."""
        if self._where is None or self._quota.started != self._starts:
            return False
        new = self._timeline.promised[self._seen :]
        self._seen += len(new)
        return not (new and any(nodes & self._where for nodes in new))

    def _look(self) -> None:
        """Look up what is free now."""
        self._starts, self._where = self._quota.started, None
        if self._foresight is not None:
            self._idle = self._foresight.idle()
            self._room = self._idle.bit_count()
            self._open.clear()
            if self._known.preempting:  # a start may have ended others
                self._ahead = 0
                self._barred.clear()

    def _fits(self, request: Request) -> int | None:
        """Return the nodes that may do for a job and are free and not promised, ``None`` if they are too few.

        Each of them will do by itself, or they may do together. What did not fit for some time does not fit for longer,
        nor later in the cycle, unless a start has ended others.
        """
        if request.asked is None:
            return self._leaves(request)
        if request.seconds >= self._barred.get(request.asked, INFINITE):
            return None
        nodes = self._leaves(request)
        if nodes is not None and (request.alone or self._may_suffice(request, nodes)):
            return nodes
        self._barred[request.asked] = request.seconds
        return None

    def _leaves(self, request: Request) -> int | None:
        """Return the nodes that may do for a job and are not promised while it would run, ``None`` if too few are."""
        alike = request.shape, request.where.bitmap
        nodes = self._open.get(alike)
        if nodes is None:
            assert self._foresight is not None
            open_now = self._foresight.open_now(request.shape) if request.shape and request.alone else self._idle
            nodes = self._open[alike] = request.where.bitmap & open_now
        if nodes.bit_count() < request.count:
            return None
        nodes &= self._timeline.free(self._now, self._now + request.seconds)
        return nodes if nodes.bit_count() >= request.count else None

    def _may_suffice(self, request: Request, nodes: int) -> bool:
        """Whether some nodes may do at once for a job whose nodes are judged together."""
        assert self._foresight is not None
        assert request.shape is not None
        return self._foresight.may_suffice(request.shape, nodes, self._now)

    def _may_fit(self, entry: Entry) -> int | None:
        """Return the nodes that are neither full nor promised while a job would run, ``None`` if they are too few.

        Its other needs are not checked.
        """
        least = entry.job.request.min_nodes or 1
        if least > self._room:
            return None
        seconds = self._known.seconds(entry) + self._margin
        nodes = self._timeline.free(self._now, self._now + seconds) & self._idle
        return nodes if nodes.bit_count() >= least else None

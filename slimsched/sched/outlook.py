"""The outlook of a cycle, which may stop when no job further down the queue can start any more.

Only a cycle whose plans nobody looks at may: each promise and each start leaves less to those behind, so that a job
that does not fit around the promises of now will not fit later in the cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.select.openings import Foresight

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.sched.api import Entry, Host
    from slimsched.sched.timeline import Timeline


class Outlook:
    """Looks ahead of a cycle for a job that could still start."""

    def __init__(self, host: Host, queue: Sequence[Entry], timeline: Timeline, seconds: Callable[[Entry], int]) -> None:
        """``seconds``: how long a job's nodes must be free of promises."""
        self._host = host
        self._queue = queue
        self._timeline = timeline
        self._seconds = seconds
        self._place = 0  # of the first job that may still be able to start

    def lost(self, place: int) -> bool:
        """Whether no job from a place of the queue on can start."""
        if not isinstance(self._host.select, Foresight):
            return False
        idle = self._host.select.idle()
        room = idle.bit_count()
        self._place = max(self._place, place)
        while self._place < len(self._queue):
            entry = self._queue[self._place]
            least = entry.job.request.min_nodes or 1
            if least <= room and self._fits(entry, least, idle):
                return False
            self._place += 1
        return True

    def _fits(self, entry: Entry, least: int, idle: int) -> bool:
        """Whether a job has enough nodes that are not full and promised to nobody, whatever else it needs."""
        now = self._host.cluster.now
        return (self._timeline.free(now, now + self._seconds(entry)) & idle).bit_count() >= least

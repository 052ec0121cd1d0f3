"""sched/backfill: a job may start ahead of others if that does not delay their planned starts.

In order of priority every job that cannot start is given the first time and nodes that are promised to nobody
(a conservative backfill). Promises are made anew in each cycle. Traits of Slurm that are kept on purpose:

- Plans know nothing of ``--extra``: a job may be promised nodes that do not match, and one whose matching nodes
  are busy holds idle ones that do not (SURPRISES C20). ``bf_extra_constraints``, our own parameter, mends it.
- A job has to end before the minute (``bf_resolution``) in which a promise begins: behind a head job of 30
  minutes one of 29 starts, one of 30 does not (SURPRISES D37). With ``bf_exact``, our own parameter, it may end at
  the very second, as textbooks have it.
- With ``bf_job_part_count_reserve=1`` only the first waiting job of a partition holds a promise (EASY).
- A job that holds no promise, because parameters say so or its start lies beyond ``bf_window``, keeps no nodes from
  anybody; beyond the window it still has an expected start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.sched.api import SUCCESS, Entry, SchedPlugin
from slimsched.select.questions import fits
from slimsched.select.records import Mode
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.sched.api import Host
    from slimsched.sched.cycle import Cycle
    from slimsched.sched.requests import Requests


class Backfill(SchedPlugin):
    """Plans every job that cannot start, and starts those that fit around the plans."""

    plugin_type = "sched/backfill"
    plugin_name = "backfill"
    leads = False
    keeps_head = True
    looks_deeper = True

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._requests: Requests | None = None  # those of earlier cycles
        self._last: Cycle | None = None  # the last cycle, if its promises may still stand

    def schedule(self) -> int:
        """Run one cycle over the queue; without a job that waits there is none to count."""
        if not any(entry.job.state == states.PENDING for entry in self.host.queue()):
            self._last = None
            return SUCCESS
        if self._last is None or not self._last.go_on():
            self._last = self._cycle()
            self._last.run()
        if not self._last.steady:
            self._last = None
        return SUCCESS

    def try_job(self, entry: Entry) -> bool:
        """Start a new job if it delays none of the plans of the jobs ahead of it."""
        if not self._fits_now(entry):
            return False
        cycle = self._cycle()
        for other in self.host.queue():
            if other.job is entry.job:
                break
            cycle.keep(other)
        cycle.plan_all(entry)
        return cycle.quota.started > 0

    def _cycle(self) -> Cycle:
        """Return a cycle of this instant."""
        from slimsched.sched.cycle import Cycle  # most submissions have no use for it
        from slimsched.sched.requests import Requests

        if self._requests is None:
            self._requests = Requests(self.host)
        self._requests.renew()
        return Cycle(self.host, self._requests)

    def _fits_now(self, entry: Entry) -> bool:
        """Whether a job would fit at this instant if there were no promises."""
        job, part = entry.job, entry.partition
        where = self.host.wanted(job, part)
        most = self.host.bounds(entry, where)
        if most is None:
            return False
        test = where.question(job, part)
        test.most_cpus = most
        return fits(self.host.select, test, Mode.RUN_NOW)

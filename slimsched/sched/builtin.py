"""sched/builtin: strict order of priority in each partition; the controller's own pass does all the starting.

The plugin only estimates starts: as if the jobs ran one after the other where they overlap.
"""

from __future__ import annotations

from slimsched.errors import Never, NotNow
from slimsched.model.job import PENDING
from slimsched.sched.api import SUCCESS, Entry, SchedPlugin
from slimsched.select.records import JobTest, Mode

NAME = "Main"


class Builtin(SchedPlugin):
    """First in, first out."""

    plugin_type = "sched/builtin"
    plugin_name = "builtin"
    keeps_head = True

    def schedule(self) -> int:
        """Estimate when the pending jobs start."""
        cluster = self.host.cluster
        if not self.host.forecasting:
            return SUCCESS
        taken, last = 0, cluster.now - 1
        for entry in self.host.queue():
            job = entry.job
            if job.state != PENDING:
                continue  # it has just started
            start, nodes = self._forecast(entry) if self.host.tasks(job) > 0 else (0, 0)
            if nodes:
                start = last if start <= last and nodes & taken else start
                taken |= nodes
                last = start + self.host.time_limit(job, entry.partition)
            if (job.start_time, job.scheduler) != (start, NAME):
                job.start_time, job.scheduler = start, NAME
                cluster.touch_job(job)
        return SUCCESS

    def _forecast(self, entry: Entry) -> tuple[int, int]:
        """Return when and where a job could run if it were the only one that waits; (0, 0) for never."""
        job, part, _ = entry
        where = self.host.wanted(job, part, extra=False)
        wish = where.max_nodes if job.request.max_nodes else where.min_nodes
        name = part.partition_name
        test = JobTest(job, where.bitmap, where.min_nodes, where.max_nodes, wish, where.required, partition=name)
        try:
            found = self.host.select.job_test(test, Mode.WILL_RUN)
        except (NotNow, Never):
            return 0, 0
        return found.start_time, found.bitmap

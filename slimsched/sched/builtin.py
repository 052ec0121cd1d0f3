"""sched/builtin: strict order of priority in each partition; the controller's own pass does all the starting.

The plugin only estimates starts, and roughly, as slurmctld's does: each job as if it were the only one that waits, and
one after the other where they overlap. Nodes count whatever their partition, features and state; of several partitions
only the last is looked at.
"""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.sched.api import SUCCESS, Entry, SchedPlugin, looked_at
from slimsched.select.questions import answer
from slimsched.select.records import Mode
from slimsched.slurm.states import PENDING

NAME = "Main"


class Builtin(SchedPlugin):
    """First in, first out."""

    plugin_type = "sched/builtin"
    plugin_name = "builtin"
    leads = False
    keeps_head = True

    def schedule(self) -> int:
        """Estimate when the pending jobs start."""
        cluster = self.host.cluster
        if not self.host.forecasting:
            looked_at(cluster, self.host.queue(), NAME)
            return SUCCESS
        taken, last = 0, cluster.now - 1
        for entry in self.host.queue():
            job = entry.job
            if job.state != PENDING:
                continue  # it has just started
            last_asked = job.request.partition.rpartition(",")[2] == entry.partition.partition_name
            start, nodes = self._forecast(entry) if last_asked and self.host.tasks(job) > 0 else (0, 0)
            if nodes:
                start = last if start <= last and nodes & taken else start
                taken |= nodes
                last = start + self.host.time_limit(job, entry.partition)
            cluster.set_plan(job, NAME, start, job.sched_nodes, planned=job.planned)
        return SUCCESS

    def _forecast(self, entry: Entry) -> tuple[int, int]:
        """Return when and where a job could run if it were the only one that waits; (0, 0) for never."""
        job, part = entry.job, entry.partition
        where = self.host.wanted(job, part, extra=False)
        nodes = where.bitmap if job.request.reservation else self._unreserved(entry)
        if where.required & ~nodes:
            return 0, 0
        found = answer(self.host.select, where.question(job, part, nodes), Mode.WILL_RUN)
        return (found.start_time, found.bitmap) if found else (0, 0)

    def _unreserved(self, entry: Entry) -> int:
        """Return all nodes but those that a reservation would take from the job, if it started now.

        Maintenance of all nodes is passed over: slurmctld looks beyond it, and then forgets that it did.
        """
        cluster = self.host.cluster
        end = cluster.now + self.host.time_limit(entry.job, entry.partition)
        every = nodes = bitmap.full(len(cluster.nodes))
        for block in self.host.blocks(entry.job) if cluster.reservations else ():
            if block.start < end and not (block.maint and block.nodes == every):
                nodes &= ~block.nodes
        return nodes

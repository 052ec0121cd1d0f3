"""The roster: the jobs in memory by state, and those of which passes ask again and again.

It follows the marks by which the cluster says that a job changed, so that asking costs nothing while nothing changes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class Roster:
    """The jobs of a cluster, as of the last `refresh`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.changed = cluster.watch_jobs(plans=True)  # jobs to be looked at
        self._least: dict[int, int] = {}  # pending job -> the fewest nodes it asks for
        self.pending: dict[int, Job] = {}
        self.running: set[int] = set()
        self.suspended: set[int] = set()
        self.finished: dict[int, Job] = {}
        self.held: set[int] = set()  # of the pending ones
        self.unseen: set[int] = set()  # of the pending ones that are not held: no cycle has looked at them
        self.depending: set[int] = set()  # those that wait for others
        self.parts: set[int] = set()  # components of heterogeneous jobs
        self.sizes: Counter[int] = Counter()  # fewest nodes -> how many pending jobs ask for them
        self.size = 0  # how many jobs there were
        self.refresh()

    def refresh(self, *, every: bool = False) -> None:
        """Bring the roster up to date; ``every``: look at every job, whether it is marked as changed or not."""
        jobs = self._cluster.jobs
        if every or (self.size != len(jobs) and not self.changed):
            self.changed.update(jobs, self.pending, self.finished, self.running, self.suspended)
        for job_id in sorted(self.changed):
            self._enter(job_id, jobs.get(job_id))
        self.changed.clear()
        self.size = len(jobs)

    def drop(self, job_id: int) -> None:
        """Forget a finished job that is no longer in memory."""
        del self.finished[job_id]
        self.size -= 1

    def _enter(self, job_id: int, job: Job | None) -> None:
        """Put a job where it belongs."""
        size = self._least.pop(job_id, None)
        if size is not None:
            self.sizes[size] -= 1
            if not self.sizes[size]:
                del self.sizes[size]
            for names in (self.held, self.unseen, self.depending, self.parts):
                names.discard(job_id)
        if job is not None and job.state == states.PENDING:
            self._least[job_id] = size = job.request.min_nodes or 1
            self.sizes[size] += 1
            self.pending[job_id] = job
            self._leave(job_id)
            if not job.priority:
                self.held.add(job_id)
            elif not job.scheduler:
                self.unseen.add(job_id)
            if job.dependency:
                self.depending.add(job_id)
            if job.het_job_id:
                self.parts.add(job_id)
            return
        self.pending.pop(job_id, None)
        self._leave(job_id)
        if job is None:
            return
        if job.finished:
            self.finished[job_id] = job
        else:
            (self.running if job.state == states.RUNNING else self.suspended).add(job_id)

    def _leave(self, job_id: int) -> None:
        """Take a job out of those that have started."""
        self.running.discard(job_id)
        self.suspended.discard(job_id)
        self.finished.pop(job_id, None)

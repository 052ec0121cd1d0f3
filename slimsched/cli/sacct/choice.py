"""The jobs that ``sacct`` lists.

Without ``--jobs`` a period counts: from midnight (with ``--state``: from now) until now, or as ``-S`` and ``-E`` say;
with ``--jobs`` only if they say one. Accounting does not hear of a job before it may start, so that a held job that is
not named is not in any period.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from slimsched.render.jobs.job_view import View
from slimsched.render.jobs.sacct_rows import AccountingRow, accounted, by_age
from slimsched.slurm import states
from slimsched.text.times import instant

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.state.archive import Archive

Test = Callable[[View], bool]


class Key(NamedTuple):
    """A job, a task or a component, by its number, and a step, "" for all; ``alone``: a component was named as such."""

    number: int
    task: int | None
    step: str
    alone: bool


class Choice:
    """What a command line asks for. ``keys``: jobs and steps by number; None: a period counts.

    ``lag``: seconds by which the database is behind.
    """

    def __init__(self) -> None:
        self.keys: list[Key] | None = None
        self.start = self.end = self.lag = 0
        self.period_given = False
        self.states: frozenset[str] = frozenset()
        self.tests: list[Test] = []
        self.remarks: list[str] = []  # what sacct says of the command line before it goes on
        self.each_task = self.duplicates = False
        self.whole: bool | None = None  # heterogeneous jobs; None: if the id of the whole is named

    def views(self, cluster: Cluster, archive: Archive) -> list[View]:
        """Return the jobs; of one that was started anew only the last run, unless all are wanted."""
        jobs: Iterable[Job] = map(accounted, self._jobs(cluster, archive))
        if self.lag:
            from slimsched.cli.sacct.lag import known

            jobs = known(jobs, cluster.now - self.lag)
        runs = {(job.job_id, job.restarts, job.resize_time): job for job in jobs}
        listed = sorted(by_age(runs.values()), key=lambda job: job.submit_time)
        views = [view for job in listed for view in self._tasks(job, cluster)]
        for rank, view in enumerate(views):
            view.rank = rank
        kept = [view for view in views if self._keeps(view)]
        if self.duplicates:
            return kept
        last = {view.job.job_id: _run(view) for view in sorted(kept, key=_run)}
        return [view for view in kept if _run(view) == last[view.job.job_id]]

    def keeps_step(self, row: AccountingRow) -> bool:
        """Whether a row is among the steps that were asked for, if any were."""
        wanted = {key.step for key in self.keys or () if self._matches(row.view, key)}
        return not wanted or "" in wanted or row.step in wanted

    def window(self) -> str:
        """Return what ``--verbose`` says of the period."""
        first, last = (instant(moment) if moment else "Epoch 0" for moment in (self.start, self.end))
        what = ",".join(state for state in states.JOB if state in self.states) or "Eligible"
        when = f"at the time instant {first}" if first == last else f"in the time window from {first} to {last}"
        return f"Jobs {what} {when}"

    def _jobs(self, cluster: Cluster, archive: Archive) -> Iterable[Job]:
        if self.keys is None:
            return [*archive.between(self.start, self.end), *cluster.gone_jobs, *cluster.jobs.values()]
        numbers = {key.number for key in self.keys}
        live = [*cluster.gone_jobs, *cluster.related(numbers)]
        for job in [*live, *archive.some(numbers)]:
            if job.het_job_id and job.job_id in numbers:
                numbers |= set(range(job.het_job_id, job.het_job_id + job.het_size))
        arrays = {job.array_job_id for job in live if job.array_job_id in numbers}
        archived = list(archive.some(numbers))
        arrays |= {job.array_job_id for job in archived if job.array_job_id in numbers}
        if arrays:  # the tasks have numbers of their own, above that of the array
            archived = [job for job in archive.from_id(min(numbers)) if {job.job_id, job.array_job_id} & numbers]
        return [*archived, *live]

    def _tasks(self, job: Job, cluster: Cluster) -> list[View]:
        if not (self.each_task and job.array_tasks):
            return [View(job, cluster)]
        from slimsched.text import idset

        return [View(job, cluster, task) for task in idset.decode(job.array_tasks)]

    def _keeps(self, view: View) -> bool:
        if self.keys is not None and not any(self._matches(view, key) for key in self.keys):
            return False
        if not (self._in_state(view) if self.states else self._in_period(view.job)):
            return False
        return all(test(view) for test in self.tests)

    def _matches(self, view: View, key: Key) -> bool:
        job = view.job
        if key.task is not None:
            return view.array_id == key.number and (view.task == key.task or view.has_task(key.task))
        if key.number in (job.job_id, view.array_id):
            return True
        if not job.het_job_id or self.whole is False:
            return False
        if self.whole:
            return job.het_job_id <= key.number < job.het_job_id + job.het_size
        return key.number == job.het_job_id and not key.alone

    def _in_period(self, job: Job) -> bool:
        if self.keys is not None and not self.period_given:
            return True
        known = _eligible(job) if self.keys is None else job.submit_time
        if not known or known > self.end:
            return False
        return not job.finished or job.end_time >= self.start

    def _in_state(self, view: View) -> bool:
        """Whether a job was in one of the states in the period: running, waiting, or ending in that way."""
        job = view.job
        if self.keys is not None:
            return view.state in self.states
        if states.RUNNING in self.states and job.nodes and job.start_time <= self.end:
            return not job.finished or job.end_time >= self.start
        if states.PENDING in self.states and 0 < _eligible(job) <= self.end:
            return job.pending or not job.nodes or job.start_time >= self.start
        return view.state in self.states - {states.RUNNING, states.PENDING} and (
            not job.finished or self.start <= job.end_time <= self.end
        )


def _eligible(job: Job) -> int:
    """Return since when a job might have run, 0: it never might; the rest of an array might since it came."""
    waits = job.held or job.dependency or not job.array_tasks
    return job.eligible_time or (0 if waits else job.submit_time)


def _run(view: View) -> tuple[int, int]:
    """Return which part of a job's life a record tells of: it may have been started anew, or have lost nodes."""
    return view.job.restarts, view.job.resize_time

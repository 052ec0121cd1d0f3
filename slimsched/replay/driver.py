"""The replay itself: the jobs of a trace go to the controller at their instants, and rows of a schedule come back.

At one instant all job ends come first, then all submissions, then one scheduling pass. What has ended leaves the
memory at once, so that it holds the jobs in the system only.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.errors import SlurmError, UserError
from slimsched.library.holders import forget
from slimsched.model.request import INFINITE
from slimsched.replay.machine import EPOCH
from slimsched.replay.policies import MINUTE
from slimsched.replay.rows import REFUSED, NodeRow, Row
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.replay.changes import Changes
    from slimsched.replay.requests import Maker
    from slimsched.replay.trace import TraceJob

Watch = Callable[[int], bool]
"""Is told after each instant how many jobs were submitted; false stops the replay."""


class Replay:
    """A trace on its way through a cluster.

    ``submitted``: how many jobs of the trace have been; ``rows`` collects those that have left the system, until they
    are taken, by the instants of their ends, ``nodes`` what nodes said; ``cut``: runs that were cut short and began
    anew; ``refusals``: why jobs were refused, with counts.
    """

    def __init__(self, ctl: Controller, maker: Maker, *, first: int, changes: Changes | None = None) -> None:
        """``first``: the second of the trace at which the clock begins; ``changes``: of the cluster, on the way."""
        self.changes = changes
        self.nodes = [_said(first, node) for node in ctl.cluster.nodes if node.extra] if changes else []
        self.ctl, self._maker, self._second, self._first = ctl, maker, maker.second, first
        self.submitted = self.cut = 0
        self.rows: list[Row] = []
        self.refusals: dict[str, int] = {}
        self.refused: deque[TraceJob] = deque()  # those whose rows wait for the rows of jobs that ended before
        self.here: dict[int, TraceJob] = {}  # job id -> the job, as long as it is in memory
        self.promised: dict[int, int] = {}  # job id -> the first start that was planned for it
        self.take_over(ctl)

    def take_over(self, ctl: Controller) -> None:
        """Go on with another controller of the same cluster."""
        ctl.forecasting, ctl.each_plan = self.ctl.forecasting, self.ctl.each_plan
        self.ctl = ctl
        self._plans = ctl.cluster.watch_jobs(plans=True) if ctl.forecasting else None

    def run(self, jobs: Iterator[TraceJob], watch: Watch) -> bool:
        """Go through the jobs to the end of the last one. False if the watcher stopped it; it can go on then."""
        for instant, batch in self._instants(jobs):
            if not self._arrive(instant, batch, watch):
                return False
        finished = event_loop.advance_until_idle(self.ctl, watch=lambda now: self._told(watch))
        self._collect()
        if finished:
            self._leave(list(self.ctl.cluster.jobs.values()))
            self._tell_refused()
        return finished

    def _instants(self, jobs: Iterator[TraceJob]) -> Iterator[tuple[int, list[TraceJob]]]:
        """Yield the seconds at which something comes from outside, with the jobs that are submitted then.

        After the last submission changes of the cluster come as long as there are jobs in the system.
        """
        waiting = next(jobs, None)
        while waiting is not None or self.here:
            change = self.changes.next() if self.changes else None
            if waiting is None and (change is None or not self._busy(change)):
                return
            if change is not None and (waiting is None or change < waiting.submit):
                yield max(change, self._first), []
            elif waiting is not None:
                batch, instant = [waiting], waiting.submit
                while (waiting := next(jobs, None)) is not None and waiting.submit <= instant:
                    batch.append(waiting)
                yield instant, batch

    def _busy(self, second: int) -> bool:
        """Move on to a second; return whether there are jobs in the system then."""
        event_loop.advance(self.ctl, self.clock(second), settle=False)
        self._collect()
        return bool(self.here)

    def _arrive(self, instant: int, batch: list[TraceJob], watch: Watch) -> bool:
        """Move to an instant, change the cluster, submit the jobs, and run the pass."""
        ctl = self.ctl
        event_loop.advance(ctl, self.clock(instant), settle=False)
        ctl.cluster.pass_due = True
        if self.changes:
            self._change(self.changes, instant)
        for job in batch:
            self._submit(job)
        ctl.settle()
        return self._told(watch)

    def _change(self, changes: Changes, instant: int) -> None:
        cluster = self.ctl.cluster
        cluster.dirty_nodes.clear()
        changes.until(instant, self.ctl, self.clock)
        self.nodes += [
            _said(instant, cluster.nodes[cluster.node_index[name]])
            for name in sorted(cluster.dirty_nodes)
            if name in cluster.node_index
        ]

    def _submit(self, job: TraceJob) -> None:
        self.submitted += 1
        cluster = self.ctl.cluster
        job_id = cluster.next_job_id
        try:
            request, user = self._maker.make(self.ctl, job)
            self.here[submit(self.ctl, request, user).job_id] = job
        except UserError as refusal:
            cluster.jobs.pop(job_id, None)
            why = (refusal.detail if isinstance(refusal, SlurmError) else "") or refusal.message
            self.refusals[why] = self.refusals.get(why, 0) + 1
            self.refused.append(job)

    def _tell_refused(self, until: float = math.inf) -> None:
        """Make the rows of the jobs that were refused until a second."""
        while self.refused and self.refused[0].submit <= until:
            job = self.refused.popleft()
            row = Row(job.number, job.owner, job.size, job.submit, -1, -1, 0, job.estimate, REFUSED, "", -1, "", "")
            self.rows.append(row)

    def _told(self, watch: Watch) -> bool:
        """Take in what has happened, and tell the watcher."""
        self._collect()
        return watch(self.submitted)

    def _collect(self) -> None:
        """Take the jobs that have left the system, and forget what a commit would write."""
        cluster = self.ctl.cluster
        if self._plans:
            for job_id in self._plans:
                job = cluster.jobs.get(job_id)
                if job is not None and job.pending and job.planned:
                    self.promised.setdefault(job_id, job.start_time)
            self._plans.clear()
        if cluster.gone_jobs:
            self._leave(cluster.gone_jobs)
        forget(cluster)

    def _leave(self, jobs: list[Job]) -> None:
        """Make the rows of jobs that leave together. By their ends, they come in one order whenever they leave."""
        for job in sorted(jobs, key=_by_end):
            again = self.ctl.cluster.jobs.get(job.job_id)  # a run that was cut short has left a record of its own
            ended = job.finished and job.state != states.REQUEUED and again in (None, job)
            if job.job_id in self.here and (ended or job.pending):  # one that waits for ever stays pending
                if ended and self.refused:
                    self._tell_refused(self.second(job.end_time))
                self.rows.append(self._row(job, self.here.pop(job.job_id)))
            else:
                self.cut += 1

    def _row(self, job: Job, traced: TraceJob) -> Row:
        ran = bool(job.nodes)
        limit = job.request.time_limit
        promised = self.promised.pop(job.job_id, None)
        return Row(
            job=traced.number,
            user=job.user_name,
            procs=traced.size if traced.size > 0 else sum(job.cpus),
            submit=traced.submit,
            start=self.second(job.start_time) if ran else -1,
            end=self.second(job.end_time) if ran else -1,
            run=(job.end_time - job.start_time) // self._second if ran else 0,
            limit=-1 if limit is None or limit == INFINITE else limit * MINUTE // self._second,
            state=job.state,
            scheduler=job.scheduler,
            planned=-1 if promised is None else self.second(promised),
            nodes=job.nodes,
            extra=job.request.extra or "",
        )

    # the two clocks

    def clock(self, second: int) -> int:
        """Return the instant of the cluster's clock for a second of the trace."""
        return EPOCH + (second - self._first) * self._second

    def second(self, instant: int) -> int:
        """Return the second of the trace for an instant of the cluster's clock."""
        return self._first + (instant - EPOCH) // self._second


def _by_end(job: Job) -> tuple[bool, int, int]:
    return not job.finished, job.end_time, job.job_id


def _said(second: int, node: Node) -> NodeRow:
    return NodeRow(second, node.name, node.state, node.extra or "")

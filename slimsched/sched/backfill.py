"""sched/backfill: a job may start ahead of others if that does not delay their planned starts.

In order of priority every job that cannot start is given the first time and nodes that are promised to nobody
(a conservative backfill). Promises are made anew in each cycle. Traits of Slurm that are kept on purpose:

- Plans know nothing of ``--extra``: a job may be promised nodes that do not match, and one whose matching nodes
  are busy holds idle ones that do not (SURPRISES C20). ``bf_extra_constraints``, our own parameter, mends it.
- A job has to end before the minute (``bf_resolution``) in which a promise begins: behind a head job of 30
  minutes one of 29 starts, one of 30 does not (SURPRISES D37). With ``bf_resolution=1`` it may end at the very
  second, as textbooks have it.
- With ``bf_job_part_count_reserve=1`` only the first waiting job of a partition holds a promise (EASY).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from slimsched.errors import Never, NotNow
from slimsched.model import job as states
from slimsched.sched.api import SUCCESS, Attempt, Entry, SchedPlugin, Verdict
from slimsched.sched.parameters import Parameters
from slimsched.sched.planner import Plan, Planner, Request
from slimsched.sched.quota import Quota
from slimsched.sched.timeline import Timeline
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from slimsched.model.job import Job
    from slimsched.sched.api import Host

NAME = "Backfill"


class Backfill(SchedPlugin):
    """Plans every job that cannot start, and starts those that fit around the plans."""

    plugin_name = "backfill"

    def schedule(self) -> int:
        """Run one cycle over the queue."""
        Cycle(self.host).run()
        return SUCCESS

    def try_job(self, entry: Entry) -> bool:
        """Start a new job if it delays none of the plans of the jobs ahead of it."""
        cycle = Cycle(self.host)
        if not cycle.fits_now(entry):
            return False
        for other in self.host.queue():
            if other.job is entry.job:
                break
            cycle.keep(other)
        return cycle.plan(entry)


class Cycle:
    """One backfill cycle at the present instant."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.now = host.cluster.now
        self.parameters = Parameters(host.cluster.config)
        self.resolution = max(1, self.parameters.number("bf_resolution"))
        self.margin = 0 if self.resolution == 1 else 1
        self.match_extra = "bf_extra_constraints" in self.parameters
        self.timeline = Timeline(self.now, host.up_nodes)
        self.planner = Planner(self.timeline, host.select, self.now + self.parameters.number("bf_window") * 60)
        self.reserved: Counter[str] = Counter()  # promises by partition

    def run(self) -> None:
        """Plan the queue."""
        host = self.host
        queue, quota, started = host.queue(), Quota(self.parameters), 0
        most_starts = self.parameters.number("bf_max_job_start")
        for entry in queue:
            if quota.used_up or (most_starts and started >= most_starts):
                break
            if entry.job.state == states.PENDING and entry.job.priority and quota.take(entry):
                started += self.plan_all(entry)
        self._count(len(queue), quota.tested, started)

    def plan_all(self, entry: Entry) -> int:
        """Plan a job, or the tasks of an array; returns how many started."""
        job = entry.job
        tasks = min(self.host.tasks(job), self.parameters.number("bf_max_job_array_resv")) if job.array_tasks else 1
        started = 0
        self._forget(job)
        for _ in range(tasks):
            if not job.pending:
                break
            started += self.plan(entry)
        return started

    def plan(self, entry: Entry) -> bool:
        """Start a job, or promise it the first nodes it can get; True if it started."""
        request = self._request(entry)
        plan = self.planner.find(request, self.now) if request else None
        if request is None or plan is None:
            return False
        if plan.start <= self.now:
            verdict = self._start(entry, plan)
            if verdict is not Verdict.BUSY:
                return verdict is Verdict.STARTED
        if self._may_promise(entry):
            self._promise(plan.start, plan.start + self._seconds(entry), plan.nodes)
        self._note(entry.job, plan)
        return False

    def keep(self, entry: Entry) -> None:
        """Take over the plan that an earlier cycle made for a job; one that has none is planned, but not started."""
        job = entry.job
        if not job.planned:
            request = self._request(entry)
            plan = self.planner.find(request, self.now) if request and not job.scheduler else None
            if plan is None:
                return
            self._note(job, plan)
        nodes = self.host.cluster.bitmap_of(job.sched_nodes)
        self._promise(job.start_time, job.start_time + self._seconds(entry), nodes)

    def fits_now(self, entry: Entry) -> bool:
        """Whether a job would fit at this instant if there were no promises."""
        job, part, _ = entry
        where = self.host.wanted(job, part)
        test = JobTest(job, where.bitmap, where.min_nodes, where.max_nodes, where.min_nodes, where.required)
        test.partition = part.partition_name
        try:
            self.host.select.job_test(test, Mode.RUN_NOW)
        except (NotNow, Never):
            return False
        return True

    def _request(self, entry: Entry) -> Request | None:
        """Return what to ask of the planner, ``None`` if too few nodes are up for the job."""
        job, part, _ = entry
        where = self.host.wanted(job, part, extra=self.match_extra)
        if where.bitmap.bit_count() < where.min_nodes or where.required & ~where.bitmap:
            return None
        blocks = self.host.blocks(job) if self.host.cluster.reservations else []
        return Request(entry, where, self._seconds(entry) + self.margin, blocks)

    def _seconds(self, entry: Entry) -> int:
        """Return how long to plan a job for: ``--time-min`` if it is given."""
        limit = self.host.time_limit(entry.job, entry.partition)
        shortest = entry.job.request.time_min
        return min(limit, shortest * 60) if shortest else limit

    def _start(self, entry: Entry, plan: Plan) -> Verdict:
        """Try to start a job outside of what is promised."""
        job, part, _ = entry
        if not job.request.time_min:
            return self.host.attempt(job, part, self.host.up_nodes & ~plan.free, NAME).verdict
        limit = job.request.time_limit
        job.request.time_limit = self._seconds(entry) // 60
        attempt = self.host.attempt(job, part, self.host.up_nodes & ~plan.free, NAME)
        job.request.time_limit = limit
        if attempt.started is not None:
            self._stretch(entry, attempt)
        return attempt.verdict

    def _stretch(self, entry: Entry, attempt: Attempt) -> None:
        """Give a job with ``--time-min`` as much of its limit as the promises leave."""
        job = attempt.started
        assert job is not None
        nodes = self.host.cluster.bitmap_of(job.nodes)
        ends = [b.start for b in self.host.blocks(job) if b.nodes & nodes and b.start > self.now]
        promised = self.timeline.free_until(self.now, nodes)
        if promised is not None:
            ends.append(promised)
        limit = self.host.time_limit(job, entry.partition) // 60
        left = min([limit, *((end - self.now) // 60 for end in ends)])
        self.host.set_time_limit(job, max(left, job.request.time_min or 0))

    def _may_promise(self, entry: Entry) -> bool:
        """Whether a job is among those that hold promises; all do unless parameters say otherwise."""
        number, job = self.parameters.number, entry.job
        if entry.priority < number("bf_min_prio_reserve"):
            return False
        if self.now - (job.eligible_time or self.now) < number("bf_min_age_reserve"):
            return False
        most = number("bf_job_part_count_reserve")
        if most and self.reserved[entry.partition.partition_name] >= most:
            return False
        self.reserved[entry.partition.partition_name] += 1
        return True

    def _promise(self, start: int, end: int, nodes: int) -> None:
        """Promise nodes, in whole units of ``bf_resolution``."""
        unit = self.resolution
        self.timeline.promise(start // unit * unit, -(-end // unit) * unit, nodes)

    def _forget(self, job: Job) -> None:
        """Drop the plan that an earlier cycle made."""
        if job.planned or job.start_time or job.scheduler != NAME:
            job.planned, job.start_time, job.sched_nodes, job.scheduler = False, 0, "", NAME
            self.host.cluster.touch_job(job)

    def _note(self, job: Job, plan: Plan) -> None:
        """Write a plan into the job's record; of several, the first start and all nodes."""
        cluster = self.host.cluster
        nodes = plan.nodes | cluster.bitmap_of(job.sched_nodes)
        start = min(plan.start, job.start_time) if job.planned else plan.start
        job.planned, job.start_time, job.sched_nodes, job.scheduler = True, start, cluster.hostlist_of(nodes), NAME
        cluster.touch_job(job)

    def _count(self, length: int, tested: int, started: int) -> None:
        """Count for ``sdiag``."""
        found = self.host.cluster.statistics
        for name, value in (
            ("bf_cycle_counter", 1),
            ("bf_backfilled_jobs", started),
            ("bf_depth_sum", length),
            ("bf_depth_try_sum", tested),
            ("bf_queue_len_sum", length),
            ("bf_table_size_sum", len(self.timeline)),
        ):
            found[name] = found.get(name, 0) + value
        found["bf_last_depth"], found["bf_last_depth_try"], found["bf_queue_len"] = length, tested, length
        found["bf_table_size"], found["bf_when_last_cycle"] = len(self.timeline), self.now

"""One backfill cycle: the queue is planned job by job around what is promised so far."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from slimsched.model.record import copied
from slimsched.sched.api import Attempt, Entry, Verdict, looked_at
from slimsched.sched.outlook import Outlook
from slimsched.sched.planner import Plan, Planner
from slimsched.sched.quota import Quota, reserves
from slimsched.sched.timeline import Timeline
from slimsched.slurm import states
from slimsched.text.times import YEAR

if TYPE_CHECKING:
    from slimsched.model.job import Job
    from slimsched.sched.api import Entry, Host
    from slimsched.sched.requests import Request, Requests

NAME = "Backfill"


class Cycle:
    """A cycle at the present instant."""

    def __init__(self, host: Host, requests: Requests) -> None:
        """Begin with no promises; ``requests``: what is known from earlier cycles."""
        self.host = host
        self.requests = requests
        self.now = now = host.cluster.now
        self.forecasting = host.forecasting
        self.parameters = requests.parameters
        exact, numbers = requests.exact, self.parameters.numbers
        self.resolution = unit = 1 if exact else max(1, numbers["bf_resolution"])
        self.margin = requests.margin
        self.one_partition = "bf_one_resv_per_job" in self.parameters  # a job holds nodes in one of its partitions only
        self.most_promises = numbers["bf_job_part_count_reserve"]  # of a partition, 0: any number
        self.timeline = Timeline(now, host.up_nodes)
        horizon = (now + numbers["bf_window"] * 60) // unit * unit
        self.planner = Planner(self.timeline, host.select, horizon, resolution=unit, exact=exact)
        self.quota = Quota(self.parameters)
        self.promises: defaultdict[str, int] = defaultdict(int)  # by partition
        self.plans: dict[int, tuple[Entry, Plan]] = {}
        self._outlook: Outlook | None = None
        self._rests_on: tuple[int | None, ...] = ()  # what the promises rest on besides the time

    def run(self) -> None:
        """Plan the queue."""
        queue = [entry for entry in self.host.queue() if entry.job.state == states.PENDING]
        self._outlook = Outlook(self, queue)
        self._plan(queue, queue)

    def go_on(self) -> bool:
        """Plan the jobs that have entered the queue since the last cycle, behind all others; false if more has changed.

        While nothing starts or ends, the promises stand, and none of the jobs that were looked at can start.
        """
        self.requests.renew()
        foresight = self.requests.foresight
        if foresight is None or self.host.forecasting or self._state() != self._rests_on:
            return False
        now = self.host.cluster.now
        if foresight.first_end() <= now + 1:
            return False  # of a job over its limit nobody knows when it ends
        assert self._outlook is not None
        unit = self.resolution
        self.now, self.planner.horizon = now, (now + self.parameters.numbers["bf_window"] * 60) // unit * unit
        queue = self.host.queue()
        self._plan(queue, self._outlook.extend(queue))
        return True

    @property
    def steady(self) -> bool:
        """Whether the promises stand as long as nothing but the time and the end of the queue changes."""
        quota, requests = self.quota, self.requests
        if self.forecasting or not requests.kept or None in self._rests_on:
            return False
        ended = quota.limited or quota.used_up or quota.started or self.planner.beyond
        return not (ended or requests.passing or self.parameters.numbers["bf_min_age_reserve"])

    def _state(self) -> tuple[int | None, ...]:
        foresight = self.requests.foresight
        changes = foresight.changes if foresight is not None else None
        return self.host.queue_moves, changes, *self.requests.state

    def _plan(self, queue: list[Entry], new: list[Entry]) -> None:
        """Plan the jobs of the queue that must be; ``new``: those that no earlier part of this cycle has seen."""
        assert self._outlook is not None
        self._rests_on = self._state()
        for place in self._outlook.places(self.now, may_stop=not self.forecasting):
            entry = queue[place]
            if entry.job.state == states.PENDING and entry.job.priority:
                self.plan_all(entry)
        if self.forecasting:
            self._write(queue)
        else:
            looked_at(self.host.cluster, new, NAME)
        self._count(len(queue))

    def plan_all(self, entry: Entry) -> None:
        """Plan a job, or the tasks of an array: as many as can start, and promises for some more."""
        job, promised = entry.job, 0
        if job.het_job_id:
            if self.quota.take(entry):
                self._plan_together(entry)
            return
        if not job.array_tasks:
            if self.quota.take(entry):
                self.plan(entry)
            return
        most = self.parameters.numbers["bf_max_job_array_resv"]
        while job.state == states.PENDING and promised < min(most, self.host.tasks(job)):
            started = self.plan(entry) if self.quota.take(entry) else None
            if started is None or self.quota.enough_started:
                break
            promised += not started

    def plan(self, entry: Entry) -> bool | None:
        """Start a job (True), or promise it the first nodes it can get (False); ``None`` if neither was possible."""
        request = self.requests.of(entry)
        if request is None:
            return None
        self.quota.tested += 1
        promise = self._may_promise(request)
        foreseen = promise or request.reserves_nothing
        plan = self.planner.find(request, self.now) if foreseen else self.planner.fits(request, self.now)
        if plan is None:
            return None
        if plan.start <= self.now:
            verdict = self._start(entry, plan)
            if verdict is Verdict.STARTED:
                self.quota.started += 1
                return True
            promise = promise and verdict is Verdict.BUSY
        if promise:
            self._keep_plan(entry, plan, request.seconds - self.margin)
        elif plan.start > self.now:
            self._show(entry, Plan(plan.start, 0, 0))
        return False if promise and plan.nodes else None

    def _plan_together(self, entry: Entry) -> None:
        """Start all components of a heterogeneous job, or promise them nodes for the first instant that suits all."""
        self.quota.tested += 1
        places = self._places(entry)
        if not places:
            return
        start = places[0][1].start
        if start <= self.now:
            busy = {place.entry.job.job_id: self.host.up_nodes & ~plan.free for place, plan in places}
            verdict = self.host.attempt_together(entry.job, entry.partition, busy).verdict
            self.quota.started += verdict is Verdict.STARTED
            if verdict is not Verdict.BUSY:
                return
        if self._may_promise(places[0][0]):
            for place, plan in places:
                self._keep_plan(place.entry, plan, place.seconds - self.margin)

    def _places(self, entry: Entry) -> list[tuple[Request, Plan]]:
        """Return a plan for each component on nodes of its own, all from one instant; empty if there is none."""
        wanted = [
            [request for one in entries if (request := self.requests.of(one)) is not None]
            for entries in ([entry], *self.host.companions(entry.job))
        ]
        start, found = self.now, self._places_from(wanted, self.now)
        while found and (latest := max(plan.start for _, plan in found)) > start:
            start, found = latest, self._places_from(wanted, latest)
        return found

    def _places_from(self, wanted: list[list[Request]], start: int) -> list[tuple[Request, Plan]]:
        """Return the first plan from ``start`` on for each component, on nodes that those before it leave."""
        found: list[tuple[Request, Plan]] = []
        taken = 0
        for requests in wanted:
            plans = [(one, plan) for one in requests if (plan := self._find(one, start, taken)) is not None]
            if not plans:
                return []
            found.append(min(plans, key=lambda pair: pair[1].start))
            taken |= found[-1][1].nodes
        return found

    def _find(self, request: Request, start: int, taken: int) -> Plan | None:
        """Return the first plan on nodes that are not ``taken``."""
        left = copied(request)
        left.where = copied(request.where)
        left.where.bitmap &= ~taken
        plan = self.planner.find(left, start)
        return plan if plan is not None and plan.nodes else None

    def keep(self, entry: Entry) -> None:
        """Take over the plan that an earlier cycle made for a job; one that no cycle has seen is planned now."""
        job = entry.job
        for others in self.host.companions(job):
            if others and others[0].job.planned:
                self._keep_planned(others[0])
        if job.planned:
            self._keep_planned(entry)
        elif not ((job.scheduler and self.host.forecasting) or job.het_job_id):
            request = self.requests.of(entry)
            found = self.planner.find(request, self.now) if request and self._may_promise(request) else None
            if request and found:
                self._keep_plan(entry, found, request.seconds - self.margin)
                self._note(job, found)

    def _keep_planned(self, entry: Entry) -> None:
        plan = Plan(entry.job.start_time, self.host.cluster.bitmap_of(entry.job.sched_nodes), 0)
        self._keep_plan(entry, plan, self.requests.seconds(entry))

    def _start(self, entry: Entry, plan: Plan) -> Verdict:
        """Try to start a job outside of what is promised."""
        job, part = entry.job, entry.partition
        promised = self.host.up_nodes & ~plan.free
        if not job.request.time_min:
            attempt = self.host.attempt(job, part, promised, NAME)
            if attempt.started is not None and (seconds := self.host.time_limit(job, part)) >= YEAR:  # it has no limit
                self.host.set_time_limit(attempt.started, seconds // 60)
            return attempt.verdict
        limit = job.request.time_limit
        job.request.time_limit = self.requests.seconds(entry) // 60
        attempt = self.host.attempt(job, part, promised, NAME)
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

    def _keep_plan(self, entry: Entry, plan: Plan, seconds: int) -> None:
        """Promise a job its nodes, in whole units of ``bf_resolution``."""
        if plan.nodes:
            unit = self.resolution
            end = plan.start + seconds
            self.timeline.promise(plan.start // unit * unit, -(-end // unit) * unit, plan.nodes)
            self.promises[entry.partition.partition_name] += 1
        self._show(entry, plan)

    def _show(self, entry: Entry, plan: Plan) -> None:
        """Note a plan for the job's record; of several the one that starts first is shown."""
        known = self.plans.get(entry.job.job_id)
        if known is not None:
            other = known[1]
            first = min(plan, other, key=lambda each: (each.start, each.nodes))
            nodes = plan.nodes | other.nodes if entry.job.array_tasks else first.nodes
            plan = Plan(min(plan.start, other.start), nodes, 0)
        self.plans[entry.job.job_id] = entry, plan

    def _may_promise(self, request: Request) -> bool:
        """Whether a job is among those that hold promises; one that is not can only start at once."""
        entry = request.entry
        if request.reserves_nothing or not reserves(self.parameters, entry, self.now, request.least):
            return False
        if self.one_partition:
            known = self.plans.get(entry.job.job_id)
            if known is not None and known[0].partition is not entry.partition:
                return False
        return not 0 < self.most_promises <= self.promises[entry.partition.partition_name]

    def _write(self, queue: list[Entry]) -> None:
        """Write the plans of this cycle into the jobs' records, over those of the last."""
        cluster = self.host.cluster
        jobs = {entry.job.job_id: entry.job for entry in queue}
        for first in [job for job in jobs.values() if job.het_job_id]:
            jobs.update({one.job.job_id: one.job for entries in self.host.companions(first) for one in entries})
        for job in jobs.values():
            if job.state != states.PENDING:
                continue
            found = self.plans.get(job.job_id)
            if found is not None:
                self._note(job, found[1])
            elif job.planned or job.start_time or job.scheduler != NAME:
                cluster.set_plan(job, NAME, 0)

    def _note(self, job: Job, plan: Plan) -> None:
        """Write one plan."""
        cluster = self.host.cluster
        cluster.set_plan(job, NAME, plan.start, cluster.hostlist_of(plan.nodes), planned=bool(plan.nodes))

    def _count(self, length: int) -> None:
        """Count for ``sdiag``."""
        found, size = self.host.cluster.statistics, len(self.timeline)
        tested, started = self.quota.tested, self.quota.started
        for name, value in (
            ("bf_cycle_counter", 1),
            ("bf_backfilled_jobs", started),
            ("bf_depth_sum", length),
            ("bf_depth_try_sum", tested),
            ("bf_queue_len_sum", length),
            ("bf_table_size_sum", size),
        ):
            found[name] = found.get(name, 0) + value
        found["bf_last_depth"], found["bf_last_depth_try"], found["bf_queue_len"] = length, tested, length
        found["bf_table_size"], found["bf_when_last_cycle"] = size, self.now

"""The scheduling pass: jobs in order of priority until one blocks its partition, then the scheduler plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.schedule import attempt, candidates, job_queue
from slimsched.controller.schedule.ordered_queue import Busy
from slimsched.sched.api import Attempt, Entry, Verdict
from slimsched.sched.quota import Depth, reserves
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.sched.api import Candidates
    from slimsched.select.openings import Shape

MOST_PASSES = 100
"""The most passes at one instant; each but the first follows a job that the pass before it refused for good."""

PLANNED = "jobs_started_when_planned"
"""Counter of the jobs that had started before the last cycle."""


BUSY = Attempt(Verdict.BUSY)


class Pass:
    """One pass over the queue of one instant.

    ``queue``: the jobs that may start, best first; ``offered``: the nodes that are not kept for a job that waits;
    ``blocked``: the partitions, and reservations, in which a job waits for nodes and holds up those behind it;
    ``forecasts``: whether somebody may read the expected starts of those that wait.
    """

    def __init__(self, ctl: Controller, *, forecasts: bool) -> None:
        self.ctl = ctl
        self.forecasts = forecasts
        self.foresight = ctl.foresight
        self.queue = ctl.queue.entries()
        self.offered = 0
        self.blocked: set[str] = set()

    def renew(self) -> None:
        """Build the queue anew: priorities have changed, or a job was held or released."""
        self.queue = self.ctl.queue.entries()

    def lead(self) -> None:
        """Let a scheduler plugin that ``leads`` go first."""
        self.ctl.sched.schedule()
        self.renew()

    def backfill(self) -> None:
        """Let the scheduler plugin plan the waiting jobs."""
        ctl = self.ctl
        if not ctl.led:
            if ctl.queue.several or not ctl.queue.kept:
                job_queue.restate_limits(ctl, self.queue)
            _count_planned(ctl.cluster)
            ctl.sched.schedule()

    def main(self, *, whole: bool = False) -> bool:
        """Try the jobs in order of priority; one that waits for nodes holds up the lower ones of its partition.

        ``whole``: whatever ``default_queue_depth`` says. True if that cut the queue.
        """
        ctl, entries = self.ctl, self.queue
        given = ctl.parameters
        depth = Depth(given, bounded=ctl.sched.looks_deeper and not whole)
        self.offered = ctl.sets.up
        for index, entry in enumerate(entries):
            job, part = entry.job, entry.partition
            if job.state != states.PENDING or not job.priority:
                continue  # started, or refused for good, in another partition
            blocked = self.blocked and job_queue.where(entry) in self.blocked
            if blocked or (depth.by_partition and not depth.in_partition(part.partition_name)):
                for one in ctl.cluster.components(job):
                    attempt.put_behind(ctl, one)
                continue
            if not depth.take():
                break
            found, where = self._try(entry)
            depth.started += found.verdict is Verdict.STARTED
            if found.verdict is Verdict.BUSY and reserves(given, entry, ctl.cluster.now, least_priority(ctl, entry)):
                self._keep(entry, where)
                for others in job_queue.companions(ctl, job):
                    self._keep(others[0], candidates.wanted(ctl, others[0].job, others[0].partition))
                if ctl.queue.kept and len(self.blocked) == len(ctl.queue.where) and not depth.by_partition:
                    for one in ctl.queue.behind(index):
                        attempt.put_behind(ctl, one)
                    break
        _count_cycle(ctl.cluster, len(entries), cut=depth.used_up)
        return depth.used_up

    def _try(self, entry: Entry) -> tuple[Attempt, Candidates]:
        """Try to start a job: as many tasks as can start of an array, all components of a heterogeneous one."""
        ctl, job, part = self.ctl, entry.job, entry.partition
        if job.het_job_id:
            from slimsched.controller.schedule import together

            return together.try_together(ctl, job, part, self.offered, {})
        name, state, foresight = job_queue.where(entry), self._state(entry), self.foresight
        known = ctl.queue.busy.get(name) if state else None
        if known is not None and foresight is not None and known.entry is entry and known.offered == self.offered:
            open_now = known.where.bitmap & foresight.open_now(known.shape)
            if known.state == state and open_now.bit_count() < known.shape.size:  # as before
                job.last_sched_eval = ctl.cluster.now
                ctl.cluster.set_reason(job, reasons.RESOURCES)
                return BUSY, known.where
        while True:
            found, where = attempt.try_one(ctl, job, part, self.offered)
            if found.verdict is not Verdict.STARTED or not attempt.has_more(ctl, job):
                break
        if state and found.verdict is Verdict.BUSY and where.refusal is None:
            shape = self._shape(entry, where)
            if shape is not None and shape.size:
                ctl.queue.busy[name] = Busy(entry, where, shape, self.offered, state)
        return found, where

    def _shape(self, entry: Entry, where: Candidates) -> Shape | None:
        """Return what a job has in common with others, ``None`` if more than nodes may be in its way."""
        job = entry.job
        if job.request.takes_licenses or job.array_max_tasks or self.foresight is None:
            return None
        return self.foresight.shape(where.question(job, entry.partition))

    def _state(self, entry: Entry) -> tuple[int, ...]:
        """Return what an answer rests on besides the job and the nodes that are free; empty if on much more."""
        ctl, cluster, roster = self.ctl, self.ctl.cluster, self.ctl.roster
        if not ctl.queue.kept or roster.suspended or cluster.reservations or cluster.has_complexes:
            return ()
        if self.foresight is None or (ctl.preempts and _may_preempt(cluster, entry)):
            return ()
        return self.foresight.shape_changes, cluster.layout_changes

    def _keep(self, entry: Entry, where: Candidates) -> None:
        """Keep nodes for a job that waits: those that it names, or all of its partition, from lower ones too."""
        if where.required.bit_count() >= where.min_nodes:
            self.offered &= ~where.required  # others may still run elsewhere
            return
        self.blocked.add(job_queue.where(entry))
        if not entry.job.request.reservation:
            self.offered &= ~self.ctl.cluster.partition_bitmap(entry.partition.partition_name)


def run_pass(ctl: Controller, *, backfill: bool = True, forecast: bool = True) -> None:
    """Start all jobs that can start now, and let the scheduler plugin plan the others (``backfill``).

    Without ``forecast`` it plans no more than decides what starts.
    """
    for _ in range(MOST_PASSES):
        run_once(ctl, backfill=backfill, forecast=forecast)
        if not ctl.cluster.pass_due:
            break


def run_once(
    ctl: Controller, *, main: bool = True, backfill: bool = True, whole: bool = False, forecast: bool = True
) -> bool:
    """Run one pass, or a part of it; whether ``default_queue_depth`` cut its queue, unless it is tried as a ``whole``.

    Another is due if a job was refused for good, or if one started that others wait for.
    """
    cluster = ctl.cluster
    forecast = forecast and ctl.forecasting
    cluster.pass_due = cluster.arrays_due = False
    if cluster.reservations:
        from slimsched.controller.reservations import ends, node_choice

        node_choice.replace(ctl)
        ends.look(ctl)
    if backfill:
        cluster.last_backfill, ctl.plans_left = cluster.now, ctl.forecasting and not forecast
    if not forecast and _nothing_can_start(ctl):
        if backfill:
            _count_planned(cluster)
        return False
    if ctl.preempts:
        from slimsched.controller.schedule import preemption

        preemption.resume_suspended(ctl)
    before = cluster.statistics.get("jobs_started", 0)
    this = ctl.current_pass = Pass(ctl, forecasts=forecast)
    try:
        if ctl.led:
            this.lead()
        cut = main and this.main(whole=whole)
        if backfill:
            this.backfill()
    finally:
        ctl.current_pass = None
    if ctl.gangs:
        from slimsched.controller.schedule import gang

        gang.take_turns(ctl)
    if ctl.roster.depending and cluster.statistics.get("jobs_started", 0) != before:
        cluster.pass_due |= _waiting_for_a_start(ctl)
    return cut


def _nothing_can_start(ctl: Controller) -> bool:
    """Whether every pending job asks for more nodes than have anything free, and a cycle has seen it."""
    foresight, roster = ctl.foresight, ctl.roster
    if foresight is None or roster.depending or roster.unseen or ctl.preempts:
        return False
    return not roster.sizes or foresight.idle().bit_count() < min(roster.sizes)


def _may_preempt(cluster: Cluster, entry: Entry) -> bool:
    from slimsched.controller.schedule import preemption

    return preemption.may_preempt(cluster, entry.job, entry.partition)


def _waiting_for_a_start(ctl: Controller) -> bool:
    """Whether some pending job depends on the start of another."""
    roster = ctl.roster
    return any("after:" in roster.pending[job_id].dependency for job_id in roster.depending)


def _count_planned(cluster: Cluster) -> None:
    """Note how many jobs had started before this cycle."""
    cluster.statistics[PLANNED] = cluster.statistics.get("jobs_started", 0)


def started_since_cycle(cluster: Cluster) -> bool:
    """Whether a job has started in the scheduler plugin's last cycle or since."""
    return cluster.statistics.get("jobs_started", 0) != cluster.statistics.get(PLANNED, 0)


def backfill_interval(ctl: Controller) -> int:
    """Return the seconds between two cycles of the scheduler plugin while the clock moves."""
    return ctl.parameters.numbers["bf_interval"]


def least_priority(ctl: Controller, entry: Entry) -> int:
    """Return the priority from which on a job may keep nodes from others, 0 if only the cluster's counts."""
    if not ctl.cluster.accounting:
        return 0
    from slimsched.controller.accounts import assoc_limits

    return assoc_limits.least_priority(ctl.cluster, entry.job, entry.partition)


def _count_cycle(cluster: Cluster, length: int, *, cut: bool) -> None:
    """Count a main cycle for ``sdiag``: how long its queue was, and whether ``default_queue_depth`` cut it."""
    found = cluster.statistics
    end = "schedule_exit_default_queue_depth" if cut else "schedule_exit_end_job_queue"
    for name, value in (("schedule_cycle_total", 1), ("schedule_cycle_depth", length), (end, 1)):
        found[name] = found.get(name, 0) + value
    found["schedule_queue_length"] = length

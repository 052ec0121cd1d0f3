"""The scheduling pass: jobs in order of priority until one blocks its partition, then the scheduler plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.life import arrays, transitions
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import candidates, gang, job_queue, licensing, time_limits
from slimsched.errors import Never, NotNow, PluginError
from slimsched.model.job import HOLD_PRIORITY
from slimsched.sched.api import Attempt, Candidates, Entry, Refusal, Verdict
from slimsched.sched.quota import Depth, reserves
from slimsched.select.openings import Foresight
from slimsched.select.questions import fits
from slimsched.select.records import Mode
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.records import JobTest, Selection

MOST_PASSES = 100
"""Passes at one instant; each but the first follows from a job that the one before it gave up."""

NOT_BEGUN = Refusal(Verdict.PASSED, reasons.SYSTEM_FAILURE)
"""What becomes of a job whose nodes the select plugin could not book: it stays in the queue."""

ELSEWHERE = Refusal(Verdict.PASSED, reasons.RESOURCES)
"""What becomes of a job that can never run in one of its partitions: another may do."""

UNLICENSED = Refusal(Verdict.PASSED, reasons.LICENSES)
THROTTLED = Refusal(Verdict.PASSED, reasons.ARRAY_LIMIT)
PLANNED = "jobs_started_when_planned"
"""Counter of the jobs that had started before the last cycle."""

WAITING = frozenset({reasons.RESOURCES, reasons.PRIORITY, reasons.TOO_FEW})
"""Reasons of jobs that hold up those behind them in their partition."""


def run_pass(ctl: Controller, *, backfill: bool = True) -> None:
    """Start all jobs that can start now, and let the scheduler plugin plan the others (``backfill``).

    A plugin that ``leads`` comes first, in every pass, and leaves the rest to the order of priority.
    """
    cluster = ctl.cluster
    if cluster.reservations:
        from slimsched.controller.reservations import ends, node_choice

        node_choice.replace(ctl)
        ends.look(ctl)
    for _ in range(MOST_PASSES):
        cluster.pass_due = cluster.arrays_due = False
        if backfill:
            cluster.last_backfill = cluster.now
        if not ctl.forecasting and _nothing_can_start(ctl):
            break
        if cluster.config.preempts:
            from slimsched.controller.schedule import preemption

            preemption.resume_suspended(ctl)
        before = cluster.statistics.get("jobs_started", 0)
        ctl.pass_queue = job_queue.build(ctl)
        try:
            if ctl.led:
                ctl.sched.schedule()
                ctl.pass_queue = job_queue.build(ctl)  # the plugin may have changed priorities
            main_pass(ctl, ctl.pass_queue)
            if backfill and not ctl.led:
                job_queue.restate_limits(ctl, ctl.pass_queue)
                cluster.statistics[PLANNED] = cluster.statistics.get("jobs_started", 0)
                ctl.sched.schedule()
        finally:
            ctl.pass_queue = None
        gang.take_turns(ctl)
        started = cluster.statistics.get("jobs_started", 0) != before
        if not cluster.pass_due and not (started and _waiting_for_a_start(ctl)):
            break


def _nothing_can_start(ctl: Controller) -> bool:
    """Whether every pending job asks for more nodes than have anything free."""
    select = ctl.select
    if not isinstance(select, Foresight):
        return False
    idle = select.idle().bit_count()
    return all(
        (job.request.min_nodes or 1) > idle and not job.dependency
        for job in ctl.cluster.jobs.values()
        if job.state == states.PENDING
    )


def _waiting_for_a_start(ctl: Controller) -> bool:
    """Whether some pending job depends on the start of another."""
    return any(job.dependency and "after:" in job.dependency and job.pending for job in ctl.cluster.jobs.values())


def started_since_cycle(cluster: Cluster) -> bool:
    """Whether a job has started in the scheduler plugin's last cycle or since."""
    return cluster.statistics.get("jobs_started", 0) != cluster.statistics.get(PLANNED, 0)


def backfill_interval(ctl: Controller) -> int:
    """Return the seconds between two cycles of the scheduler plugin while the clock moves."""
    return ctl.cluster.config.parameters.number("bf_interval")


def main_pass(ctl: Controller, entries: list[Entry]) -> None:
    """Try the jobs in order of priority; one that waits for nodes holds up the lower ones of its partition.

    Nodes of such a partition are also kept from lower partitions that share them.
    """
    offered = ctl.sets.up
    blocked: set[str] = set()  # partitions, and reservations by their names
    given = ctl.cluster.config.parameters
    depth = Depth(given, bounded=ctl.sched.looks_deeper)
    for entry in entries:
        job, part, _ = entry
        if job.state != states.PENDING or not job.priority:
            continue  # started, or given up, in another partition
        place = f"reservation {job.request.reservation}" if job.request.reservation else part.partition_name
        if place in blocked or not depth.in_partition(part.partition_name):
            _put_behind(ctl, job)
            continue
        if not depth.take():
            break
        (verdict, _), where = try_all(ctl, job, part, offered)
        depth.started += verdict is Verdict.STARTED
        if verdict is not Verdict.BUSY or not reserves(given, entry, ctl.cluster.now, least(ctl, entry)):
            continue
        if where.required.bit_count() >= where.min_nodes:
            offered &= ~where.required  # others may still run elsewhere
            continue
        blocked.add(place)
        if not job.request.reservation:
            offered &= ~ctl.cluster.partition_bitmap(part.partition_name)
    _count_cycle(ctl.cluster, len(entries), cut=depth.used_up)


def least(ctl: Controller, entry: Entry) -> int:
    """Return the priority from which on a job may keep nodes from others, 0 if only the cluster's counts."""
    if not ctl.cluster.accounting:
        return 0
    from slimsched.controller.accounts import assoc_limits

    return assoc_limits.least_priority(ctl.cluster, entry.job, entry.partition)


def _count_cycle(cluster: Cluster, length: int, *, cut: bool) -> None:
    """Count a main cycle for ``sdiag``: how long its queue was, and whether ``default_queue_depth`` cut it."""
    cluster.count("schedule_cycle_total")
    cluster.count("schedule_cycle_depth", length)
    cluster.count("schedule_exit_default_queue_depth" if cut else "schedule_exit_end_job_queue")
    cluster.statistics["schedule_queue_length"] = length


def try_all(ctl: Controller, job: Job, part: PartitionConf, offered: int) -> tuple[Attempt, Candidates]:
    """Try to start a job, or as many tasks of an array as can start now."""
    while True:
        attempt, where = try_one(ctl, job, part, offered, 0, "Main")
        if attempt.verdict is not Verdict.STARTED or not job.pending or not job_queue.runnable(ctl, job):
            return attempt, where


def try_one(
    ctl: Controller, job: Job, part: PartitionConf, offered: int, excluded: int, scheduler: str
) -> tuple[Attempt, Candidates]:
    """Try to start a job (one task of an array) on the ``offered`` nodes that are not ``excluded``."""
    where = candidates.find(ctl, job, part, offered, excluded)
    refusal = where.refusal or _held_back(ctl, job)
    job.last_sched_eval = ctl.cluster.now  # no change to be written: it is kept as of the job's last one
    if refusal is None:
        test = where.question(job, part)
        if ctl.cluster.reservations:
            now = ctl.cluster.now
            test.exc_cores = blocking.held_cores(ctl.cluster, job, now, now + time_limits.planned_seconds(job, part))
        selection: Selection | None = None
        try:
            selection = complexes.job_test(ctl, test)
        except NotNow as wait:
            verdict = Verdict.BUSY if wait.reason == reasons.RESOURCES else Verdict.PASSED
            refusal = Refusal(verdict, wait.reason)
            selection = _make_room(ctl, test, part) if wait.reason in {reasons.RESOURCES, reasons.LICENSES} else None
        except Never:
            refusal = _why_never(ctl, job, part, where)
        if selection is not None:
            refusal = _beyond_limits(ctl, job, part, selection) if ctl.cluster.accounting else None
            if refusal is None:
                return _start(ctl, job, part, selection, scheduler), where
    assert refusal is not None
    _refuse(ctl, job, refusal)
    return Attempt(refusal.verdict), where


def _make_room(ctl: Controller, test: JobTest, part: PartitionConf) -> Selection | None:
    """Return the nodes that a job gets by preempting others, if any."""
    if not ctl.cluster.config.preempts:
        return None
    from slimsched.controller.schedule import preemption

    return preemption.make_room(ctl, test, part)


def _held_back(ctl: Controller, job: Job) -> Refusal | None:
    """Refuse a job whose licenses are in use, or a task whose array has as many running as it may."""
    if licensing.grant(ctl.cluster, job) is None:
        return UNLICENSED
    throttled = job.array_max_tasks and job.array_job_id and job_queue.free_tasks(ctl, job) <= 0
    return THROTTLED if throttled else None


def _beyond_limits(ctl: Controller, job: Job, part: PartitionConf, selection: Selection) -> Refusal | None:
    """Refuse a start by which an association or a QOS would have more than its limits allow."""
    from slimsched.controller.accounts import assoc_limits, usage_tally

    word = assoc_limits.reason(ctl.cluster, job, part, usage_tally.granted(job, selection))
    return Refusal(Verdict.PASSED, word) if word else None


def _start(ctl: Controller, job: Job, part: PartitionConf, selection: Selection, scheduler: str) -> Attempt:
    """Start a job (one task of an array); it stays in the queue if its nodes cannot be booked."""
    one = arrays.split(ctl, job) if job.array_tasks else job
    if one.request.deadline:
        one.request.time_limit = time_limits.before_deadline(one, part, ctl.cluster.now)
    try:
        transitions.start_job(ctl, one, part, selection, scheduler)
    except PluginError:
        _refuse(ctl, one, NOT_BEGUN)
        return Attempt(NOT_BEGUN.verdict)
    gang.take_turns(ctl)
    return Attempt(Verdict.STARTED, one)


def _why_never(ctl: Controller, job: Job, part: PartitionConf, where: Candidates) -> Refusal:
    """Tell a job that is too big for what is up at present from one that is too big for all there is."""
    fitting = fits(ctl.select, where.question(job, part, where.asked), Mode.TEST_ONLY)
    return candidates.unavailable(ctl, where.asked) if fitting else candidates.GIVEN_UP


def _refuse(ctl: Controller, job: Job, refusal: Refusal) -> None:
    """Note why a job could not start; one that never can is held, unless it asked for several partitions."""
    if refusal.verdict is Verdict.NEVER and "," in job.request.partition:
        refusal = ELSEWHERE
    ctl.cluster.set_reason(job, refusal.reason, refusal.text)
    if refusal.verdict is Verdict.NEVER:
        job.priority = HOLD_PRIORITY
        ctl.cluster.touch_job(job)


# a single new job


def try_now(ctl: Controller, job: Job) -> bool:
    """Try to start a job that was just submitted; all others are left as they are. True if it started.

    Where jobs of higher priority wait, the scheduler plugin decides whether it may go ahead of them.
    With ``SchedulerParameters=defer`` nothing is tried. If a whole pass is due anyway, that is left to decide.
    """
    if not ctl.cluster.pass_due and job_queue.runnable(ctl, job) and not _gathered(ctl, job):
        for entry in sorted(job_queue.entries(ctl, job), key=job_queue.order):
            if _try_entry(ctl, entry):
                return True
    return False


def _gathered(ctl: Controller, job: Job) -> bool:
    """Whether a new array waits for the pass, so that the jobs submitted after it get the next ids, as in slurmctld."""
    cluster = ctl.cluster
    if not ctl.gathering or not job.array_tasks or "defer" in cluster.config.parameters:
        return False
    cluster.pass_due = cluster.arrays_due = True
    return True


def _try_entry(ctl: Controller, entry: Entry) -> bool:
    """Try to start a new job in one of its partitions; True if it started."""
    offered = _left_by_others(ctl, entry)
    deferred = "defer" in ctl.cluster.config.parameters
    if offered is None:
        _go_behind(ctl, entry)
        return not deferred and bool(entry.job.priority) and ctl.sched.try_job(entry)
    return not deferred and try_all(ctl, entry.job, entry.partition, offered)[0].verdict is Verdict.STARTED


def _go_behind(ctl: Controller, entry: Entry) -> None:
    """Give a job that is not the first of its partition its reason, unless its nodes are not there at all."""
    job, part, _ = entry
    where = candidates.wanted(ctl, job, part, extra=False)
    there = where.bitmap.bit_count() >= where.min_nodes and not where.required & ~where.bitmap
    if there and not fits(ctl.select, where.question(job, part), Mode.TEST_ONLY):
        _refuse(ctl, job, candidates.unavailable(ctl, where.asked))
    _put_behind(ctl, job)


def _left_by_others(ctl: Controller, entry: Entry) -> int | None:
    """Return the nodes that the jobs ahead of ``entry`` leave to it, ``None`` if one of them blocks its partition."""
    cluster = ctl.cluster
    mine = job_queue.order(entry)
    offered = ctl.sets.up
    taken: set[str] = set()  # partitions whose nodes are kept for a job ahead: others that wait there add nothing
    for other in cluster.jobs.values():
        if other.state != states.PENDING or other.request.partition in taken or not other.priority:
            continue
        if (other.state_desc or other.reason) not in WAITING or other is entry.job:
            continue
        for part in job_queue.partitions_of(ctl, other):
            if job_queue.order(Entry(other, part, ctl.priority.in_partition(other, part))) > mine:
                continue
            if other.request.nodelist:
                offered &= ~cluster.bitmap_of(other.request.nodelist)
                continue
            if part is entry.partition:
                return None
            offered &= ~cluster.partition_bitmap(part.partition_name)
            taken.add(part.partition_name)
    return offered


def _put_behind(ctl: Controller, job: Job) -> None:
    """Note that a job waits for one of higher priority; a reason of its own stays."""
    if job.reason in {reasons.NONE, reasons.RESOURCES}:
        ctl.cluster.set_reason(job, reasons.PRIORITY)

"""The job queue: pending jobs that may be scheduled now, one entry per partition, best first.

Building it also brings up to date why those wait that may not: dependency, begin time, partition limits, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import arrays
from slimsched.controller.requests import partition_limits
from slimsched.controller.reservations import blocking
from slimsched.model.record import Record
from slimsched.sched.api import Entry
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class Snapshot(Record):
    """Values that are computed once for all jobs of a queue."""

    running: dict[int, int]  # array that has a throttle -> how many of its tasks run
    jobs: arrays.Index | None  # the jobs by array and name, if some job waits for others


def build(ctl: Controller) -> list[Entry]:
    """Return the queue of this instant."""
    pending = [job for job in ctl.cluster.jobs.values() if job.state == states.PENDING]
    depending = any(job.dependency for job in pending)
    if depending:
        from slimsched.controller.life import dependency

        pending += dependency.split_by_task(ctl, pending)
    if ctl.cluster.accounting:
        from slimsched.controller.accounts import accrual

        accrual.renew(ctl.cluster, pending)
    ctl.priority.recalculate(pending)
    known = Snapshot(_throttled(ctl, pending), arrays.Index(ctl.cluster) if depending else None)
    if depending:
        ctl.waiting = ctl.waiting or dependency.Waiting(ctl.cluster)
    found: list[Entry] = []
    for job in pending:
        if job.priority and runnable(ctl, job, known):
            found += entries(ctl, job)
    if any(job.het_job_id for job in pending):
        found = _led(ctl, found)
    found.sort(key=order)
    return found


def _led(ctl: Controller, found: list[Entry]) -> list[Entry]:
    """Return a queue with the first component of a heterogeneous job for all, if all of them may be scheduled."""
    entered = {entry.job.job_id for entry in found}

    def stands(job: Job) -> bool:
        left = (one for one in ctl.cluster.components(job) if not one.finished)
        return job.leads and all(one.job_id in entered for one in left)

    return [entry for entry in found if not entry.job.het_job_id or stands(entry.job)]


def companions(ctl: Controller, job: Job) -> list[list[Entry]]:
    """Return the entries of each other component that starts with a job; none for a plain one."""
    if not job.het_job_id:
        return []
    others = (one for one in ctl.cluster.components(job) if one is not job and not one.finished)
    return [entries(ctl, one) for one in others]


def restate_limits(ctl: Controller, queue: list[Entry]) -> None:
    """Set the reasons of jobs that asked for several partitions from the partitions' limits, as slurmctld does."""
    for job in {entry.job.job_id: entry.job for entry in queue if "," in entry.job.request.partition}.values():
        if job.state == states.PENDING:
            entries(ctl, job)


def order(entry: Entry) -> tuple[bool, int, int, int, int]:
    """Sort key: jobs of a reservation first, then by partition tier, priority, submission (or requeue) and number."""
    job = entry.job
    number = job.array_job_id or job.job_id
    return not job.request.reservation, -entry.partition.priority_tier, -entry.priority, job.submit_time, number


def where(entry: Entry) -> str:
    """Return where a job holds up others: its reservation, or its partition."""
    reservation = entry.job.request.reservation
    return f"reservation {reservation}" if reservation else entry.partition.partition_name


def entries(ctl: Controller, job: Job) -> list[Entry]:
    """Return a runnable job's entries, one for each partition whose limits it keeps; the others give reasons."""
    found = []
    for part in partitions_of(ctl, job):
        wait = partition_limits.reason(ctl.cluster, job, part)
        if wait is not None:
            ctl.cluster.set_reason(job, wait.reason, wait.text)
            continue
        if ctl.cluster.accounting and not _within_limits(ctl, job, part):
            continue
        if reasons.row(job.reason).partition:
            ctl.cluster.set_reason(job, reasons.NONE)
        found.append(Entry(job, part, ctl.priority.in_partition(job, part)))
    return found


def _within_limits(ctl: Controller, job: Job, part: PartitionConf) -> bool:
    """Whether the limits of a job's association and QOS let it start; if not, its reason names the limit."""
    from slimsched.controller.accounts import assoc_limits
    from slimsched.slurm.limits import is_limit

    word = assoc_limits.reason(ctl.cluster, job, part)
    if word or is_limit(job.reason):
        ctl.cluster.set_reason(job, word or reasons.NONE)
    return not word


def limited(ctl: Controller, entry: Entry) -> bool:
    """Whether limits of an association or a QOS may keep a job from starting in a partition."""
    if not ctl.cluster.accounting:
        return False
    from slimsched.controller.accounts import assoc_limits

    return assoc_limits.may_hold(ctl.cluster, entry.job, entry.partition)


def partitions_of(ctl: Controller, job: Job) -> list[PartitionConf]:
    """Return the partitions that a job asked for."""
    known = ctl.cluster.partitions
    part = known.get(job.request.partition)
    if part is not None:
        return [part]
    return [known[name] for name in job.request.partition.split(",") if name in known]


def runnable(ctl: Controller, job: Job, known: Snapshot | None = None) -> bool:
    """Whether a pending job waits only for nodes; if not, its reason says what it waits for.

    ``known``: what is known of all jobs, while a queue is built.
    """
    reason = _waits_for(ctl, job, known)
    if reason is None:
        return False
    if reason != reasons.NONE:
        ctl.cluster.set_reason(job, reason)
        return False
    if reasons.row(job.reason).passes:
        ctl.cluster.set_reason(job, reasons.NONE)
    if not job.eligible_time:
        job.eligible_time = now = ctl.cluster.now
        job.accrue_time = 0 if job.array_tasks and now == job.submit_time else now  # 0: as recorded
        ctl.cluster.touch_job(job)
    return True


def _waits_for(ctl: Controller, job: Job, known: Snapshot | None) -> reasons.Reason | None:
    """Return the reason word, NONE if the job can be scheduled, ``None`` if the reason is set already."""
    cluster, request = ctl.cluster, job.request
    if job.held or (job.dependency and (_waits_still(ctl, job) or not _released(ctl, job, known))):
        return None
    if request.begin_time > cluster.now:
        return reasons.BEGIN_TIME
    if request.reservation and blocking.opens(cluster, job) > cluster.now:
        return reasons.RESERVATION
    if job.array_max_tasks and job.array_job_id:
        running = known.running if known else _throttled(ctl, [job])
        if running.get(job.array_job_id, 0) >= job.array_max_tasks:
            return reasons.ARRAY_LIMIT
    return reasons.NONE


def _waits_still(ctl: Controller, job: Job) -> bool:
    return ctl.waiting is not None and ctl.waiting.holds(job)


def _released(ctl: Controller, job: Job, known: Snapshot | None) -> bool:
    """Whether a job's dependency is fulfilled, as `dependency.released` tells."""
    from slimsched.controller.life import dependency

    if dependency.released(ctl, job, known.jobs if known else None):
        return True
    if ctl.waiting:
        ctl.waiting.add(job)
    if job.pending and "+" in job.dependency:
        ctl.note(job)  # the job it waits for may have started since: now the instant is known
    return False


def free_tasks(ctl: Controller, job: Job) -> int:
    """Return how many tasks of a pending array's record its throttle lets start; 1 for any other job."""
    count = arrays.count(job.array_tasks) or 1
    if not job.array_max_tasks:
        return count
    return min(count, job.array_max_tasks - arrays.running_tasks(ctl.cluster, job.array_job_id))


def _throttled(ctl: Controller, pending: list[Job]) -> dict[int, int]:
    """Return how many tasks run of each array that has a throttle."""
    count = {job.array_job_id: 0 for job in pending if job.array_max_tasks and job.array_job_id}
    if count:
        for job in ctl.cluster.jobs.values():
            if job.array_job_id in count and job.active:
                count[job.array_job_id] += 1
    return count

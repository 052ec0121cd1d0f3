"""What keeps a pending job from being looked at at all: hold, dependency, begin time, limits, jobs ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import (
    arrays,
    defaults,
    dependency,
    licensing,
    limits_assoc,
    partition_limits,
    reasons,
    reserved,
)
from slimsched.controller.explain_records import NEVER, NOT_NOW, Change, Hurdle
from slimsched.model.request import INFINITE
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

_PER_JOB = ("PerJob", "PerNode", "MinCpu", "MinNode", "MinMemory", "MinGRES")
"""Parts of the reason words of limits on a single job, which no waiting changes."""


def update(job: Job, field: str) -> str:
    """Return the command that sets a field of a pending job."""
    return f"sim scontrol update jobid={_target(job)} {field}"


def _target(job: Job) -> str:
    return arrays.label(job).partition("%")[0] + "]" if "%" in arrays.label(job) else arrays.label(job)


def of_job(ctl: Controller, job: Job) -> list[Hurdle]:
    """Return what keeps a job waiting in whatever partition."""
    return [
        *_held(job),
        *_depends(ctl, job),
        *_begins(ctl, job),
        *_reservation(ctl, job),
        *_licenses(ctl, job),
        *_throttle(ctl, job),
    ]


def of_partition(ctl: Controller, job: Job, part: PartitionConf) -> list[Hurdle]:
    """Return what of a partition's state and limits, or of the accounting limits, keeps a job from it."""
    reason = partition_limits.reason(ctl.cluster, job.request, part)
    if reason in partition_limits.STOPPED.values():
        command = f"sim scontrol update partitionname={part.partition_name} state=up"
        change = Change("put the partition back in service", command, 3)
        return [Hurdle("partition", f"partition {part.partition_name} is {part.state}", NOT_NOW, 0, [change])]
    return [*([_limit(ctl, job, part, reason)] if reason else ()), *_account(ctl, job, part)]


def _account(ctl: Controller, job: Job, part: PartitionConf) -> Iterator[Hurdle]:
    """Yield the limit of the association or the QOS that a job would break."""
    if not ctl.cluster.accounting:
        return
    word = limits_assoc.reason(ctl.cluster, job, part)
    if word:
        lasting = any(part in word for part in _PER_JOB)
        of_what = "a limit for each job" if lasting else "a limit on all jobs together"
        look = Change("raise the limit, with sacctmgr", "", 6)
        waits = [] if lasting else [Change("wait for other jobs under that limit to end", "", 0)]
        text = f"its association or QOS has {of_what} that it would break: {word}"
        yield Hurdle("limit", text, NEVER if lasting else NOT_NOW, 0, [*waits, look])


def _held(job: Job) -> Iterator[Hurdle]:
    if not job.held:
        return
    release = Change("release it", f"sim scontrol release {_target(job)}", 1)
    if job.reason == reasons.BAD_CONSTRAINTS:
        text = "no nodes could serve it when it was last tried, so that it was given up (BadConstraints) until released"
    else:
        text = f"it is held ({job.reason})"
    yield Hurdle("hold", text, NOT_NOW, 0, [release])


def _depends(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    left = dependency.remaining(ctl.cluster, job) if job.dependency else ""
    if not left:
        return
    items, sign = dependency.parse(left)
    drop = Change("drop the dependency", update(job, "dependency="), 5)
    failed = [item.state == dependency.FAILED for item in items]
    lost = all(failed) if sign == "?" else any(failed)
    joint = " or " if sign == "?" else " and "
    said = joint.join(_item(ctl, item) for item in items)
    until = max((_end_of(ctl, item) for item in items), default=0)
    if lost:
        yield Hurdle("dependency", f"its dependency can never be fulfilled: {said}", NEVER, 0, [drop])
    else:
        yield Hurdle("dependency", f"it waits for {said}", NOT_NOW, until, [Change("wait", "", 0), drop])


def _item(ctl: Controller, item: dependency.Item) -> str:
    if item.type == "singleton":
        return "another job of the same name and user to end (singleton)"
    found = _target_of(ctl, item)
    state = f", which is {found.state}" if found else ""
    until = f" until {times.instant(found.end_time)} at the latest" if found and found.active and found.end_time else ""
    return f"{str(item).partition('(')[0]}{state}{until}"


def _target_of(ctl: Controller, item: dependency.Item) -> Job | None:
    return ctl.cluster.jobs.get(item.job_id)


def _end_of(ctl: Controller, item: dependency.Item) -> int:
    found = _target_of(ctl, item)
    return found.end_time if found and found.active and item.type != "after" else 0


def _begins(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    begin = job.request.begin_time
    if begin > ctl.cluster.now:
        sooner = Change("let it begin at once", update(job, "starttime=now"), 1)
        text = f"it asked to begin no earlier than {times.instant(begin)}"
        yield Hurdle("begin time", text, NOT_NOW, begin, [Change("wait", "", 0), sooner])


def _reservation(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    name = job.request.reservation
    if not name:
        return
    without = Change("run outside of the reservation", update(job, "reservationname="), 5)
    opens = reserved.opens(ctl.cluster, job)
    if not opens:
        yield Hurdle("reservation", f"reservation {name} is over", NEVER, 0, [without])
    elif opens > ctl.cluster.now:
        text = f"reservation {name} begins at {times.instant(opens)}"
        yield Hurdle("reservation", text, NOT_NOW, opens, [Change("wait", "", 0), without])


def _licenses(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    if licensing.grant(ctl.cluster, job) is None:
        free = ",".join(f"{name}:{max(0, count)}" for name, count in licensing.left(ctl.cluster).items())
        text = f"it wants the licenses {job.request.licenses}, and free are {free or 'none'}"
        drop = Change("do without them", update(job, "licenses="), 5)
        yield Hurdle("licenses", text, NOT_NOW, 0, [Change("wait for jobs that hold them to end", "", 0), drop])


def _throttle(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    limit = job.array_max_tasks
    if not limit or not job.array_job_id:
        return
    running = arrays.running_tasks(ctl.cluster, job.array_job_id)
    if running >= limit:
        command = f"sim scontrol update jobid={job.array_job_id} arraytaskthrottle={running + 1}"
        raised = Change("let more tasks run at once", command, 2)
        text = f"{running} of its array's tasks run, and no more than {limit} may at once"
        yield Hurdle("array limit", text, NOT_NOW, 0, [Change("wait for a task to end", "", 0), raised])


def _limit(ctl: Controller, job: Job, part: PartitionConf, reason: str) -> Hurdle:
    """Return the hurdle of a partition's limit with the values compared."""
    request, name = job.request, part.partition_name
    if reason == "PartitionTimeLimit" and part.max_time is not None:
        asked = request.time_min if request.time_min is not None else request.time_limit
        most = times.limit(part.max_time)
        text = f"TimeLimit={times.limit(INFINITE if asked is None else asked)}, partition {name} allows {most}"
        return Hurdle("limit", text, NEVER, 0, [Change("ask for less time", update(job, f"timelimit={most}"), 2)])
    wanted, most = _compared(ctl, job, part, reason)
    return Hurdle("limit", f"{wanted}, partition {name} allows {most}", NEVER, 0, [Change("ask for another amount")])


def _compared(ctl: Controller, job: Job, part: PartitionConf, reason: str) -> tuple[str, str]:
    """Return what a job wants and what a partition allows, in words."""
    request, name = job.request, part.partition_name
    if reason == "PartitionNodeLimit":
        nodes = ctl.cluster.partition_bitmap(name).bit_count()
        most = nodes if part.max_nodes is None else min(nodes, part.max_nodes)
        return f"NumNodes={request.min_nodes or 1}", f"{max(1, part.min_nodes)} to {most} of its {nodes} nodes"
    if reason == "PartitionConfig":
        return f"NumCPUs={defaults.min_cpus(request)}", f"{ctl.cluster.partition_cpus(name)}, which are all that it has"
    limit = part.max_mem_per_node or ctl.cluster.config.number("MaxMemPerNode")
    return f"MinMemoryNode={request.mem_per_node or 0}M", f"{limit}M"

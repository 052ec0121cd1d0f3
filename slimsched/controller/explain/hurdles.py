"""Hurdles ahead of any look for nodes: hold, dependency, begin time, limits, jobs ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts import assoc_limits, limit_levels
from slimsched.controller.explain import end_times, limit_words, partition_hurdles
from slimsched.controller.explain.answer import NEVER, NOT_NOW, Hurdle, Remedy
from slimsched.controller.explain.commands import target, update
from slimsched.controller.explain.unsubmitted import Unsubmitted
from slimsched.controller.gridengine import consumables
from slimsched.controller.life import arrays, dependency
from slimsched.controller.requests import licensing, partition_limits, time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import candidates, job_queue
from slimsched.model import resources
from slimsched.model.account import Book
from slimsched.priority import usage
from slimsched.slurm import limits as limits_words
from slimsched.slurm import reasons
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

WALL = "MaxWallDurationPerJob"


def of_job(ctl: Controller, job: Job) -> list[Hurdle]:
    """Return what keeps a job waiting in every partition."""
    return [
        *_held(job),
        *_depends(ctl, job),
        *_begins(ctl, job),
        *_reservation(ctl, job),
        *_licenses(ctl, job),
        *_throttle(ctl, job),
        *_components(ctl, job),
    ]


def of_partition(ctl: Controller, job: Job, part: PartitionConf) -> list[Hurdle]:
    """Return the partition's states and limits, and the accounting limits, that keep a job from a partition."""
    wait = partition_limits.reason(ctl.cluster, job, part)
    reason = wait.reason if wait is not None else ""
    if reason in partition_limits.STOPPED.values():
        command = f"sim scontrol update partitionname={part.partition_name} state=up"
        change = Remedy("put the partition back in service", command, 3)
        return [Hurdle("partition", f"partition {part.partition_name} is {part.state}", NOT_NOW, 0, [change])]
    if partition_limits.barred(job, part) is not None:
        return [partition_hurdles.barred(ctl, job, part)]
    own = [partition_hurdles.limit(ctl, job, part, reason)] if reason else []
    return [*own, *_account(ctl, job, part), *_consumables(ctl, job, part)]


def _account(ctl: Controller, job: Job, part: PartitionConf) -> Iterator[Hurdle]:
    """Yield the limit of the association or the QOS that a job would break."""
    cluster = ctl.cluster
    breach = assoc_limits.breach(cluster, job, part) if cluster.accounting else None
    if breach is None:
        return
    word = breach.word
    text = f"{limit_words.told(breach)} ({word})"

    def passes(view: Cluster) -> bool:
        return not assoc_limits.reason(view, job, part)

    raised = Remedy("change the limit", limit_words.command(breach), 6)
    if not end_times.passes_alone(cluster, passes) and not limits_words.passes_with_time(word):
        yield Hurdle("limit", text, NEVER, 0, [*_within(ctl, job, part, word), raised])
    elif breach.used >= breach.most and limits_words.passes_with_time(word):
        waits = _fading(cluster)
        forget = Remedy("forget what was used", limit_words.reset(breach), 5)
        yield Hurdle("limit", text, NOT_NOW if waits else NEVER, 0, [*waits, forget, raised])
    else:
        wait = Remedy("wait for other jobs under that limit to end", "", 0)
        yield Hurdle("limit", text, NOT_NOW, end_times.first_end(cluster, passes), [wait, raised])


def _fading(cluster: Cluster) -> list[Remedy]:
    """Return the remedy of waiting, if what was used is forgotten with time."""
    fading = usage.Fading(cluster)
    if not usage.tracked(cluster) or (fading.keeps >= 1 and not fading.cleared(cluster.now)):
        return []
    config = cluster.config
    key = "PriorityDecayHalfLife" if fading.keeps < 1 else "PriorityUsageResetPeriod"
    return [Remedy(f"wait until enough of what was used is forgotten ({key}={config.get(key)})", "", 0)]


def _within(ctl: Controller, job: Job, part: PartitionConf, word: str) -> list[Remedy]:
    """Return the change with which a job would keep a limit that it breaks by its own size."""
    if "MaxWall" not in word:
        return [Remedy(f"ask for {'more' if 'Min' in word else 'less'}", "", 5)]
    levels = limit_levels.of(Book(ctl.cluster), job.request, part, job.user_name)
    asked = time_limits.time_limit(job, part)
    allowed = [int(each.record[WALL]) for each in levels if each.own and each.over(WALL, asked)]
    most = times.limit(min(allowed))
    return [Remedy(f"set the time limit to {most} (now {times.limit(asked)})", update(job, f"timelimit={most}"), 2)]


def _held(job: Job) -> Iterator[Hurdle]:
    if not job.held:
        return
    command = "" if isinstance(job, Unsubmitted) else f"sim scontrol release {target(job)}"
    release = Remedy("release it", command, 1)
    if job.reason == reasons.BAD_CONSTRAINTS:
        text = "no node satisfied its request when it was last tried, so it is held until released (BadConstraints)"
    else:
        text = f"it is held ({job.reason})"
    yield Hurdle("hold", text, NOT_NOW, 0, [release])


def _depends(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    left = dependency.remaining(ctl.cluster, job) if job.dependency else ""
    if not left:
        return
    items, sign = dependency.parse(left)
    drop = Remedy("drop the dependency", update(job, "dependency="), 5)
    failed = [item.state == dependency.FAILED for item in items]
    lost = all(failed) if sign == "?" else any(failed)
    joint = " or " if sign == "?" else " and "
    said = joint.join(_item(ctl, item) for item in items)
    until = _fulfilled(ctl, job, items)
    if lost:
        yield Hurdle("dependency", f"its dependency can never be fulfilled: {said}", NEVER, 0, [drop])
    else:
        yield Hurdle("dependency", f"it waits for {said}", NOT_NOW, until, [Remedy("wait", "", 0), drop])


def _fulfilled(ctl: Controller, job: Job, items: list[dependency.Item]) -> int:
    """Return when a dependency is fulfilled if running jobs take all of their time, 0 if nobody knows."""
    if any(item.minutes for item in items):
        return dependency.next_instant(ctl.cluster, job)
    return end_times.first_end(ctl.cluster, lambda view: not dependency.remaining(view, job))


def _item(ctl: Controller, item: dependency.Item) -> str:
    if item.type == "singleton":
        return "another job of the same name and user to end (singleton)"
    found = dependency.targets_of(ctl.cluster, item)
    states = ", ".join(sorted({target.state for target in found}))
    said = f", which {'are' if len(found) > 1 else 'is'} {states}" if found else ""
    running = [target.end_time for target in found if target.active]
    ends = item.type != "after" and running and all(running)
    until = f" until {times.instant(max(running))} at the latest" if ends else ""
    return f"{str(item).partition('(')[0]}{said}{until}"


def _begins(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    begin = job.request.begin_time
    if begin > ctl.cluster.now:
        sooner = Remedy("let it begin at once", update(job, "starttime=now"), 1)
        text = f"it begins no earlier than {times.instant(begin)}"
        yield Hurdle("begin time", text, NOT_NOW, begin, [Remedy("wait", "", 0), sooner])


def _reservation(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    name = job.request.reservation
    if not name:
        return
    without = Remedy("run outside of the reservation", update(job, "reservationname="), 5)
    opens = blocking.opens(ctl.cluster, job)
    if not opens:
        yield Hurdle("reservation", f"reservation {name} is over", NEVER, 0, [without])
    elif opens > ctl.cluster.now:
        text = f"reservation {name} begins at {times.instant(opens)}"
        yield Hurdle("reservation", text, NOT_NOW, opens, [Remedy("wait", "", 0), without])


def _licenses(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    cluster = ctl.cluster
    if licensing.grant(cluster, job) is not None:
        return

    def passes(view: Cluster) -> bool:
        return licensing.grant(view, job) is not None

    free = ",".join(f"{name}:{max(0, count)}" for name, count in licensing.left(cluster).items())
    wanted = resources.asked_licenses(job.request)
    names = {name for name, _ in resources.licenses(wanted)}
    holders = ", ".join(
        f"job {arrays.label(one)} ({one.licenses_alloc})"
        for one in cluster.jobs.values()
        if one.active and one.licenses_alloc and names & dict(resources.licenses(one.licenses_alloc)).keys()
    )
    text = f"it needs the licenses {wanted}; free: {free or 'none'}"
    text += f"; held by {holders}" * bool(holders)
    drop = Remedy("drop the licenses", update(job, "licenses="), 5)
    held = any(resv.licenses for resv in cluster.reservations.values())
    if held or end_times.passes_alone(cluster, passes):
        wait = Remedy("wait for jobs that hold them to end", "", 0)
        yield Hurdle("licenses", text, NOT_NOW, end_times.first_end(cluster, passes), [wait, drop])
    else:
        yield Hurdle("licenses", f"{text}, and the cluster has no more", NEVER, 0, [drop])


def _consumables(ctl: Controller, job: Job, part: PartitionConf) -> Iterator[Hurdle]:
    where = candidates.wanted(ctl, job, part)
    test = where.question(job, part, where.asked)
    too_few = where.asked.bit_count() < where.min_nodes or where.required & ~where.asked
    if too_few or consumables.bounds(ctl, test) is not None:
        return

    def passes(view: Cluster) -> bool:
        return consumables.bounds(ctl, test, consumables.booked(view)) is not None

    asked = ",".join(job.request.hard_resources) or "the default"
    text = f"too little is left of the consumable complex attributes that it requests ({asked}, per CPU or per job)"
    less = Remedy("request less of them, or fewer CPUs", "", 5)
    if end_times.passes_alone(ctl.cluster, passes):
        wait = Remedy("wait for jobs that hold them to end", "", 0)
        yield Hurdle("consumables", text, NOT_NOW, end_times.first_end(ctl.cluster, passes), [wait, less])
    else:
        yield Hurdle("consumables", f"{text}, even if nothing else runs", NEVER, 0, [less])


def _throttle(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    limit = job.array_max_tasks
    if not limit or not job.array_job_id:
        return
    running = arrays.running_tasks(ctl.cluster, job.array_job_id)
    if running >= limit:
        command = f"sim scontrol update jobid={job.array_job_id} arraytaskthrottle={running + 1}"
        raised = Remedy("let more tasks run at once", command, 2)
        tasks = "1 task of its array is" if running == 1 else f"{running} tasks of its array are"
        text = f"{tasks} running, and at most {limit} may run at once"
        until = end_times.first_end(ctl.cluster, lambda view: arrays.running_tasks(view, job.array_job_id) < limit)
        yield Hurdle("array limit", text, NOT_NOW, until, [Remedy("wait for a task to end", "", 0), raised])


def _components(ctl: Controller, job: Job) -> Iterator[Hurdle]:
    """Yield that the components of a heterogeneous job, each on nodes of its own, want more nodes than there are."""
    if not job.het_job_id:
        return
    every = ctl.cluster.components(job)
    wanted = sum(one.request.min_nodes or 1 for one in every)
    there = 0
    for one in every:
        for part in job_queue.partitions_of(ctl, one):
            there |= ctl.cluster.partition_bitmap(part.partition_name)
    if wanted > there.bit_count():
        have = f"their partitions have {there.bit_count()}"
        text = f"its {len(every)} components start together, each on its own nodes: {wanted} are wanted, {have}"
        yield Hurdle("components", text, NEVER, 0, [Remedy("ask for fewer nodes in one of them", "", 5)])

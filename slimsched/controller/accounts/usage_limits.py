"""Limits over time: on the decaying usage of an association or a QOS, and on what its running jobs may still use.

What was used is known with priority/multifactor only (`slimsched.priority.usage`), so that ``GrpTRESMins`` and
``GrpWall`` limit nothing without it, as in Slurm. With ``AccountingStorageEnforce=safe`` a job starts only if it can
run to its end; without, those that run when a group limit is reached are ended.
Source: Slurm's "Resource Limits" page; sacctmgr(1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from slimsched.controller.accounts import usage_tally
from slimsched.controller.accounts.enforcement import limited
from slimsched.controller.accounts.limit_levels import Breach
from slimsched.controller.life import transitions
from slimsched.controller.requests import time_limits
from slimsched.model.account import ROOT, key
from slimsched.model.request import INFINITE
from slimsched.priority import usage
from slimsched.slurm import states
from slimsched.slurm.limits import passes_with_time

if TYPE_CHECKING:
    from slimsched.controller.accounts.limit_levels import Level
    from slimsched.controller.accounts.usage_tally import Amounts, Tally
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

ENDLESS = 1 << 40  # minutes of a job without limit
FADING = frozenset({"GrpTRESMins", "GrpWall", "UsageThreshold"})
"""Limits on usage."""


def over_time(amounts: Amounts, minutes: int) -> Amounts:
    """Return what a job of this size uses until its limit, in minutes."""
    long = ENDLESS if minutes == INFINITE else minutes
    return {name: amount * long for name, amount in amounts.items()}


# at the start


def below_threshold(tally: Tally, level: Level, job: Job) -> Iterator[Breach]:
    """Yield the reason if a user's fair-share factor is below what the QOS asks for (``UsageThreshold``)."""
    threshold = level.record.get("UsageThreshold", "")
    if not threshold or not level.flag("EnforceUsageThreshold"):
        return
    from slimsched.priority.fairshare import FairShare

    factor = FairShare(tally.book.cluster).factor(level.account, level.user, job.request.partition)
    if factor < float(threshold):
        yield level.breach("UsageThreshold", factor, 0)


def wall_used_up(tally: Tally, level: Level, minutes: int = 0) -> Iterator[Breach]:
    """Yield the limit on the time that a level's jobs ran, if it is reached, or with ``safe`` may be by this job."""
    limit = level.record.get("GrpWall", "")
    if not limit or "GrpWall" in level.covered:
        return
    used, more = _used(tally, level, "wall"), 0
    if "safe" in tally.rules:
        more = ENDLESS if minutes == INFINITE else minutes
    if used >= int(limit) or used + more > int(limit):
        yield level.breach("GrpWall", used, more)


def used_up(tally: Tally, level: Level, amounts: Amounts, minutes: int) -> Iterator[Breach]:
    """Yield the limits on a level's usage that are reached, or with ``safe`` enforced may be reached by this job."""
    limits = level.limits("GrpTRESMins")
    if not limits or level.key == key("assoc", ROOT):
        return
    asked = over_time(amounts, minutes) if "safe" in tally.rules else {}
    for resource, most in limits:
        used = _used(tally, level, resource)
        more = asked.get(resource, 0) * _factor(level)
        if more:
            more += _promised(tally, level.key, resource)
        if used >= most or (more and used + more > most):
            yield Breach(level, "GrpTRESMins", resource, most, used, more)


def promised(tally: Tally, level: Level, amounts: Amounts, minutes: int, limit: str) -> Iterator[Breach]:
    """Yield a limit on what the running jobs of a level, or of its user or account, may use until their ends."""
    limits = level.limits(limit)
    if not limits:
        return
    member = {"MaxTRESRunMinsPerAccount": f" account {level.account}", "MaxTRESRunMinsPerUser": f" user {level.user}"}
    place = level.key + member.get(limit, "")
    asked = over_time(amounts, minutes)
    for resource, most in limits:
        if (used := _promised(tally, place, resource)) + asked.get(resource, 0) > most:
            yield Breach(level, limit, resource, most, used, asked.get(resource, 0))
            return


def _used(tally: Tally, level: Level, resource: str) -> float:
    """Return the minutes that a level has used of a resource."""
    ledger = tally.ledger
    found = ledger.of(level.key) if level.prefix == "QOS" else ledger.groups.get(level.key, {})
    return found.get(resource, 0.0) / 60


def _promised(tally: Tally, place: str, resource: str) -> float:
    return tally.ledger.pledged.get(place, {}).get(resource, 0.0) / 60


def _factor(level: Level) -> float:
    """Return the factor of a job's usage where limits must be safe (``UsageFactorSafe``)."""
    return float(level.record.get("UsageFactor", "1")) if level.flag("UsageFactorSafe") else 1.0


# while jobs run


def watched(ctl: Controller) -> bool:
    """Whether a limit on usage is enforced, so that time alone may end jobs or let them start."""
    cluster = ctl.cluster
    if not cluster.accounting or not usage.tracked(cluster):
        return False
    there = any(FADING & record.keys() for record in cluster.accounting.values())
    return there and limited(cluster)


def next_look(ctl: Controller) -> int:
    """Return when usage is computed next, 0 if no job runs or waits under a limit on usage."""
    cluster = ctl.cluster
    fading = usage.Fading(cluster)
    fades = fading.keeps < 1 or fading.cleared(cluster.now) > 0
    for job in cluster.jobs.values():
        ends = cluster.config.live or not fades or ctl.executor.outcome(job) is not None  # some time, or by the limit
        runs = job.state == states.RUNNING and ends
        if runs or (fades and job.pending and passes_with_time(job.reason) and _can_pass(ctl, job)):
            return fading.tick + fading.period
    return 0


def catch_up(ctl: Controller) -> None:
    """Look at what time alone has used up since the last command; the wall clock went on without one."""
    if watched(ctl):
        look(ctl)


def look(ctl: Controller) -> None:
    """End the jobs whose group has used up a limit, and retry the jobs that wait for one."""
    cluster = ctl.cluster
    tally = usage_tally.of(cluster)
    for job in [job for job in cluster.jobs.values() if job.state == states.RUNNING and not job.ending]:
        levels = tally.levels(job.request, cluster.partitions[job.partition], job.user_name)
        if any(_spent(tally, level) for level in levels):
            transitions.end_job(ctl, job, states.TIMEOUT, signal=15)
    cluster.pass_due |= any(job.pending and passes_with_time(job.reason) for job in cluster.jobs.values())


def _spent(tally: Tally, level: Level) -> bool:
    return any(True for found in (wall_used_up(tally, level), used_up(tally, level, {}, 0)) for _ in found)


def _can_pass(ctl: Controller, job: Job) -> bool:
    """Whether a waiting job would be within its limits if nothing had been used."""
    tally = usage_tally.of(ctl.cluster)
    part = ctl.cluster.partitions.get(job.request.partition.partition(",")[0])
    if part is None:
        return False
    asked: Amounts = {}
    if "safe" in tally.rules:
        size = usage_tally.wanted(ctl.cluster, part, job.request)
        asked = over_time(size, time_limits.time_limit(job, part))
    levels = tally.levels(job.request, part, job.user_name)
    return not any(
        most <= 0 or asked.get(resource, 0) > most for level in levels for resource, most in level.limits("GrpTRESMins")
    )

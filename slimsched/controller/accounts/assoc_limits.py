"""The limits of associations and QOS, as ``AccountingStorageEnforce`` has them: at submission and at the start.

Where nobody defined an account, nothing is enforced. Limits over time are in `usage_limits`.
Source: Slurm's "Resource Limits" page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from slimsched.controller.accounts import limit_levels, usage_limits, usage_tally
from slimsched.controller.accounts.enforcement import enforced, limited, tracks_wckeys
from slimsched.controller.accounts.limit_levels import Breach
from slimsched.controller.accounts.usage_limits import ENDLESS
from slimsched.controller.accounts.values import amounts as read
from slimsched.controller.life import arrays
from slimsched.controller.requests import time_limits
from slimsched.errors import SlurmError
from slimsched.model.account import Book
from slimsched.model.request import INFINITE
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.reasons import Reason

if TYPE_CHECKING:
    from slimsched.controller.accounts.limit_levels import Level
    from slimsched.controller.accounts.usage_tally import Amounts, JobCounts, Tally
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

# submission


def associate(cluster: Cluster, request: JobRequest, part: PartitionConf, user: User) -> None:
    """Fill in the account, the QOS, the WCKey and the time limit that a user's association gives, if there is one."""
    book = Book(cluster)
    if tracks_wckeys(cluster.config) and not request.wckey:
        request.wckey = "*" + book.default_wckey(user.name)
    if refused_name(cluster, request):
        return
    account = request.account.lower() or book.default_account(user.name)
    line = book.line(account, user.name, part.partition_name)
    if not line and "associations" not in enforced(cluster.config):  # one that the user does not have
        account = book.default_account(user.name)
        line = book.line(account, user.name, part.partition_name)
    if line:
        request.account = account
    request.qos = request.qos or book.default_qos(line)
    if limited(cluster) and request.time_limit is None and part.default_time is None:
        request.time_limit = _usual_time(limit_levels.of(book, request, part, user.name), part)


def _usual_time(levels: list[Level], part: PartitionConf) -> int | None:
    """Return the limit of a job that gives none: the longest time that a QOS or an association allows."""
    given = (level.record.get("MaxWallDurationPerJob", "") for level in levels if level.own)
    longest = next(filter(None, given), "")
    if not longest:
        return None
    return int(longest) if part.max_time is None else min(int(longest), part.max_time)


def refused_name(cluster: Cluster, request: JobRequest) -> ErrorCode | None:
    """Return why an empty name of an account or a QOS (``-A ""``) is refused, None if it is not."""
    if not cluster.accounting:
        return None
    rules = enforced(cluster.config)
    empty = [name for name in request.given if not getattr(request, name)]
    return next((fault for name, rule, fault in EMPTY if name in empty and rule in rules), None)


EMPTY = (("account", "associations", Errno.INVALID_ACCOUNT), ("qos", "qos", Errno.INVALID_QOS))
"""Field of a request, the rule by which an empty name in it is refused, and the refusal."""


def permit_wckey(cluster: Cluster, wckey: str, user: str) -> None:
    """Refuse a WCKey that a user does not have. Raises `SlurmError` (INVALID_WCKEY)."""
    book = Book(cluster)
    known = wckey.startswith("*") or book.get("wckey", book.user_name(user), wckey) is not None
    if wckey and not known and "wckeys" in enforced(cluster.config):
        raise SlurmError(Errno.INVALID_WCKEY)


def permit(cluster: Cluster, account: str, qos: str, user: str, partition: str) -> None:
    """Refuse an account or QOS that a user may not use. Raises `SlurmError` (INVALID_ACCOUNT, INVALID_QOS)."""
    book, rules = Book(cluster), enforced(cluster.config)
    line = book.line(account or book.default_account(user), user, partition)
    if not line and "associations" in rules:
        raise SlurmError(Errno.INVALID_ACCOUNT)
    if line and qos and "qos" in rules and qos not in book.qos_of(line):
        raise SlurmError(Errno.INVALID_QOS)
    if qos and limit_levels.is_relative(cluster, qos):
        raise SlurmError(Errno.INVALID_QOS)


def check(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Refuse one job too many, and with the QOS flag ``DenyOnLimit`` one that could never start.

    Raises `SlurmError` (ACCOUNTING_POLICY) with the limit's reason word as its detail.
    """
    broken = refused(cluster, request, partitions, user)
    if broken is not None:
        raise SlurmError(Errno.ACCOUNTING_POLICY, detail=broken.word)


def refused(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> Breach | None:
    """Return the limit for which `check` refuses a request, None if it does not."""
    if not limited(cluster):
        return None
    tally, part = usage_tally.of(cluster), partitions[0]
    levels = tally.levels(request, part, user.name)
    count = 1
    if request.array:
        count = arrays.count(arrays.parse(request.array, cluster.config.number("MaxArraySize"))[0])
    size: Amounts = {}
    minutes = None
    if any(level.flag("DenyOnLimit") for level in levels):
        size = usage_tally.wanted(cluster, part, request)
        minutes = part.default_time if request.time_limit is None else request.time_limit
    looks = ((_refused_by_qos if level.prefix == "QOS" else _refused_by_association, level) for level in levels)
    return next((each for look, level in looks for each in look(tally, level, count, size, minutes)), None)


def _refused_by_qos(tally: Tally, level: Level, count: int, size: Amounts, minutes: int | None) -> Iterator[Breach]:
    """Yield the limits of a QOS that ``count`` jobs more would break, or one of this size alone; {}: any size may wait.

    The order is Slurm's: of the limits on resources the user's is named before the group's, on time before on size.
    """
    of_user, of_account = _beside(tally, level)
    yield from level.above("MaxTRESPerAccount", size)
    for resource, amount in size.items():
        yield from level.above("MaxTRESPerUser", {resource: amount})
        yield from level.above("GrpTRES", {resource: amount})
    yield from _one_more(level, "GrpSubmitJobs", tally.use(level.place).submitted, count)
    yield from _too_many_minutes(level, size, minutes)
    yield from _group_minutes(level, size, minutes)
    yield from _too_long(level, minutes)
    yield from _longer_than_group(level, minutes)
    yield from _too_big(level, size)
    yield from _one_more(level, "MaxSubmitJobsPerAccount", of_account.submitted, count)
    yield from _one_more(level, "MaxSubmitJobsPerUser", of_user.submitted, count)
    yield from _too_small(level, size)


def _refused_by_association(
    tally: Tally, level: Level, count: int, size: Amounts, minutes: int | None
) -> Iterator[Breach]:
    """Yield the same of an association."""
    submitted = tally.use(level.place).submitted
    yield from level.above("GrpTRES", size)
    yield from _one_more(level, "GrpSubmitJobs", submitted, count)
    yield from _group_minutes(level, size, minutes)
    yield from _longer_than_group(level, minutes)
    if level.own:
        yield from _too_big(level, size)
        yield from _one_more(level, "MaxSubmitJobs", submitted, count)
        yield from _too_many_minutes(level, size, minutes)
        yield from _too_long(level, minutes)


def _one_more(level: Level, limit: str, used: int, count: int = 1) -> Iterator[Breach]:
    """Yield the breach of a limit on a number of jobs if there are ``count`` more."""
    if level.over(limit, used + count):
        yield level.breach(limit, used, count)


def _group_minutes(level: Level, size: Amounts, minutes: int | None) -> Iterator[Breach]:
    """Yield the limits on minutes of a group that a job breaks even if the group has used nothing."""
    if minutes is not None:
        for limit in ("GrpTRESMins", "GrpTRESRunMins"):
            yield from level.above(limit, usage_limits.over_time(size, minutes))


def _longer_than_group(level: Level, minutes: int | None) -> Iterator[Breach]:
    asked = ENDLESS if minutes == INFINITE else minutes
    if asked is not None and level.over("GrpWall", asked):
        yield level.breach("GrpWall", 0, asked)


# start


def reason(cluster: Cluster, job: Job, part: PartitionConf, asked: Amounts | None = None) -> Reason | None:
    """Return the reason word of the first limit that keeps a job from starting, None if none does.

    ``asked``: what it would get, if that is known already.
    """
    found = breach(cluster, job, part, asked)
    return None if found is None else found.word


def breach(cluster: Cluster, job: Job, part: PartitionConf, asked: Amounts | None = None) -> Breach | None:
    """Return the first limit that keeps a job from starting with its figures, None if none does; see `reason`."""
    if not limited(cluster):
        return None
    tally = usage_tally.of(cluster)
    levels = tally.limiting(job.request, part, job.user_name)
    if not levels:
        return None
    amounts = usage_tally.wanted(cluster, part, job.request) if asked is None else asked
    minutes = time_limits.time_limit(job, part)
    return next(_broken(tally, levels, amounts, minutes, job), None)


def may_hold(cluster: Cluster, job: Job, part: PartitionConf) -> bool:
    """Whether some limit may keep a job from starting."""
    return limited(cluster) and bool(usage_tally.of(cluster).limiting(job.request, part, job.user_name))


def least_priority(cluster: Cluster, job: Job, part: PartitionConf) -> int:
    """Return the priority below which a job keeps no nodes from others (``MinPrioThreshold``), 0 for none."""
    if not limited(cluster):
        return 0
    levels = usage_tally.of(cluster).levels(job.request, part, job.user_name)
    return next((int(text) for level in levels if (text := level.record.get("MinPrioThreshold"))), 0)


def _broken(tally: Tally, levels: list[Level], amounts: Amounts, minutes: int, job: Job) -> Iterator[Breach]:
    """Yield the limits that keep a job from starting: first those that do not depend on nodes."""
    for level in levels:
        running = tally.use(level.place).running
        yield from usage_limits.below_threshold(tally, level, job)
        yield from _one_more(level, "GrpJobs", running)
        yield from usage_limits.wall_used_up(tally, level, minutes)
        yield from _too_many_run(tally, level)
        yield from _too_long(level, minutes)
    for level in levels:
        yield from usage_limits.used_up(tally, level, amounts, minutes)
        yield from level.above("GrpTRES", amounts, tally.use(level.place).amounts)
        yield from usage_limits.promised(tally, level, amounts, minutes, "GrpTRESRunMins")
        yield from _too_many_minutes(level, amounts, minutes)
        yield from _too_big(level, amounts)
        if level.prefix == "QOS":
            yield from _too_small(level, amounts)
            yield from _per_member(tally, level, amounts, minutes)


def _too_many_run(tally: Tally, level: Level) -> Iterator[Breach]:
    """Yield the limits on the running jobs of an account or a user that one more would break."""
    if level.prefix == "QOS":
        of_user, of_account = _beside(tally, level)
        yield from _one_more(level, "MaxJobsPerAccount", of_account.running)
        yield from _one_more(level, "MaxJobsPerUser", of_user.running)
    elif level.own:
        yield from _one_more(level, "MaxJobs", tally.use(level.place).running)


def _too_long(level: Level, minutes: int | None) -> Iterator[Breach]:
    asked = ENDLESS if minutes == INFINITE else minutes
    if level.own and asked is not None and level.over("MaxWallDurationPerJob", asked):
        yield level.breach("MaxWallDurationPerJob", 0, asked)


def _too_many_minutes(level: Level, size: Amounts, minutes: int | None) -> Iterator[Breach]:
    if level.own and minutes is not None:
        yield from level.above("MaxTRESMinsPerJob", usage_limits.over_time(size, minutes))


def _too_big(level: Level, size: Amounts) -> Iterator[Breach]:
    """Yield the limits on the size of each single job that a job breaks."""
    if level.own:
        nodes = max(1, size.get("node", 1))
        yield from level.above("MaxTRESPerJob", size)
        yield from level.above("MaxTRESPerNode", {name: amount // nodes for name, amount in size.items()})


def _too_small(level: Level, size: Amounts) -> Iterator[Breach]:
    """Yield the limit that asks for more than a job has; {}: of no size."""
    for resource, least in read(level.record.get("MinTRESPerJob", "")).items() if size else ():
        if size.get(resource, 0) < least:
            yield Breach(level, "MinTRESPerJob", resource, least, 0, size.get(resource, 0))


def _per_member(tally: Tally, level: Level, amounts: Amounts, minutes: int) -> Iterator[Breach]:
    """Yield the limits of a QOS on what each account and each user holds that one more job would break."""
    of_user, of_account = _beside(tally, level)
    for member, use in (("Account", of_account), ("User", of_user)):
        yield from level.above(f"MaxTRESPer{member}", amounts, use.amounts)
        yield from usage_limits.promised(tally, level, amounts, minutes, f"MaxTRESRunMinsPer{member}")


def _beside(tally: Tally, level: Level) -> tuple[JobCounts, JobCounts]:
    """Return the use of a user and of an account in a QOS."""
    name = level.place[1]
    return tally.use(("user", name, level.user)), tally.use(("account", name, level.account))

"""The limits of associations and QOS, as ``AccountingStorageEnforce`` has them: at submission and at the start.

A limit of the partition's QOS goes before the same one of the job's QOS, and that before the association's. Where
nobody defined an account, nothing is enforced. Limits over time (``GrpTRESMins``, ``GrpWall``) are recorded only.
Source: Slurm's "Resource Limits" page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller import arrays, limits, limits_tally
from slimsched.controller.account_options import amounts as read
from slimsched.errno import Errno
from slimsched.errors import SlurmError
from slimsched.model.account import NORMAL, Book, Record
from slimsched.model.request import INFINITE

if TYPE_CHECKING:
    from slimsched.controller.limits_tally import Amounts, Place, Tally, Use
    from slimsched.controller.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config, PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

IMPLIED = {
    "associations": {"associations"},
    "limits": {"associations", "limits"},
    "qos": {"associations", "qos"},
    "safe": {"associations", "limits"},
    "all": {"associations", "limits", "qos"},
}
"""Words of ``AccountingStorageEnforce`` -> what they enforce."""


class Words(NamedTuple):
    """The reason words of one kind of limit on resources, by resource; "gres" stands for all generic ones."""

    cpu: str
    node: str
    mem: str
    gres: str

    def of(self, name: str) -> str:
        """Return the word for a resource."""
        return getattr(self, name, "") or (self.gres if name.startswith("gres/") else self.cpu)


GROUP = Words("GrpCpuLimit", "GrpNodeLimit", "GrpMemLimit", "GrpGRES")
PER_JOB = Words("MaxCpuPerJobLimit", "MaxNodePerJobLimit", "MaxMemPerJob", "MaxGRESPerJob")
PER_NODE = Words("MaxCpuPerNode", "MaxCpuPerNode", "MaxMemPerNode", "MaxGRESPerNode")
PER_USER = Words("MaxCpuPerUserLimit", "MaxNodePerUserLimit", "MaxMemoryPerUser", "MaxGRESPerUser")
PER_ACCOUNT = Words("MaxCpuPerAccount", "MaxNodePerAccount", "MaxMemoryPerAccount", "MaxGRESPerAccount")
LEAST = Words("MinCpuNotSatisfied", "MinNode", "MinMemory", "MinGRES")
OTHER = frozenset({"MaxJobsPerAccount", *PER_ACCOUNT})


def is_reason(word: str) -> bool:
    """Whether a reason word tells of one of these limits."""
    return word.startswith(("Assoc", "QOS")) or word in OTHER


def enforced(config: Config) -> set[str]:
    """Return what is enforced: associations, limits, qos."""
    found: set[str] = set()
    for word in config.get("AccountingStorageEnforce").lower().split(","):
        found |= IMPLIED.get(word.strip(), set())
    return found


# submission


def associate(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Fill in the account and QOS that a user's association gives. Raises `SlurmError` if they must be known."""
    if not cluster.accounting:
        return
    book = Book(cluster)
    account = request.account.lower() or book.default_account(user.name)
    partition = partitions[0].partition_name
    permit(cluster, account, request.qos, user.name, partition)
    line = book.line(account, user.name, partition)
    if line:
        request.account = account
        request.qos = request.qos or book.default_qos(line)


def permit(cluster: Cluster, account: str, qos: str, user: str, partition: str) -> None:
    """Refuse an account or QOS that a user may not use. Raises `SlurmError` (INVALID_ACCOUNT, INVALID_QOS)."""
    book, rules = Book(cluster), enforced(cluster.config)
    line = book.line(account or book.default_account(user), user, partition)
    if not line and "associations" in rules:
        raise SlurmError(Errno.INVALID_ACCOUNT)
    if line and qos and "qos" in rules and qos not in book.qos_of(line):
        raise SlurmError(Errno.INVALID_QOS)


def check(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Refuse one job too many, and with the QOS flag ``DenyOnLimit`` one that could never start.

    Raises `SlurmError` (ACCOUNTING_POLICY) with the limit's reason word as its detail.
    """
    if not _limited(cluster):
        return
    tally = limits_tally.of(cluster)
    levels = _levels(tally.book, request, partitions[0], user.name)
    count = 1
    if request.array:
        count = arrays.count(arrays.parse(request.array, cluster.config.number("MaxArraySize"))[0])
    word = next(_too_many(tally, levels, count), "")
    if not word and any("denyonlimit" in level.record.get("Flags", "").lower() for level in levels):
        minutes = request.time_limit
        word = next(_too_big(levels, limits_tally.wanted(request), minutes), "")
    if word:
        raise SlurmError(Errno.ACCOUNTING_POLICY, detail=word)


# start


def reason(cluster: Cluster, job: Job, part: PartitionConf, asked: Amounts | None = None) -> str:
    """Return the reason word of the first limit that keeps a job from starting, "" if none does.

    ``asked``: what it would get, if that is known already.
    """
    if not _limited(cluster):
        return ""
    tally = limits_tally.of(cluster)
    levels = _levels(tally.book, job.request, part, job.user_name)
    amounts = limits_tally.wanted(job.request) if asked is None else asked
    minutes = limits.time_limit(job, part)
    return next(_too_big(levels, amounts, minutes), "") or next(_too_much(tally, levels, amounts), "")


def _limited(cluster: Cluster) -> bool:
    return bool(cluster.accounting) and "limits" in enforced(cluster.config)


class Level(NamedTuple):
    """One record whose limits count: its prefix in reason words, the record, and where its jobs are counted.

    ``own``: limits for each job and user hold here; of the associations they are those of the lowest, with what it
    inherits. ``covered``: limits that a level before this one sets, so that they do not count here.
    """

    prefix: str
    record: Record
    place: Place
    user: str
    account: str
    own: bool
    covered: frozenset[str]


def _levels(book: Book, request: JobRequest, part: PartitionConf, user: str) -> list[Level]:
    """Return the levels, the strongest first."""
    account = request.account or book.default_account(user)
    covered: set[str] = set()
    found: list[Level] = []
    for name in dict.fromkeys((part.qos if part.qos != "N/A" else "", request.qos or NORMAL)):
        record = book.get("qos", name) if name else None
        if record is not None:
            found.append(Level("QOS", record, ("qos", name), user, account, True, frozenset(covered)))
            covered |= _set(record)
    line = book.line(account, user, part.partition_name)
    for number, (key, record) in enumerate(line):
        own = number == 0
        values = {name: book.effective(name, line) for name in INHERITED} if own else {}
        merged = {**record, **{name: value for name, value in values.items() if value}}
        found.append(Level("Assoc", merged, ("assoc", key), user, account, own, frozenset(covered)))
    return found


INHERITED = ("MaxJobs", "MaxSubmitJobs", "MaxTRESPerJob", "MaxTRESPerNode", "MaxWallDurationPerJob")
SAME = {"MaxJobsPerUser": "MaxJobs", "MaxSubmitJobsPerUser": "MaxSubmitJobs"}
"""Limits of a QOS -> those of an association that they cover."""


def _set(record: Record) -> set[str]:
    """Return the limits that a record sets, those on resources one by one (``GrpTRES cpu``)."""
    found = {each for name in record if "TRES" not in name for each in (name, SAME.get(name, name))}
    for name, value in record.items():
        if "TRES" in name:
            found |= {f"{name} {resource}" for resource in read(value)}
    return found


def _over(level: Level, name: str, count: int) -> bool:
    """Whether a count is above a limit that the level sets."""
    return name in level.record and name not in level.covered and count > int(level.record[name])


def _above(level: Level, name: str, amounts: Amounts, used: Amounts | None = None) -> str:
    """Return the first resource of which there would be more than a limit allows, "" if there is none."""
    for resource, most in read(level.record.get(name, "")).items():
        if f"{name} {resource}" in level.covered:
            continue
        if amounts.get(resource, 0) + (used or {}).get(resource, 0) > most:
            return resource
    return ""


def _too_many(tally: Tally, levels: list[Level], count: int) -> Iterator[str]:
    """Yield the limits on submitted jobs that ``count`` more would break."""
    for level in levels:
        if level.prefix == "QOS":
            of_user, of_account = _beside(tally, level)
            if _over(level, "MaxSubmitJobsPerAccount", of_account.submitted + count):
                yield "MaxSubmitJobsPerAccount"
            if _over(level, "MaxSubmitJobsPerUser", of_user.submitted + count):
                yield "QOSMaxSubmitJobPerUserLimit"
        submitted = tally.use(level.place).submitted + count
        if _over(level, "GrpSubmitJobs", submitted):
            yield f"{level.prefix}GrpSubmitJobsLimit"
        if level.own and level.prefix == "Assoc" and _over(level, "MaxSubmitJobs", submitted):
            yield "AssocMaxSubmitJobLimit"


def _beside(tally: Tally, level: Level) -> tuple[Use, Use]:
    """Return what a user and an account have in a QOS."""
    name = level.place[1]
    return tally.use(("user", name, level.user)), tally.use(("account", name, level.account))


def _too_big(levels: list[Level], amounts: Amounts, minutes: int | None) -> Iterator[str]:
    """Yield the limits for each single job that a job of this size breaks."""
    nodes = max(1, amounts.get("node", 1))
    each = {name: -(-amount // nodes) for name, amount in amounts.items() if name != "node"}
    for level in levels:
        if not level.own:
            continue
        resource = _above(level, "MaxTRESPerJob", amounts)
        if resource:
            word = PER_JOB.of(resource)
            yield "QOSMaxMemoryPerJob" if (level.prefix, resource) == ("QOS", "mem") else level.prefix + word
        resource = _above(level, "MaxTRESPerNode", each)
        if resource:
            yield level.prefix + PER_NODE.of(resource)
        if minutes is not None and _over(level, "MaxWallDurationPerJob", minutes if minutes != INFINITE else 1 << 40):
            yield f"{level.prefix}MaxWallDurationPerJobLimit"
        for resource, least in read(level.record.get("MinTRESPerJob", "")).items():
            if amounts.get(resource, 0) < least:
                yield level.prefix + LEAST.of(resource)


def _too_much(tally: Tally, levels: list[Level], amounts: Amounts) -> Iterator[str]:
    """Yield the limits on what runs together that one more job of this size would break."""
    for level in levels:
        use = tally.use(level.place)
        if _over(level, "GrpJobs", use.running + 1):
            yield f"{level.prefix}GrpJobsLimit"
        if level.prefix == "Assoc" and level.own and _over(level, "MaxJobs", use.running + 1):
            yield "AssocMaxJobsLimit"
        resource = _above(level, "GrpTRES", amounts, use.amounts)
        if resource:
            yield level.prefix + GROUP.of(resource)
        if level.prefix == "QOS":
            yield from _per_member(tally, level, amounts)


def _per_member(tally: Tally, level: Level, amounts: Amounts) -> Iterator[str]:
    """Yield the limits of a QOS for each user and each account."""
    of_user, of_account = _beside(tally, level)
    if _over(level, "MaxJobsPerAccount", of_account.running + 1):
        yield "MaxJobsPerAccount"
    if _over(level, "MaxJobsPerUser", of_user.running + 1):
        yield "QOSMaxJobsPerUserLimit"
    resource = _above(level, "MaxTRESPerAccount", amounts, of_account.amounts)
    if resource:
        yield PER_ACCOUNT.of(resource)
    resource = _above(level, "MaxTRESPerUser", amounts, of_user.amounts)
    if resource:
        yield f"QOS{PER_USER.of(resource)}"

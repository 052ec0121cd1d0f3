"""The records whose limits count for a job: its partition's QOS, its own, its association and those above it.

A limit of the partition's QOS goes before the same one of the job's QOS (unless that has the flag ``OverPartQOS``),
and that before the association's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.accounts.values import amounts as read
from slimsched.model.account import NORMAL, Book, Record, has_flag, key
from slimsched.model.resources import capacity
from slimsched.priority import tres
from slimsched.slurm.limits import AT_START, HANDED_DOWN, LIMITS, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from slimsched.controller.accounts.usage_tally import Amounts, Place
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest
    from slimsched.slurm.reasons import Reason

SAME = {each.name: each.same for each in LIMITS if each.same}
"""Limits of a QOS -> those of an association that they cover."""
SCALED = ("GrpTRES", "MaxTRESPerJob", "MaxTRESPerNode")
"""Limits of associations that the ``LimitFactor`` of a job's QOS multiplies."""
RELATIVE = (*SCALED, "MaxTRESPerAccount", "MaxTRESPerUser", "MinTRESPerJob")
"""Limits of a QOS with the flag ``Relative`` that are percentages: of the partition whose QOS it is, or the cluster."""


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

    @property
    def key(self) -> str:
        """The key of the record."""
        return self.place[1] if self.prefix == "Assoc" else key("qos", self.place[1])

    @property
    def limits_starts(self) -> bool:
        """Whether it sets a limit that may keep a job from starting."""
        return not AT_START.isdisjoint(self.record)

    def flag(self, name: str) -> bool:
        """Whether a QOS has a flag."""
        return has_flag(self.record, name)

    def over(self, name: str, count: float) -> bool:
        """Whether a count is above a limit."""
        return name in self.record and name not in self.covered and count > int(self.record[name])

    def above(self, name: str, amounts: Amounts, used: Amounts | None = None) -> Iterator[Breach]:
        """Yield the breach of a limit by the first resource that would exceed it."""
        for resource, most in self.limits(name):
            asked, taken = amounts.get(resource, 0), (used or {}).get(resource, 0)
            if asked + taken > most:
                yield Breach(self, name, resource, most, taken, asked)
                return

    def breach(self, name: str, used: float = 0, asked: float = 1) -> Breach:
        """Return the breach of a limit that is one number."""
        return Breach(self, name, "", float(self.record[name]), used, asked)

    def limits(self, name: str) -> list[tuple[str, int]]:
        """Return the limit of each resource, without those that a stronger level covers."""
        text = self.record.get(name)
        if not text:
            return []
        found = read(text).items()
        return [(resource, most) for resource, most in found if f"{name} {resource}" not in self.covered]


class Breach(NamedTuple):
    """A limit that a job would break: whose, what it limits, how much is allowed, what others use, and what it asks."""

    level: Level
    limit: str
    resource: str
    most: float
    used: float
    asked: float

    @property
    def word(self) -> Reason:
        """The reason word of a job that it holds."""
        return word(self.level.prefix, self.limit, self.resource)


def of(book: Book, request: JobRequest, part: PartitionConf, user: str) -> list[Level]:
    """Return the levels, the strongest first."""
    account = request.account or book.default_account(user)
    names = [part.qos_name, request.qos or NORMAL]
    if has_flag(book.qos(names[1]), "OverPartQOS"):
        names.reverse()
    covered: set[str] = set()
    found: list[Level] = []
    for name in dict.fromkeys(names):
        record = book.get("qos", name) if name else None
        if record is not None:
            if has_flag(record, "Relative"):
                record = _absolute(book.cluster, record, part if name == part.qos_name else None)
            found.append(Level("QOS", record, ("qos", name), user, account, True, frozenset(covered)))
            covered |= _set(record)
    factor = float(book.qos(request.qos).get("LimitFactor", 1))
    line = book.line(account, user, part.partition_name)
    for number, (name, record) in enumerate(line):
        values = {limit: book.effective(limit, line) for limit in HANDED_DOWN} if number == 0 else {}
        merged = {**record, **{limit: value for limit, value in values.items() if value}}
        if factor != 1:
            merged |= {limit: _times(factor, merged[limit]) for limit in SCALED if limit in merged}
        found.append(Level("Assoc", merged, ("assoc", name), user, account, number == 0, frozenset(covered)))
    return found


def is_relative(cluster: Cluster, qos: str) -> bool:
    """Whether a QOS has percentages of a partition, so that no job may ask for it by name."""
    record = Book(cluster).qos(qos)
    return has_flag(record, "Relative") and any(part.qos_name == qos for part in cluster.partitions.values())


def _absolute(cluster: Cluster, record: Record, part: PartitionConf | None) -> Record:
    """Return a record with limits in numbers whose percentages are of a partition, or of the cluster (None)."""
    there = tres.partition_capacity(cluster, part) if part is not None else capacity(cluster.nodes)
    return {name: _share(there, text) if name in RELATIVE else text for name, text in record.items()}


def _share(there: Mapping[str, int], limit: str) -> str:
    return ",".join(f"{resource}={there.get(resource, 0) * share // 100}" for resource, share in read(limit).items())


def _times(factor: float, limit: str) -> str:
    return ",".join(f"{resource}={int(most * factor)}" for resource, most in read(limit).items())


def _set(record: Record) -> set[str]:
    """Return the limits that a record sets, with one entry per resource (``GrpTRES cpu``)."""
    found = {each for name in record if "TRES" not in name for each in (name, SAME.get(name, name))}
    for name, value in record.items():
        if "TRES" in name:
            found |= {f"{name} {resource}" for resource in read(value)}
    return found

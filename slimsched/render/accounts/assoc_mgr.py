"""``scontrol show assoc_mgr``: the users, associations and QOS as slurmctld knows them, with limits and usage."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from slimsched.controller.accounts import usage_tally
from slimsched.controller.accounts.values import amounts
from slimsched.controller.requests.users import uid_of
from slimsched.model.account import Book, Record, key
from slimsched.model.resources import counted
from slimsched.priority.fairshare import FairShare, Share

if TYPE_CHECKING:
    from slimsched.controller.accounts.usage_tally import JobCounts
    from slimsched.model.cluster import Cluster

SECTIONS = {
    "users": ("User Records", "users"),
    "assoc": ("Association Records", "associations"),
    "qos": ("QOS Records", "QOS"),
}
"""Section -> its heading, and the text if it is empty."""


class Wanted:
    """What is asked for: sections, and records by their names (none: all)."""

    def __init__(self) -> None:
        self.sections: set[str] = set()
        self.users: set[str] = set()
        self.accounts: set[str] = set()
        self.qos: set[str] = set()


def text(cluster: Cluster, wanted: Wanted, *, known: bool, oneliner: bool = False) -> str:
    """Return the sections; ``known``: there is accounting at all."""
    state = _State(cluster, wanted, oneliner=oneliner)
    made = {"users": state.users, "assoc": state.associations, "qos": state.qos}
    gap = "" if oneliner else "\n"
    parts = ["Current Association Manager state\n"]
    for name, (heading, plural) in SECTIONS.items():
        records = list(made[name]()) if known and name in (wanted.sections or SECTIONS) else []
        if records:
            parts += [f"{gap}{heading}{gap}\n", *(f"{record}\n" for record in records)]
        elif name in (wanted.sections or SECTIONS):
            parts.append(f"{gap}No {plural} currently cached in Slurm.{gap}\n")
    return "".join(parts).removesuffix("\n")


UNSET_NORM = float(2**64)
"""The share of an association for which nobody has reckoned one."""


class _State:
    """One cluster's records, each as a text."""

    def __init__(self, cluster: Cluster, wanted: Wanted, *, oneliner: bool) -> None:
        self.cluster, self.wanted, self.book = cluster, wanted, Book(cluster)
        self.tally = usage_tally.of(cluster)
        self.resources = list(counted(cluster.config))
        self.joint = " " if oneliner else "\n    "
        self.oneliner = oneliner

    @cached_property
    def tree(self) -> FairShare:
        """Shares and usage."""
        return FairShare(self.cluster)

    def users(self) -> Iterator[str]:
        """Yield the users."""
        for name in self.book.names("user"):
            if self.wanted.users and name not in self.wanted.users:
                continue
            record = self.book.get("user", name) or {}
            account, wckey = record.get("DefaultAccount") or "(null)", record.get("DefaultWCKey", "")
            level = record.get("AdminLevel", "None")
            uid = uid_of(self.cluster, name)
            yield f"UserName={name}({uid}) DefAccount={account} DefWckey={wckey} AdminLevel={level}"

    def associations(self) -> Iterator[str]:
        """Yield the associations."""
        for share in self.tree.rows():
            if self.wanted.accounts and share.account not in self.wanted.accounts:
                continue
            if not self.wanted.users or not share.user or share.user in self.wanted.users:
                yield self.joint.join(self._association(share))

    def _association(self, share: Share) -> Iterator[str]:
        record, place = share.record, key("assoc", share.account, share.user, share.partition)
        used, pledged = self.tree.ledger.groups.get(place, {}), self.tree.ledger.pledged.get(place, {})
        user = f"UserName={share.user}({uid_of(self.cluster, share.user)})" if share.user else "UserName="
        priority, number = record.get("Priority", "0"), record.get("ID", "0")
        cluster = self.book.cluster_name
        yield (
            f"ClusterName={cluster} Account={share.account} {user} "
            f"Partition={share.partition} Priority={priority} ID={number}"
        )
        yield from self._shares(share)
        default = "Yes" if share.user and self.book.default_account(share.user) == share.account else "No"
        lineage = self.book.lineage(share.account, share.user, share.partition)
        yield f"ParentAccount={self._parent(share)} Lineage={lineage} DefAssoc={default}"
        use = self.tally.use(("assoc", place))
        yield from self._group(record, use, wall=used.get("wall", 0.0))
        yield from self._spent(record, use, used, pledged)
        limits = [
            _own("MaxJobs", record.get("MaxJobs"), use.running),
            _own("MaxJobsAccrue", record.get("MaxJobsAccrue"), use.accruing),
            _own("MaxSubmitJobs", record.get("MaxSubmitJobs"), use.submitted),
            f"MaxWallPJ={record.get('MaxWallDurationPerJob', '')}",
        ]
        yield " ".join(limits)
        yield from self._each(record)
        yield f"MinPrioThresh={record.get('MinPrioThreshold', '')}"
        yield f"Comment={record.get('Comment') or '(null)'}"

    def _shares(self, share: Share) -> Iterator[str]:
        """Yield shares and usage; a plugin that does not count usage leaves them as they are at first."""
        if self.cluster.config.get("PriorityType").lower() != "priority/multifactor":
            yield f"SharesRaw/Norm/Level/Factor={share.raw}/{UNSET_NORM:.2f}/1/0.00"
            yield "UsageRaw/Norm/Efctv=0.00/1.00/0.00"
            return
        shares = sum(each.shares for each in share.up.below) if share.up else 1
        yield f"SharesRaw/Norm/Level/Factor={share.raw}/{share.norm:.2f}/{shares}/{share.factor:.2f}"
        yield f"UsageRaw/Norm/Efctv={share.usage:.2f}/{self.tree.used(share):.2f}/{share.effective:.2f}"

    def _parent(self, share: Share) -> str:
        if share.user or share.up is None:
            return ""
        return f"{share.up.account}({share.up.record.get('ID', '0')})"

    def qos(self) -> Iterator[str]:
        """Yield the QOS."""
        records = {name: self.book.get("qos", name) or {} for name in self.book.names("qos")}
        for name, record in sorted(records.items(), key=lambda item: int(item[1].get("ID", "0"))):
            if not self.wanted.qos or name in self.wanted.qos:
                yield self.joint.join(self._one_qos(name, record))

    def _one_qos(self, name: str, record: Record) -> Iterator[str]:
        place = key("qos", name)
        used, pledged = self.tree.ledger.of(place), self.tree.ledger.pledged.get(place, {})
        use = self.tally.use(("qos", name))
        yield f"QOS={name}({record.get('ID', '0')})"
        yield f"UsageRaw={used.get('billing', 0.0):.6f}"
        yield " ".join(self._group(record, use, wall=used.get("wall", 0.0)))
        yield from self._spent(record, use, used, pledged)
        yield f"MaxWallPJ={record.get('MaxWallDurationPerJob', '')}"
        yield from self._each(record)
        yield f"MinPrioThresh={record.get('MinPrioThreshold', '')} "
        yield self._limits("MinTRESPJ", record, "MinTRESPerJob")
        yield f"PreemptMode={record.get('PreemptMode', 'OFF').upper()}"
        yield f"Priority={record.get('Priority', 'NONE')}"
        yield self._members("Account", "PA", "PerAccount", record, name)
        yield self._members("User", "PU", "PerUser", record, name)

    # parts of a record

    def _group(self, record: Record, use: JobCounts, wall: float) -> Iterator[str]:
        """Yield the limits on jobs of a group: two lines of an association, one of a QOS."""
        accruing = f"GrpJobsAccrue={_limit(record, 'GrpJobsAccrue')}({use.accruing})"
        yield f"GrpJobs={_limit(record, 'GrpJobs')}({use.running}) {accruing}"
        submitted = f"GrpSubmitJobs={_limit(record, 'GrpSubmitJobs')}({use.submitted})"
        yield f"{submitted} GrpWall={_limit(record, 'GrpWall')}({wall / 60:.2f})"

    def _spent(
        self, record: Record, use: JobCounts, used: dict[str, float], pledged: dict[str, float]
    ) -> Iterator[str]:
        """Yield the limits on resources of a group, with what it has of them."""
        yield self._limits("GrpTRES", record, "GrpTRES", use.amounts)
        for limit, seconds in (("GrpTRESMins", used), ("GrpTRESRunMins", pledged)):
            yield self._limits(limit, record, limit, {name: int(value / 60) for name, value in seconds.items()})

    def _each(self, record: Record) -> Iterator[str]:
        """Yield the limits on resources of single jobs."""
        yield self._limits("MaxTRESPJ", record, "MaxTRESPerJob")
        yield self._limits("MaxTRESPN", record, "MaxTRESPerNode")
        yield self._limits("MaxTRESMinsPJ", record, "MaxTRESMinsPerJob")

    def _limits(self, label: str, record: Record, name: str, used: dict[str, int] | None = None) -> str:
        """Return limits by resource; with what is ``used``, all resources that are counted."""
        most = amounts(record.get(name, ""))
        if used is None:
            return f"{label}={','.join(f'{each}={value}' for each, value in most.items())}"
        shown = (f"{each}={most.get(each, 'N')}({used.get(each, 0)})" for each in self.resources)
        return f"{label}={','.join(shown)}"

    def _members(self, what: str, short: str, long: str, record: Record, qos: str) -> str:
        """Return what each account, or each user, has in a QOS, in the order of their first jobs."""
        kind, pledged = what.lower(), self.tree.ledger.pledged
        places = [place for place in self.tally.places if place[:2] == (kind, qos)]
        lines = [f"{what} Limits{'=' if self.oneliner else ''}"]
        for place in places:
            use, name = self.tally.use(place), place[2]
            shown = f"{name}({uid_of(self.cluster, name)})" if kind == "user" else name
            counts = (
                f"MaxJobs{short}={_limit(record, f'MaxJobs{long}')}({use.running}) "
                f"MaxJobsAccrue{short}={_limit(record, f'MaxJobsAccrue{long}')}({use.accruing}) "
                f"MaxSubmitJobs{short}={_limit(record, f'MaxSubmitJobs{long}')}({use.submitted})"
            )
            resources = self._limits(f"MaxTRES{short}", record, f"MaxTRES{long}", use.amounts)
            seconds = pledged.get(f"{key('qos', qos)} {kind} {name}", {})
            left = {each: int(value / 60) for each, value in seconds.items()}
            minutes = self._limits(f"MaxTRESRunMins{short}", record, f"MaxTRESRunMins{long}", left)
            if self.oneliner:
                lines.append(f" {shown}={{{counts} {resources} {minutes}}}")
            else:
                lines.append(f"\n      {shown}\n        {counts}\n        {resources}\n        {minutes}")
        if not places:
            lines.append(f"No {what}s" if self.oneliner else f"\n        No {what}s")
        return "".join(lines)


def _limit(record: Record, name: str) -> str:
    return record.get(name, "N")


def _own(label: str, limit: str | None, count: int) -> str:
    """Return a limit of the association itself, with the count that it is held against if there is one."""
    return f"{label}={limit}({count})" if limit else f"{label}="

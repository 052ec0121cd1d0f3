"""The lists of ``sacctmgr show``: for each kind of record its values by field and its usual format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.model.account import NORMAL, Book, Record, shares
from slimsched.model.resources import capacity, counted
from slimsched.render.accounts.sacctmgr_values import amount, by_name, shown
from slimsched.render.units import stamp, tres
from slimsched.slurm import limits
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.slurm.limits import Limit

Value = Callable[[Any], str]


class RecordRow:
    """One line: a record with its names, and the association beside it (``line``: with those above it)."""

    def __init__(self, book: Book, name: str = "", record: Record | None = None) -> None:
        self.book, self.name, self.record = book, name, record or {}
        self.account = self.user = self.partition = ""
        self.limits: Record = {}
        self.line: list[tuple[str, Record]] = []
        self.indent = 0
        self.raw = False  # QOS as the association itself lists them
        self.cluster = book.cluster_name
        self.among: set[str] | None = None  # accounts of the associations that are shown

    def on(self, account: str, user: str, partition: str, *, tree: bool = False) -> RecordRow:
        """Put an association beside the record and return the row."""
        self.account, self.user, self.partition = account, user, partition
        own = self.book.get("assoc", account, user, partition) or {}
        self.line = self.book.line(account, user, partition)
        above = {name: self.book.effective(name, self.line) for name in ("DefaultQOS", "Priority", *limits.HANDED_DOWN)}
        self.limits = {**{name: value for name, value in above.items() if value}, **own}
        self.indent = (self.book.depth(account) + bool(user)) if tree else 0
        return self

    def of(self, cluster: str) -> RecordRow:
        """Return a copy of the row for another cluster."""
        made = copy(self)
        made.cluster = cluster
        return made

    @property
    def qos(self) -> str:
        """The QOS that the association may use."""
        if self.raw:
            return self.limits.get("QosLevel", "")
        return ",".join(self.book.qos_of(self.line)) if self.line or self.account else ""

    def alone(self, usual_share: str = "1") -> RecordRow:
        """Show of the association what it sets itself, nothing that it inherits, and return the row."""
        self.limits = {"Fairshare": usual_share, **(self.line[0][1] if self.line else {})}
        return self

    @property
    def default_account(self) -> str:
        """The default account of a user; beside associations it is told only if it is among them."""
        usual = self.record.get("DefaultAccount", "")
        return usual if self.among is None or usual in self.among else ""

    @property
    def lineage(self) -> str:
        """The accounts from the root down, and the user."""
        return self.book.lineage(self.account, self.user, self.partition) if self.line else ""


def _own(key: str, usual: str = "") -> Value:
    """Return the reader of an option of the record itself."""
    return lambda row: shown(key, row.record.get(key, usual))


def _limit(key: str) -> Value:
    """Return the reader of an option of the association."""
    return lambda row: shown(key, row.limits.get(key, ""))


def _limits(where: str, *, own: bool = False) -> dict[str, Value]:
    """Return the readers of the limits of associations or QOS; ``own``: they stand in the record itself."""

    def reader(limit: Limit) -> Value:
        if not limit.resource:
            return (_own if own else _limit)(limit.name)
        return lambda row: amount((row.record if own else row.limits).get(limit.name, ""), limit.resource)

    return {limit.shown_as: reader(limit) for limit in limits.LIMITS if where in limit.where}


ASSOCIATION: dict[str, Value] = {
    **_limits(limits.ASSOC),
    "cluster": lambda row: row.cluster if row.line or row.account else "",
    "acct": lambda row: " " * row.indent + row.account,
    "user": lambda row: row.user,
    "partition": lambda row: row.partition,
    "share": lambda row: row.limits.get("Fairshare", "1") if row.line or row.account else "",
    "priority": _limit("Priority"),
    "qos": lambda row: row.qos,
    "qosraw": _limit("QosLevel"),
    "dqos": _limit("DefaultQOS"),
    "id": _limit("ID"),
    "comment": _limit("Comment"),
    "lineage": lambda row: row.lineage,
    "parentname": lambda row: "" if row.user else row.limits.get("ParentName", ""),
    "parentid": lambda row: (row.book.get("assoc", row.limits.get("ParentName", "")) or {}).get("ID", ""),
    "flags": lambda row: "",
}
USER: dict[str, Value] = {
    **ASSOCIATION,
    "acct": lambda row: row.account,
    "user": lambda row: row.name,
    "name": lambda row: row.name,
    "dacct": lambda row: row.default_account,
    "admin": lambda row: row.record.get("AdminLevel", "None"),
    "dwckey": _own("DefaultWCKey"),
    "coords": lambda row: ",".join(led_by(row.book, row.name)),
}
ACCOUNT: dict[str, Value] = {
    **ASSOCIATION,
    "acct": lambda row: row.name,
    "name": lambda row: row.name,
    "desc": _own("Description"),
    "org": _own("Organization"),
    "flags": _own("Flags"),
    "coords": lambda row: ",".join(row.book.coordinators(row.name)),
}
RPC_VERSION = 11776
"""Version of the protocol that slurmctld speaks."""
CLUSTER: dict[str, Value] = {
    **_limits(limits.ASSOC, own=True),
    "cluster": lambda row: row.name,
    "name": lambda row: row.name,
    "chost": lambda row: "127.0.0.1" if _here(row) else "",
    "cport": lambda row: (row.book.cluster.config.get("SlurmctldPort") or "6817") if _here(row) else "0",
    "rpc": lambda row: str(RPC_VERSION) if _here(row) else "0",
    "share": _own("Fairshare", "1"),
    "qos": lambda row: row.record.get("QosLevel") or ",".join(row.book.qos_of([])) or NORMAL,
    "dqos": _own("DefaultQOS"),
    "class": _own("Classification"),
    "features": _own("Features"),
    "nodecount": lambda row: str(len(row.book.cluster.nodes)) if _here(row) else "",
    "clusternodes": lambda row: all_nodes(row.book.cluster) if _here(row) else "",
    "tres": lambda row: by_name(_there(row.book.cluster)) if _here(row) else "",
    "fedstate": lambda row: "NA",
    "id": lambda row: "1" if _here(row) else "0",
}
QOS: dict[str, Value] = {
    **_limits(limits.QOS, own=True),
    "name": lambda row: row.name,
    "desc": _own("Description"),
    "id": _own("ID"),
    "priority": _own("Priority", "0"),
    "grace": _own("GraceTime", "0"),
    "preempt": _own("Preempt"),
    "preemptexempt": _own("PreemptExemptTime"),
    "preemptmode": _own("PreemptMode", "cluster"),
    "flags": _own("Flags"),
    "factor": _own("UsageFactor", "1"),
    "limitfactor": _own("LimitFactor"),
}
TRES: dict[str, Value] = {"type": lambda row: row.name, "name": lambda row: row.account, "id": lambda row: row.user}
WCKEY: dict[str, Value] = {
    "wckey": lambda row: row.name,
    "cluster": lambda row: row.cluster,
    "user": lambda row: row.record["User"],
}
RESOURCE: dict[str, Value] = {
    "id": _own("ID"),
    "name": _own("Name"),
    "server": _own("Server"),
    "type": lambda row: row.record.get("Type", "").capitalize(),
    "desc": _own("Description"),
    "count": _own("Count", "0"),
    "consumed": _own("LastConsumed", "0"),
    "allocated": lambda row: str(sum(shares(row.record).values())),
    "cluster": lambda row: row.cluster,
    "allowed": lambda row: str(shares(row.record).get(row.cluster, 0)),
    "servertype": _own("ServerType"),
    "flags": _own("Flags"),
}
FEDERATION: dict[str, Value] = {
    "federation": lambda row: row.name,
    "name": lambda row: row.name,
    "cluster": lambda row: row.cluster,
    "id": lambda row: str(row.record["Clusters"].split(",").index(row.cluster) + 1) if row.cluster else "",
    "fedstate": lambda row: "ACTIVE" if row.cluster else "",
}
KINDS_OF_EVENT = ("Cluster", "Node")
EVENT: dict[str, Value] = {
    "cluster": lambda event: event.cluster,
    "clusternodes": lambda event: event.nodes,
    "nodenames": lambda event: event.node,
    "timestart": lambda event: stamp(event.start, event.start, "Unknown"),
    "timeend": lambda event: stamp(event.end, event.end, "Unknown"),
    "duration": lambda event: times.elapsed((event.end or event.now) - event.start, full=True),
    "state": lambda event: event.state,
    "reason": lambda event: event.reason,
    "user": lambda event: event.user,
    "event": lambda event: event.kind,
    "eventraw": lambda event: str(1 + KINDS_OF_EVENT.index(event.kind)),
    "cpus": lambda event: str(event.cpus),
    "tres": lambda event: by_name(event.tres),
}
PROBLEM: dict[str, Value] = {
    "cluster": lambda row: row.book.cluster_name if row.account else "",
    "acct": lambda row: row.account,
    "user": lambda row: row.user,
    "problem": lambda row: row.name,
}
TRANSACTION: dict[str, Value] = {
    "time": lambda row: stamp(row.time, row.time),
    "action": lambda row: row.action,
    "actor": lambda row: row.actor,
    "where": lambda row: row.where,
    "info": lambda row: row.info,
}

_LIMITS = (
    "Share,Priority,GrpJ,GrpTRES,GrpS,GrpWall,GrpTRESMins,MaxJ,MaxTRES,MaxTRESPerN,MaxS,MaxW,MaxTRESMins,QOS,DefaultQOS,"
    "GrpTRESRunMins"
)


class RecordKind(NamedTuple):
    """One kind of record: what its fields show, and its usual format; ``joined``: what associations add to it."""

    values: dict[str, Value]
    format: str
    joined: str = ""


KINDS = {
    "account": RecordKind(
        ACCOUNT,
        "Acc,Des,O",
        "Cl,ParentN,U,Share,Priority,GrpJ,GrpN,GrpCPUs,GrpMEM,GrpS,GrpWall,GrpCPUMins,MaxJ,MaxN,MaxCPUs,MaxS,MaxW,"
        "MaxCPUMins,QOS,DefaultQOS",
    ),
    "user": RecordKind(
        USER,
        "U,DefaultA,Ad",
        "Cl,Acc,Part,Share,Priority,MaxJ,MaxN,MaxCPUs,MaxS,MaxW,MaxCPUMins,QOS,DefaultQOS",
    ),
    "assoc": RecordKind(ASSOCIATION, f"Cluster,Account,User,Part,{_LIMITS}"),
    "cluster": RecordKind(
        CLUSTER, "Cl,Controlh,Controlp,RPC,Fa,GrpJ,GrpTRES,GrpS,MaxJ,MaxTRES,MaxS,MaxW,QOS,DefaultQOS"
    ),
    "qos": RecordKind(
        QOS,
        "Name,Prio,GraceT,Preempt,PreemptE,PreemptM,Flags%40,UsageThres,UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,"
        "GrpJ,GrpS,GrpW,MaxTRES,MaxTRESPerN,MaxTRESMins,MaxW,MaxTRESPerUser,MaxJobsPerUser,MaxSubmitJobsPerUser,"
        "MaxTRESPerAcct,MaxTRESRunMinsPerAcct%22,MaxTRESRunMinsPerUser%22,MaxJobsPerAcct,MaxSubmitJobsPerAcct,MinTRES",
    ),
    "tres": RecordKind(TRES, "Type,Name%15,ID"),
    "event": RecordKind(EVENT, "Cluster,NodeName,Start,End,State,Reason,User"),
    "problem": RecordKind(PROBLEM, "Cl,Acct,User,Problem"),
    "txn": RecordKind(TRANSACTION, "Time,Action,Actor,Where,Info"),
    "wckey": RecordKind(WCKEY, "WCKey,Cluster,User"),
    "resource": RecordKind(RESOURCE, "Name,Server,Type,Count,LastConsumed,Allocated,ServerType,Flags"),
    "reservation": RecordKind({}, "Cl,Name%15,TRES%30,TimeStart,TimeEnd,UnusedWall"),
    "federation": RecordKind(FEDERATION, "Federation,Cluster,ID%2,Features,FedState"),
    "instance": RecordKind({}, "Cluster,NodeName,Start,End,InstanceID,InstanceType,Extra"),
    "runaway": RecordKind({}, "ID%-12,Name,Part,Cluster,State%10,Submit,Start,End"),
}


def _here(row: RecordRow) -> bool:
    """Whether a row is the one of the cluster that there is."""
    return row.name == row.book.cluster_name


def led_by(book: Book, user: str) -> list[str]:
    """Return the accounts that a user leads, those below them too."""
    led = set((book.get("user", user) or {}).get("Coordinators", "").split(","))
    return [name for name in book.names("account") if led & {each.partition(" ")[2] for each, _ in book.line(name)}]


def all_nodes(cluster: Cluster) -> str:
    """Return the nodes of a cluster as a hostlist."""
    return cluster.hostlist_of((1 << len(cluster.nodes)) - 1)


def tres_rows(cluster: Cluster) -> Iterator[RecordRow]:
    """Yield the resources that accounting counts, with their numbers."""
    for name, number in counted(cluster.config).items():
        kind, _, rest = name.partition("/")
        row = RecordRow(Book(cluster), kind)
        row.account, row.user = rest, str(number)
        yield row


def _there(cluster: Cluster) -> str:
    """Return what the nodes have together."""
    return tres(cluster.config, capacity(cluster.nodes))

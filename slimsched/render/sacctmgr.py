"""What ``sacctmgr show`` lists: the fields of each kind of record, and its usual format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.model.account import NORMAL, Book, Record
from slimsched.model.resources import counted
from slimsched.render.accounting import Field
from slimsched.render.units import stamp
from slimsched.text import sizes, times

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

WITH_ASSOCIATIONS = "cluster,account,partition,share,priority,maxjobs,maxnodes,maxcpus,maxsubmit,maxwall,qos,defaultqos"


class Row:
    """One line: a record with its names, and the association beside it (``line``: with those above it)."""

    def __init__(self, book: Book, name: str = "", record: Record | None = None) -> None:
        self.book, self.name, self.record = book, name, record or {}
        self.account = self.user = self.partition = ""
        self.limits: Record = {}
        self.line: list[tuple[str, Record]] = []
        self.indent = 0

    def on(self, account: str, user: str, partition: str, *, tree: bool = False) -> Row:
        """Put an association beside the record and return the row."""
        self.account, self.user, self.partition = account, user, partition
        self.limits = self.book.get("assoc", account, user, partition) or {}
        self.line = self.book.line(account, user, partition)
        self.indent = (self.book.depth(account) + bool(user)) if tree else 0
        return self

    @property
    def qos(self) -> str:
        """The QOS that the association may use."""
        return ",".join(self.book.qos_of(self.line)) if self.line else ""


def _own(name: str, width: int, key: str, header: str = "") -> Field:
    """Return a field of the record itself."""
    return Field(name, width, lambda row: row.record.get(key, ""), header=header)


def _limit(name: str, width: int, key: str, header: str = "") -> Field:
    """Return a field of the association, or of the record if that has limits of its own (QOS, cluster)."""
    return Field(name, width, lambda row: shown(key, (row.limits or row.record).get(key, "")), header=header)


def shown(key: str, value: str) -> str:
    """Return a value as it is printed: minutes as a time, memory with its unit."""
    if not value:
        return ""
    if "Wall" in key or key == "PreemptExemptTime":
        return times.elapsed(int(value) * 60, full=True)
    if key == "GraceTime":
        return times.elapsed(int(value), full=True)
    if "TRES" in key:
        pairs = (item.partition("=") for item in value.split(","))
        return ",".join(f"{n}={sizes.megabytes(int(v)) if n == 'mem' else v}" for n, _, v in pairs)
    return value


def _amount(name: str, width: int, resource: str) -> Field:
    """Return an old field: the limit of one resource of a job."""

    def text(row: Row) -> str:
        pairs = (item.partition("=") for item in row.limits.get("MaxTRESPerJob", "").split(","))
        return next((value for key, _, value in pairs if key == resource), "")

    return Field(name, width, text)


SHARED = (
    _limit("GrpJobs", 7, "GrpJobs"),
    _limit("GrpJobsAccrue", 13, "GrpJobsAccrue"),
    _limit("GrpSubmit", 9, "GrpSubmitJobs"),
    _limit("GrpTRES", 13, "GrpTRES"),
    _limit("GrpTRESMins", 13, "GrpTRESMins"),
    _limit("GrpTRESRunMins", 13, "GrpTRESRunMins"),
    _limit("GrpWall", 11, "GrpWall"),
    _limit("MaxTRES", 13, "MaxTRESPerJob"),
    _limit("MaxTRESPerJob", 13, "MaxTRESPerJob", "MaxTRES"),
    _limit("MaxTRESMins", 13, "MaxTRESMinsPerJob"),
    _limit("MaxTRESPerNode", 14, "MaxTRESPerNode"),
    _limit("MaxWall", 11, "MaxWallDurationPerJob"),
    _limit("Priority", 10, "Priority"),
)
ASSOCIATION = (
    Field("Cluster", 10, lambda row: row.book.cluster_name),
    Field("Account", 10, lambda row: " " * row.indent + row.account),
    Field("User", 10, lambda row: row.user),
    Field("Partition", 10, lambda row: row.partition),
    Field("Share", 9, lambda row: row.limits.get("Fairshare", "1")),
    Field("Fairshare", 9, lambda row: row.limits.get("Fairshare", "1"), header="Share"),
    Field("RawShares", 9, lambda row: row.limits.get("Fairshare", "1"), header="Share"),
    *SHARED,
    _limit("MaxJobs", 7, "MaxJobs"),
    _limit("MaxJobsAccrue", 13, "MaxJobsAccrue"),
    _limit("MaxSubmitJobs", 9, "MaxSubmitJobs", "MaxSubmit"),
    _amount("MaxCPUs", 8, "cpu"),
    _amount("MaxNodes", 8, "node"),
    Field("QOS", 20, lambda row: row.qos),
    Field("QosLevel", 20, lambda row: row.qos, header="QOS"),
    _limit("DefaultQOS", 9, "DefaultQOS", "Def QOS"),
    Field("ID", 6, lambda row: row.limits.get("ID", "")),
    Field("ParentName", 10, lambda row: "" if row.user else row.limits.get("ParentName", ""), header="Par Name"),
)
USER = (
    Field("User", 10, lambda row: row.name),
    Field("Name", 10, lambda row: row.name, header="User"),
    _own("DefaultAccount", 10, "DefaultAccount", "Def Acct"),
    _own("AdminLevel", 9, "AdminLevel", "Admin"),
    _own("DefaultWCKey", 10, "DefaultWCKey", "Def WCKey"),
    _own("Coordinators", 20, "Coordinators", "Coord Accounts"),
    *(field for field in ASSOCIATION if field.name not in {"User", "ID"}),
)
ACCOUNT = (
    Field("Account", 10, lambda row: row.name),
    Field("Name", 10, lambda row: row.name, header="Account"),
    _own("Descr", 20, "Description"),
    _own("Description", 20, "Description", "Descr"),
    _own("Org", 20, "Organization"),
    _own("Organization", 20, "Organization", "Org"),
    *(field for field in ASSOCIATION if field.name not in {"Account", "ID"}),
)
CLUSTER = (
    Field("Cluster", 10, lambda row: row.name),
    Field("Name", 10, lambda row: row.name, header="Cluster"),
    Field("ControlHost", 15, lambda _: "127.0.0.1"),
    Field("ControlPort", 12, lambda row: row.book.cluster.config.get("SlurmctldPort") or "6817"),
    Field("RPC", 5, lambda _: "11776"),
    Field("Share", 9, lambda row: row.record.get("Fairshare", "1")),
    Field("Fairshare", 9, lambda row: row.record.get("Fairshare", "1"), header="Share"),
    *SHARED,
    _limit("MaxJobs", 7, "MaxJobs"),
    _limit("MaxSubmitJobs", 9, "MaxSubmitJobs", "MaxSubmit"),
    Field("QOS", 20, lambda row: row.record.get("QosLevel") or ",".join(row.book.qos_of([])) or NORMAL),
    _limit("DefaultQOS", 9, "DefaultQOS", "Def QOS"),
)
QOS = (
    Field("Name", 10, lambda row: row.name),
    Field("Priority", 10, lambda row: row.record.get("Priority", "0")),
    Field("GraceTime", 10, lambda row: shown("GraceTime", row.record.get("GraceTime", "0"))),
    _own("Preempt", 10, "Preempt"),
    Field("PreemptExemptTime", 19, lambda row: shown("PreemptExemptTime", row.record.get("PreemptExemptTime", ""))),
    Field("PreemptMode", 11, lambda row: row.record.get("PreemptMode", "cluster")),
    _own("Flags", 40, "Flags"),
    _own("UsageThres", 10, "UsageThreshold"),
    Field("UsageFactor", 11, lambda row: f"{float(row.record.get('UsageFactor', 1)):.6f}"),
    *(field for field in SHARED if field.name != "Priority"),
    _limit("MaxTRESPU", 13, "MaxTRESPerUser"),
    _limit("MaxTRESPerUser", 13, "MaxTRESPerUser", "MaxTRESPU"),
    _limit("MaxJobsPU", 9, "MaxJobsPerUser"),
    _limit("MaxJobsPerUser", 9, "MaxJobsPerUser", "MaxJobsPU"),
    _limit("MaxSubmitPU", 11, "MaxSubmitJobsPerUser"),
    _limit("MaxSubmitJobsPerUser", 11, "MaxSubmitJobsPerUser", "MaxSubmitPU"),
    _limit("MaxTRESPA", 13, "MaxTRESPerAccount"),
    _limit("MaxTRESRunMinsPA", 18, "MaxTRESRunMinsPerAccount"),
    _limit("MaxTRESRunMinsPU", 18, "MaxTRESRunMinsPerUser"),
    _limit("MaxJobsPA", 9, "MaxJobsPerAccount"),
    _limit("MaxSubmitPA", 11, "MaxSubmitJobsPerAccount"),
    _limit("MinTRES", 13, "MinTRESPerJob"),
    _own("Description", 20, "Description", "Descr"),
    _own("ID", 6, "ID"),
)
TRES = (
    Field("Type", 8, lambda row: row.name),
    Field("Name", 15, lambda row: row.account),
    Field("ID", 6, lambda row: row.user),
)
EVENT = (
    Field("Cluster", 10, lambda event: event.cluster),
    Field("NodeName", 15, lambda event: event.node),
    Field("TimeStart", 19, lambda event: stamp(event.start, event.start, "Unknown")),
    Field("TimeEnd", 19, lambda _: "Unknown"),
    Field("State", 6, lambda event: event.state),
    Field("Reason", 30, lambda event: event.reason),
    Field("User", 15, lambda event: event.user),
)

_GROUP = "grpjobs,grptres,grpsubmit,grpwall,grptresmins"
_LIMITS = f"share,priority,{_GROUP},maxjobs,maxtres,maxtrespernode,maxsubmitjobs,maxwall,maxtresmins,qos,defaultqos"


class Kind(NamedTuple):
    """One kind of record: its fields and its usual format."""

    fields: tuple[Field, ...]
    format: str

    def offered(self) -> tuple[Field, ...]:
        """Return the fields that a format may name: those of every kind, empty where the record has no such thing."""
        others = (field for kind in KINDS.values() for field in kind.fields)
        return *self.fields, *(Field(field.name, field.width, _nothing, header=field.header) for field in others)


def _nothing(_: object) -> str:
    return ""


KINDS = {
    "account": Kind(ACCOUNT, "account,descr,org"),
    "user": Kind(USER, "user,defaultaccount,adminlevel"),
    "assoc": Kind(ASSOCIATION, f"cluster,account,user,partition,{_LIMITS},grptresrunmins"),
    "cluster": Kind(
        CLUSTER,
        "cluster,controlhost,controlport,rpc,share,grpjobs,grptres,grpsubmit,maxjobs,maxtres,maxsubmitjobs,maxwall,qos,"
        "defaultqos",
    ),
    "qos": Kind(
        QOS,
        "name,priority,gracetime,preempt,preemptexempttime,preemptmode,flags,usagethres,usagefactor,grptres,grptresmins,"
        "grptresrunmins,grpjobs,grpsubmit,grpwall,maxtres,maxtrespernode,maxtresmins,maxwall,maxtrespu,maxjobspu,"
        "maxsubmitpu,maxtrespa,maxtresrunminspa,maxtresrunminspu,maxjobspa,maxsubmitpa,mintres",
    ),
    "tres": Kind(TRES, "type,name,id"),
    "event": Kind(EVENT, "cluster,nodename,timestart,timeend,state,reason,user"),
}


def tres_rows(cluster: Cluster) -> Iterator[Row]:
    """Yield the resources that accounting counts, with their numbers."""
    for name, number in counted(cluster.config).items():
        kind, _, rest = name.partition("/")
        row = Row(Book(cluster), kind)
        row.account, row.user = rest, str(number)
        yield row


class Event(NamedTuple):
    """Something that lasts: the cluster is there, or a node is not."""

    cluster: str
    node: str
    start: int
    state: str
    reason: str
    user: str


def events(cluster: Cluster) -> list[Event]:
    """Return since when the cluster has been there, and its nodes that take no jobs."""
    name = cluster.config.get("ClusterName")
    found = [Event(name, "", cluster.boot_time, "", "Cluster Registered TRES", "")]
    for node in cluster.nodes:
        word = next((flag for flag in ("DRAIN", "FAIL") if flag in node.flags), node.state)
        if word in {"DOWN", "DRAIN", "FAIL"}:
            who = f"{node.reason_user}({node.reason_uid})" if node.reason_user else ""
            found.append(Event(name, node.name, node.reason_time, word, node.reason, who))
    return found


def cluster_rows(cluster: Cluster) -> list[Row]:
    """Return the clusters that were added, the one that this is first."""
    book = Book(cluster)
    names = [book.cluster_name, *(name for name in book.names("cluster") if name != book.cluster_name)]
    return [Row(book, name, book.get("cluster", name)) for name in names]


def qos_rows(cluster: Cluster) -> list[Row]:
    """Return the QOS by their numbers."""
    book = Book(cluster)
    rows = [Row(book, name, book.get("qos", name)) for name in book.names("qos")]
    return sorted(rows, key=lambda row: int(row.record.get("ID", "0")))

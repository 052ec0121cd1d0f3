"""``sacctmgr show --json``: accounts, users, associations, QOS, clusters, resources in the data parser's shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from slimsched.model.account import ROOT, key
from slimsched.model.request import INFINITE
from slimsched.model.resources import capacity
from slimsched.priority.fairshare import PARENT
from slimsched.render.accounts.sacctmgr import RPC_VERSION, RecordRow, all_nodes, tres_rows
from slimsched.render.json.table import NONE, NOTHING, ZERO, Line, Table, constant
from slimsched.render.json.types import flags, number, real, same, text, truth, whole, words
from slimsched.slurm import limits

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

Get = Callable[[RecordRow], Any]
QOS_FLAGS = {
    "PartitionMinNodes": "PARTITION_MINIMUM_NODE",
    "PartitionMaxNodes": "PARTITION_MAXIMUM_NODE",
    "PartitionTimeLimit": "PARTITION_TIME_LIMIT",
    "EnforceUsageThreshold": "ENFORCE_USAGE_THRESHOLD",
    "NoReserve": "NO_RESERVE",
    "RequiresReservation": "REQUIRED_RESERVATION",
    "DenyOnLimit": "DENY_LIMIT",
    "OverPartQOS": "OVERRIDE_PARTITION_QOS",
    "NoDecay": "NO_DECAY",
    "UsageFactorSafe": "USAGE_FACTOR_SAFE",
    "Relative": "RELATIVE",
}
"""sacctmgr's flags of a QOS -> those of the data parser."""
MODES = flags("SUSPEND", "REQUEUE", "CANCEL", "GANG")


def _own(option: str) -> Get:
    """Return the getter of an option of the record itself."""
    return lambda row: row.record.get(option, "")


def _options(row: RecordRow) -> dict[str, str]:
    """Return the limits of an association, or those of a record that has its own."""
    return row.limits or row.record


def _limit(option: str) -> Get:
    """Return the getter of a limit, without end if nobody set it."""

    def amount(row: RecordRow) -> float:
        given = _options(row).get(option, "")
        return (float(given) if "." in given else int(given)) if given else INFINITE

    return amount


def _resources(option: str) -> Get:
    """Return the getter of a limit of resources: a list with their numbers."""

    def listed(row: RecordRow) -> list[dict[str, Any]]:
        given = _options(row).get(option, "")
        known = {_name(each): each for each in tres_rows(row.book.cluster)} if given else {}
        pairs = (item.partition("=") for item in given.split(",") if item)
        return [{**_resource(known, name), "count": int(count or 0)} for name, _, count in pairs]

    return listed


def _limits(where: str, start: str) -> Iterator[Line[RecordRow]]:
    """Yield the lines of the limits whose names begin so; the first to name a mapping says where it stands."""
    for each in limits.LIMITS:
        if where in each.where and each.json and each.name.startswith(start):
            get, kind = (_resources, same) if each.kind == "tres" else (_limit, number)
            yield each.place(where), kind, get(each.name)


def _name(row: RecordRow) -> str:
    return f"{row.name}/{row.account}" if row.account else row.name


def _resource(known: dict[str, RecordRow], name: str) -> dict[str, Any]:
    kind, _, rest = name.partition("/")
    return {"type": kind, "name": rest, "id": int(known[name].user) if name in known else 0}


def _qos_flags(row: RecordRow) -> list[str]:
    return [QOS_FLAGS.get(name, name.upper()) for name in words(row.record.get("Flags"))]


def _preemption(row: RecordRow) -> list[str]:
    mode = row.record.get("PreemptMode", "").upper()
    return MODES(words(mode)) if mode not in {"", "CLUSTER", "OFF"} else ["DISABLED"]


def _is_default(row: RecordRow) -> bool:
    return bool(row.user) and row.book.default_account(row.user) == row.account


def _cluster(row: RecordRow) -> str:
    return row.book.cluster_name


SHORT: Table[RecordRow] = Table(
    ("account", text, lambda row: row.account),
    ("cluster", text, _cluster),
    ("partition", text, lambda row: row.partition),
    ("user", text, lambda row: row.user),
    ("id", int, lambda row: row.limits.get("ID", "0")),
)
ASSOCIATION: Table[RecordRow] = Table(
    ("accounting", same, NONE),
    ("account", text, lambda row: row.account),
    ("cluster", text, _cluster),
    ("comment", text, lambda row: row.limits.get("Comment")),
    ("default/qos", text, lambda row: row.limits.get("DefaultQOS")),
    ("flags", same, NONE),
    *_limits(limits.ASSOC, "Grp"),
    *_limits(limits.ASSOC, "MaxTRESRunMins"),
    ("id", int, lambda row: row.limits.get("ID", "0")),
    ("is_default", truth, _is_default),
    ("lineage", text, lambda row: row.lineage),
    *_limits(limits.ASSOC, "M"),
    ("parent_account", text, lambda row: "" if row.user else row.book.parent(row.account)),
    ("partition", text, lambda row: row.partition),
    ("priority", number, _limit("Priority")),
    ("qos", words, lambda row: row.qos),
    ("shares_raw", whole, lambda row: _shares(row.limits.get("Fairshare", "1"))),
    ("user", text, lambda row: row.user),
)
QOS: Table[RecordRow] = Table(
    ("description", text, _own("Description")),
    ("flags", same, _qos_flags),
    ("id", int, lambda row: row.record.get("ID", "0")),
    ("limits/grace_time", int, lambda row: row.record.get("GraceTime") or 0),
    *_limits(limits.QOS, "GrpJobsAccrue"),
    *_limits(limits.QOS, "Grp"),
    ("limits/factor", real, _limit("LimitFactor")),
    *_limits(limits.QOS, "M"),
    ("name", text, lambda row: row.name),
    ("preempt/list", words, _own("Preempt")),
    ("preempt/mode", same, _preemption),
    ("preempt/exempt_time", number, _limit("PreemptExemptTime")),
    ("priority", number, lambda row: int(row.record.get("Priority") or 0)),
    ("usage_factor", real, lambda row: float(row.record.get("UsageFactor") or 1)),
    ("usage_threshold", real, _limit("UsageThreshold")),
)
TRES: Table[RecordRow] = Table(
    ("type", text, lambda row: row.name),
    ("name", text, lambda row: row.account),
    ("id", int, lambda row: row.user),
    ("count", whole, ZERO),
)


def _shares(given: str) -> int:
    return int(given) if given.isdigit() else PARENT if given.lower() == "parent" else 1


def _associations(row: RecordRow) -> list[dict[str, Any]]:
    """Return the associations of a user or account that were asked for with it."""
    return SHORT.every(getattr(row, "joined", ()))


def _coordinators(row: RecordRow) -> list[dict[str, Any]]:
    return [{"name": name, "direct": True} for name in words(row.record.get("Coordinators"))]


def _root(row: RecordRow) -> dict[str, Any]:
    return SHORT.of(RecordRow(row.book).on(ROOT, "", ""))


USER: Table[RecordRow] = Table(
    ("administrator_level", same, lambda row: [row.record.get("AdminLevel") or "None"]),
    ("associations", same, _associations),
    ("coordinators", same, _coordinators),
    ("default/qos", whole, ZERO),
    ("default/account", text, _own("DefaultAccount")),
    ("default/wckey", text, _own("DefaultWCKey")),
    ("flags", same, constant(["NONE"])),
    ("name", text, lambda row: row.name),
    ("old_name", text, NOTHING),
    ("wckeys", same, NONE),
)
ACCOUNT: Table[RecordRow] = Table(
    ("associations", same, _associations),
    ("coordinators", same, _coordinators),
    ("description", text, _own("Description")),
    ("name", text, lambda row: row.name),
    ("organization", text, _own("Organization")),
    ("flags", same, lambda row: words(row.record.get("Flags"))),
)
CLUSTER: Table[RecordRow] = Table(
    ("controller/host", text, constant("127.0.0.1")),
    ("controller/port", int, lambda row: row.book.cluster.config.get("SlurmctldPort") or 6817),
    ("flags", same, NONE),
    ("name", text, lambda row: row.name),
    ("nodes", text, lambda row: all_nodes(row.book.cluster)),
    ("associations/root", same, _root),
    ("rpc_version", whole, constant(RPC_VERSION)),
    ("tres", same, lambda row: _capacity(row.book.cluster)),
)


def _capacity(cluster: Cluster) -> list[dict[str, Any]]:
    """Return what the nodes have together."""
    amounts = capacity(cluster.nodes)
    found = {_name(row): row for row in tres_rows(cluster)}
    return [{**_resource(found, name), "count": amounts[name]} for name in found if name in amounts]


KINDS: dict[str, tuple[str, Table[RecordRow]]] = {
    "account": ("accounts", ACCOUNT),
    "assoc": ("associations", ASSOCIATION),
    "cluster": ("clusters", CLUSTER),
    "qos": ("qos", QOS),
    "tres": ("TRES", TRES),
    "user": ("users", USER),
}
"""Kind of record -> the key of its list, and its table."""


def body(kind: str, rows: Iterable[RecordRow]) -> dict[str, Any]:
    """Return records under the key of their list; rows of one record with several associations become one."""
    name, table = KINDS[kind]
    if kind not in {"user", "account"}:
        return {name: table.every(rows)}
    merged: dict[str, Joined] = {}
    for row in rows:
        joined = merged.setdefault(row.name, Joined(row))
        if row.limits or key("assoc", row.account, row.user, row.partition) in row.book.records:
            joined.joined.append(row)
    return {name: table.every(merged.values())}


class Joined(RecordRow):
    """A record with the associations beside it."""

    def __init__(self, row: RecordRow) -> None:
        super().__init__(row.book, row.name, row.record)
        self.joined: list[RecordRow] = []

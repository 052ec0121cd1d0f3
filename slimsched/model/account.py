"""The accounting records: clusters, accounts, users, QOS, and the associations of users with accounts.

A record is a mapping of Slurm's own option names (those of ``sacctmgr``) to texts, kept in ``cluster.accounting`` under
its kind and names, separated by blanks::

    cluster NAME | qos NAME | account NAME | user NAME | assoc ACCOUNT [USER [PARTITION]] | wckey USER NAME
    resource NAME@SERVER | federation NAME

A list of QOS (``QosLevel``) that begins with + or - is a change of the one that is inherited: ``+low,-normal``.
The own cluster has a record only if it has options of its own; ``Deleted`` says that somebody removed it.

Associations of users are the leaves of the tree of accounts (``ParentName``). A cluster on which nobody defined
anything has what a new slurmdbd has: the account and the user ``root`` and the QOS ``normal``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

Record = dict[str, str]
Records = dict[str, Record]

ROOT = "root"
USERS_ARE_COORDS = "UsersAreCoords"
"""The flag of an account whose users all lead it, and the accounts below it."""
ABSOLUTE = "Absolute"
"""The flag of a resource whose shares are numbers, not percentages."""
NORMAL = "normal"
BUILTIN: Records = {
    "qos normal": {"ID": "1", "Priority": "0", "Description": "Normal QOS default"},
    "account root": {"Description": "default root account", "Organization": "root"},
    "user root": {"DefaultAccount": "root", "AdminLevel": "Administrator"},
    "assoc root": {"ID": "1", "QosLevel": "normal"},
    "assoc root root": {"ID": "2", "ParentName": "root"},
}
"""The records that exist before anybody defines one."""


def key(kind: str, *names: str) -> str:
    """Return the key of a record; trailing empty names are left out."""
    return " ".join((kind, *names)).rstrip()


def has_flag(record: Record, name: str) -> bool:
    """Whether a QOS or an account has a flag (``NoDecay``)."""
    return name.lower() in record.get("Flags", "").lower().split(",")


def shares(resource: Record) -> dict[str, int]:
    """Return the share of a resource that each cluster has (``Shares``: ``a=50,b=20``)."""
    pairs = (each.rpartition("=") for each in resource.get("Shares", "").split(",") if each)
    return {cluster: int(share) for cluster, _, share in pairs}


class Book:
    """The accounting records of a cluster; `put` and `drop` change them."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.records: Records = cluster.accounting or BUILTIN

    @property
    def defined(self) -> bool:
        """Whether anybody defined anything."""
        return bool(self.cluster.accounting)

    @property
    def limits_accrual(self) -> bool:
        """Whether some record limits how many waiting jobs gain priority by their age."""
        return any("JobsAccrue" in name for record in self.records.values() for name in record)

    # reading

    def get(self, kind: str, *names: str) -> Record | None:
        """Return a record, None if there is none."""
        return self.records.get(key(kind, *names))

    def qos(self, name: str) -> Record:
        """Return the record of a job's QOS ("": the normal one), empty if nobody defined it."""
        return self.records.get(key("qos", name or NORMAL), {})

    def names(self, kind: str) -> list[str]:
        """Return the names of all records of a kind, sorted."""
        return sorted(name.partition(" ")[2] for name in self.records if name.partition(" ")[0] == kind)

    def clusters(self) -> list[str]:
        """Return the names of the clusters, the own one first unless it was deleted."""
        own = self.cluster_name
        gone = "Deleted" in (self.get("cluster", own) or {})
        return [*(() if gone else (own,)), *(name for name in self.names("cluster") if name != own)]

    def associations(self) -> Iterator[tuple[str, str, str, Record]]:
        """Yield account, user, partition and record of every association: each account, then its users, then below."""
        if self.cluster_name not in self.clusters():
            return
        children: dict[str, list[str]] = {}
        leaves: dict[str, list[tuple[str, str]]] = {}
        for name in self.names("assoc"):
            account, user, partition = (*name.split(" "), "", "")[:3]
            if user:
                leaves.setdefault(account, []).append((user, partition))
            elif account != ROOT:
                children.setdefault(self.parent(account), []).append(account)
        waiting = [ROOT]
        while waiting:
            account = waiting.pop()
            yield account, "", "", self.records.get(key("assoc", account), {})
            for user, partition in leaves.get(account, ()):
                yield account, user, partition, self.records[key("assoc", account, user, partition)]
            waiting += reversed(children.get(account, []))

    def parent(self, account: str) -> str:
        """Return the account above an account, "" for the root."""
        if account == ROOT:
            return ""
        return (self.get("assoc", account) or {}).get("ParentName") or ROOT

    def parents(self) -> dict[str, str]:
        """Return the account above each account."""
        return {name: self.parent(name) for name in self.names("account")}

    def line(self, account: str, user: str = "", partition: str = "") -> list[tuple[str, Record]]:
        """Return an association and those above it, each with its key; [] if there is none."""
        user = self.user_name(user)
        chosen = next((p for p in (partition, "") if self.get("assoc", account, user, p) is not None), None)
        if chosen is None:
            return []
        found = [key("assoc", account, user, chosen)]
        seen: set[str] = set()
        while account and account not in seen:
            seen.add(account)
            if key("assoc", account) not in found:
                found.append(key("assoc", account))
            account = self.parent(account)
        return [(each, self.records.get(each, {})) for each in found]

    def lineage(self, account: str, user: str = "", partition: str = "") -> str:
        """Return the path from the root of the tree to an association: ``/lab/sub/0-ann/``."""
        above = [name.partition(" ")[2] for name, _ in reversed(self.line(account))]
        parts = [*(name for name in above if name != ROOT), f"0-{user}" if user else "", partition]
        return "".join(f"/{part}" for part in parts if part) + "/"

    def coordinators(self, account: str) -> list[str]:
        """Return the users that lead an account, or one above it: all of its users, if it has the flag for that."""
        above = {name.partition(" ")[2] for name, _ in self.line(account)} or {account}
        every = ((name, self.get("user", name) or {}) for name in self.names("user"))
        led = {name for name, record in every if above & set(record.get("Coordinators", "").split(","))}
        open_ones = {each for each in above if has_flag(self.get("account", each) or {}, USERS_ARE_COORDS)}
        if open_ones:
            led |= {user for each, user, _, _ in self.associations() if user and each in open_ones}
        return [name for name in self.names("user") if name in led]

    def depth(self, account: str) -> int:
        """Return how far an account is below the root."""
        return len(self.line(account)) - 1 if account != ROOT else 0

    def default_account(self, user: str) -> str:
        """Return the account of a user's jobs that name none, "" if there is none."""
        return (self.get("user", self.user_name(user)) or {}).get("DefaultAccount", "")

    def default_wckey(self, user: str) -> str:
        """Return the WCKey of a user's jobs that name none, "" if there is none."""
        return (self.get("user", self.user_name(user)) or {}).get("DefaultWCKey", "")

    def user_name(self, user: str) -> str:
        """Return the name by which a user of the system is known here: that of a record, else in lower case."""
        return user if self.get("user", user) is not None else user.lower()

    def effective(self, name: str, line: list[tuple[str, Record]]) -> str:
        """Return a value of an association, or what it inherits of the ones above it."""
        return next((record[name] for _, record in line if record.get(name)), "")

    def qos_of(self, line: list[tuple[str, Record]]) -> list[str]:
        """Return the QOS that an association may use; a user's own list replaces or changes that of its account."""
        above = (self.get("cluster", self.cluster_name) or {}).get("QosLevel", "") or NORMAL
        found: set[str] = set()
        for given in [above, *(record.get("QosLevel", "") for _, record in reversed(line))]:
            names = [name for name in given.split(",") if name]
            if names and names[0][0] not in "+-":
                found = set(names)
            else:
                found |= {name[1:] for name in names if name[0] == "+"}
                found -= {name[1:] for name in names if name[0] == "-"}
        return sorted(found)

    def default_qos(self, line: list[tuple[str, Record]]) -> str:
        """Return the QOS of a job that names none."""
        wanted = self.effective("DefaultQOS", line)
        allowed = self.qos_of(line)
        return wanted or (NORMAL if NORMAL in allowed or not allowed else min(allowed, key=self._qos_id))

    def _qos_id(self, name: str) -> int:
        return int(self.qos(name).get("ID", "0"))

    @property
    def cluster_name(self) -> str:
        """Name of the one cluster."""
        return self.cluster.config.get("ClusterName")

    # changing

    def put(self, name: str, record: Record) -> None:
        """Add or replace the record under a key."""
        self._own()[name] = record
        self._changed(name)

    def drop(self, name: str) -> None:
        """Remove a record."""
        if self._own().pop(name, None) is not None:
            self._changed(name)

    def remove_own_cluster(self) -> None:
        """Note that the own cluster was deleted; its users have no default account any more."""
        self.put(key("cluster", self.cluster_name), {"Deleted": "yes"})
        for name in self.names("user"):
            record = self.get("user", name) or {}
            lost = {"DefaultAccount", "Coordinators"}
            self.put(key("user", name), {each: value for each, value in record.items() if each not in lost})

    def next_id(self, kind: str) -> str:
        """Return the number of the next record of a kind."""
        taken = (int(record.get("ID", "0")) for name, record in self.records.items() if name.startswith(f"{kind} "))
        return str(max(taken, default=0) + 1)

    def _changed(self, name: str) -> None:
        self.cluster.touch_accounting(name)
        self.cluster.changed("accounting")

    def _own(self) -> Records:
        """Return the cluster's own records; the first change stores the built-in ones."""
        if not self.cluster.accounting:
            for name, record in BUILTIN.items():
                self.cluster.accounting[name] = dict(record)
                self.cluster.touch_accounting(name)
            self.records = self.cluster.accounting
        return self.cluster.accounting

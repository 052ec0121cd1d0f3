"""The options of accounting records: their names with abbreviations and synonyms, and the kinds of their values.

One table serves ``sacctmgr add``, ``modify set``, ``where``, files of associations and the limits that are enforced.
Source: sacctmgr(1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.accounts import values
from slimsched.slurm import limits

if TYPE_CHECKING:
    from slimsched.controller.accounts.values import ValueKind


class Option(NamedTuple):
    """One name: its fewest letters, the kind of its values, and the part of the record that it sets.

    ``put`` is "" where the name itself is the record's; in ``where`` it is the condition. ``resource``: an old name,
    which limits this resource alone.
    """

    name: str
    letters: int
    kind: ValueKind = values.TEXT
    put: str = ""
    resource: str = ""

    @property
    def key(self) -> str:
        """The name in the record, or of the condition."""
        return self.put or self.name


_KINDS = {"tres": values.TRES, "count": values.COUNT, "minutes": values.MINUTES, "float": values.FLOAT}


def _limits(where: str) -> Iterator[Option]:
    """Yield the names of the limits of associations or QOS."""
    for each in limits.LIMITS:
        if where in each.where:
            kind = values.TRES if each.resource else _KINDS[each.kind]
            yield from (Option(name, least, kind, each.name, each.resource) for name, least in each.names())


ASSOCIATION = (
    Option("DefaultQOS", 8, values.TEXT),
    Option("DefQOS", 6, values.TEXT, "DefaultQOS"),
    Option("FairShare", 1, values.SHARE, "Fairshare"),
    Option("Shares", 1, values.SHARE, "Fairshare"),
    Option("RawShares", 8, values.SHARE, "Fairshare"),
    *_limits(limits.ASSOC),
    Option("Priority", 3, values.COUNT),
    Option("QosLevel", 1, values.QOS),
    Option("Comment", 3, values.TEXT),
)
"""Options of associations, in the order in which an abbreviation is looked up, as in all these tables."""
QOS = (
    Option("Description", 1, values.LOWER),
    Option("Flags", 2, values.FLAGS),
    Option("GraceTime", 3, values.COUNT),
    Option("LimitFactor", 6, values.FLOAT),
    *_limits(limits.QOS),
    Option("PreemptMode", 8, values.MODE),
    Option("Preempt", 7, values.PREEMPT),
    Option("PreemptExemptTime", 8, values.SECONDS),
    Option("Priority", 3, values.COUNT),
    Option("RawUsage", 7, values.USAGE),
    Option("UsageFactor", 6, values.FLOAT),
)
ACCOUNT = (
    Option("Description", 1, values.LOWER),
    Option("Flags", 2, values.ACCOUNT_FLAGS),
    Option("Organization", 1, values.LOWER),
    Option("RawUsage", 7, values.USAGE),
)
PARENT = Option("Parent", 1, values.LOWER, "ParentName")
USER = (
    Option("AdminLevel", 2, values.LEVEL),
    Option("DefaultAccount", 8, values.LOWER),
    Option("DefAcct", 7, values.LOWER, "DefaultAccount"),
    Option("DefaultWCKey", 8, values.TEXT),
    Option("DefWCKey", 8, values.TEXT, "DefaultWCKey"),
    Option("NewName", 1, values.TEXT),
    Option("RawUsage", 7, values.USAGE),
)
RESOURCE = (
    Option("Server", 1),
    Option("Description", 1, values.LOWER),
    Option("Flags", 2),
    Option("ServerType", 7),
    Option("Count", 3, values.COUNT),
    Option("Allowed", 1, values.COUNT),
    Option("PercentAllowed", 1, values.COUNT, "Allowed"),
    Option("LastConsumed", 8, values.COUNT),
    Option("Type", 1),
)
FEDERATION = (Option("Flags", 2),)
JOB = (
    Option("Comment", 1),
    Option("AdminComment", 5),
    Option("DerivedExitCode", 12),
    Option("DerivedES", 9, put="DerivedExitCode"),
    Option("Extra", 1),
    Option("NewWCKey", 1),
    Option("SystemComment", 1),
    Option("WCKey", 1, put="NewWCKey"),
)
CLUSTER = (Option("Classification", 3, values.CLASS), Option("Features", 3, values.NAMES))

TABLES: dict[str, tuple[Option, ...]] = {
    "account": (*ACCOUNT, *ASSOCIATION[:-3], PARENT, *ASSOCIATION[-3:]),
    "user": (*USER, *ASSOCIATION),
    "assoc": ASSOCIATION,
    "cluster": (*CLUSTER, *ASSOCIATION),
    "qos": QOS,
    "resource": RESOURCE,
    "federation": FEDERATION,
    "job": JOB,
}
"""Kind of record -> what ``add`` and ``modify ... set`` may set."""

LOWERED = frozenset({"account", "user", "assoc", "qos", "coordinator", "txn", "wckey"})
"""Kinds of records whose names are made lower case."""
_IDS = (Option("Ids", 1, put="ids"), Option("Associations", 2, put="ids"))
_ACCOUNTS = (Option("Accounts", 2, put="accounts"), Option("Acct", 4, put="accounts"))
_OF_ASSOCIATION = (
    *_IDS,
    *_ACCOUNTS,
    Option("Clusters", 1, put="clusters"),
    Option("DefaultQOS", 8, put="defaultqos"),
    Option("Partitions", 3, put="partitions"),
    Option("Parents", 4, put="parents"),
    Option("QosLevel", 1, put="qos"),
    Option("Users", 1, put="users"),
)
_PERIOD = (Option("Start", 3, put="start"), Option("End", 1, put="end"))
PLACES: dict[str, tuple[Option, ...]] = {
    "account": (
        Option("Names", 1, put="names"),
        Option("Accounts", 1, put="names"),
        Option("Acct", 4, put="names"),
        Option("Descriptions", 1, put="descriptions"),
        Option("Organizations", 1, put="organizations"),
        *_OF_ASSOCIATION,
    ),
    "user": (
        Option("Names", 1, put="names"),
        Option("Users", 1, put="names"),
        Option("AdminLevel", 2, put="adminlevel"),
        Option("DefaultAccounts", 8, put="defaultaccounts"),
        Option("DefaultWCKeys", 8, put="defaultwckeys"),
        *_OF_ASSOCIATION,
    ),
    "assoc": _OF_ASSOCIATION,
    "cluster": (
        Option("Names", 1, put="names"),
        Option("Clusters", 1, put="names"),
        Option("Classification", 3, put="classification"),
        Option("Federations", 3, put="federations"),
        Option("Flags", 2, put="flags"),
        Option("RPCVersions", 1, put="rpc"),
    ),
    "qos": (
        Option("Names", 1, put="names"),
        Option("QOSLevel", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
        Option("Descriptions", 1, put="descriptions"),
        Option("Ids", 1, put="ids"),
        Option("PreemptMode", 8, put="preemptmode"),
    ),
    "coordinator": (
        Option("Names", 1, put="names"),
        Option("Users", 1, put="names"),
        Option("Accounts", 1, put="accounts"),
        Option("Acct", 4, put="accounts"),
    ),
    "resource": (
        Option("Names", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
        Option("Descriptions", 1, put="descriptions"),
        Option("Ids", 1, put="ids"),
        Option("Allowed", 1, put="allowed"),
        Option("PercentAllowed", 1, put="allowed"),
        Option("ServerType", 7, put="servertypes"),
        Option("Server", 2, put="servers"),
    ),
    "federation": (
        Option("Names", 1, put="names"),
        Option("Federations", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
    ),
    "wckey": (
        Option("Names", 1, put="names"),
        Option("WCKeys", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
        Option("Ids", 1, put="ids"),
        Option("Users", 1, put="users"),
    ),
    "job": (
        Option("JobIDs", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
        Option("StartTime", 3, put="start"),
        Option("SubmitTime", 3, put="submit"),
        Option("Users", 1, put="users"),
    ),
    "event": (
        Option("Events", 1, put="events"),
        Option("Clusters", 1, put="clusters"),
        Option("End", 1, put="end"),
        Option("MinCpus", 2, put="mincpus"),
        Option("MaxCpus", 2, put="maxcpus"),
        Option("Nodes", 1, put="nodes"),
        Option("Reason", 1, put="reasons"),
        Option("Start", 4, put="start"),
        Option("States", 4, put="states"),
        Option("User", 1, put="users"),
    ),
    "problem": (
        Option("Ids", 1, put="ids"),
        Option("Problems", 2, put="ids"),
        *_ACCOUNTS,
        Option("Clusters", 1, put="clusters"),
        Option("Partitions", 4, put="partitions"),
        Option("Users", 1, put="users"),
    ),
    "runaway": (Option("Cluster", 1, put="clusters"),),
    "txn": (
        Option("Accounts", 3, put="accounts"),
        Option("Acct", 4, put="accounts"),
        Option("Actions", 4, put="actions"),
        Option("Actors", 4, put="actors"),
        Option("Clusters", 3, put="clusters"),
        Option("Ids", 1, put="ids"),
        Option("Users", 1, put="users"),
        *_PERIOD,
    ),
    "tres": (
        Option("Ids", 1, put="ids"),
        Option("Types", 2, put="types"),
        Option("Names", 1, put="names"),
    ),
}
"""Kind of record -> the keys of its records in ``where``; a word without a key is the first of them."""
ADDED: dict[str, tuple[Option, ...]] = {
    "account": (
        Option("Accounts", 1, put="names"),
        Option("Names", 1, put="names"),
        Option("Acct", 4, put="names"),
        Option("Clusters", 1, put="clusters"),
    ),
    "user": (
        Option("Names", 1, put="names"),
        Option("Users", 1, put="names"),
        *_ACCOUNTS,
        Option("Clusters", 2, put="clusters"),
        Option("Partitions", 2, put="partitions"),
        Option("WCKeys", 1, put="wckeys"),
    ),
    "cluster": (Option("Names", 1, put="names"),),
    "qos": (Option("Names", 1, put="names"),),
    "resource": (
        Option("Names", 1, put="names"),
        Option("Clusters", 1, put="clusters"),
    ),
    "federation": (Option("Names", 1, put="names"), Option("Clusters", 1, put="clusters")),
    "coordinator": PLACES["coordinator"],
}
"""Kind of record -> the conditions that ``add`` needs beside the settings."""

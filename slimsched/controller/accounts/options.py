"""The options of accounting records: their names, the beginnings and other names they go by, the kinds of their values.

One table serves ``sacctmgr add``, ``modify set``, ``where``, files of associations and the limits that are enforced.
Source: sacctmgr(1).
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One option: its name in the records, the kind of its value, and how it is spelled.

    ``spelled``: names with the fewest letters that are enough for each (``MaxJobs:4 MaxJobsPU:4``); none: the name.
    ``resource``: an old option that limits this resource alone.
    """

    name: str
    kind: str = "text"
    spelled: str = ""
    resource: str = ""


_GROUP = (
    Option("GrpTRESMins", "count", "GrpCPUMins:7", "cpu"),
    Option("GrpTRESRunMins", "count", "GrpCPURunMins:7", "cpu"),
    Option("GrpTRES", "count", "GrpCPUs:7", "cpu"),
    Option("GrpJobs", "count", "GrpJobs:4"),
    Option("GrpJobsAccrue", "count", "GrpJobsAccrue:8"),
    Option("GrpTRES", "tres", "GrpMemory:4", "mem"),
    Option("GrpTRES", "count", "GrpNodes:4", "node"),
    Option("GrpSubmitJobs", "count", "GrpSubmitJobs:4"),
    Option("GrpTRES", "tres", "GrpTRES:7"),
    Option("GrpTRESMins", "tres", "GrpTRESMins:8"),
    Option("GrpTRESRunMins", "tres", "GrpTRESRunMins:8"),
    Option("GrpWall", "minutes", "GrpWall:4"),
)
"""Options of associations and QOS alike: the limits on a group of jobs."""
ASSOCIATION = (
    Option("DefaultQOS", "text", "DefaultQOS:8 DefQOS:6"),
    Option("Fairshare", "share", "FairShare:1 Shares:1 RawShares:8"),
    *_GROUP,
    Option("MaxTRESMinsPerJob", "count", "MaxCPUMinsPerJob:7", "cpu"),
    Option("MaxTRESRunMins", "count", "MaxCPURunMins:7", "cpu"),
    Option("MaxTRESPerJob", "count", "MaxCPUsPerJob:7", "cpu"),
    Option("MaxJobs", "count", "MaxJobs:4"),
    Option("MaxJobsAccrue", "count", "MaxJobsAccrue:8"),
    Option("MaxTRESPerJob", "count", "MaxNodesPerJob:4", "node"),
    Option("MinPrioThreshold", "count", "MinPrioThreshold:4"),
    Option("MaxSubmitJobs", "count", "MaxSubmitJobs:4"),
    Option("MaxTRESPerJob", "tres", "MaxTRESPerJob:7 MaxTRESPJ:9"),
    Option("MaxTRESPerNode", "tres", "MaxTRESPerNode:11 MaxTRESPN:9"),
    Option("MaxTRESMinsPerJob", "tres", "MaxTRESMinsPerJob:8 MaxTRESMinsPJ:13"),
    Option("MaxTRESRunMins", "tres", "MaxTRESRunMins:8"),
    Option("MaxWallDurationPerJob", "minutes", "MaxWallDurationPerJob:4"),
    Option("Priority", "count", "Priority:3"),
    Option("QosLevel", "qos", "QosLevel:1"),
    Option("Comment", "text", "Comment:3"),
)
"""Options of associations, in the order in which a beginning is looked for, as in all these tables."""
QOS = (
    Option("Description", "lower", "Description:1"),
    Option("Flags", "flags", "Flags:2"),
    Option("GraceTime", "seconds", "GraceTime:3"),
    *_GROUP,
    Option("LimitFactor", "float", "LimitFactor:6"),
    Option("MaxTRESMinsPerJob", "count", "MaxCPUMinsPerJob:7", "cpu"),
    Option("MaxTRESPerJob", "count", "MaxCPUsPerJob:7", "cpu"),
    Option("MaxTRESPerUser", "count", "MaxCPUsPerUser:11 MaxCPUsPU:9", "cpu"),
    Option("MaxJobsAccruePerAccount", "count", "MaxJobsAccruePerAccount:17 MaxJobsAccruePA:15"),
    Option("MaxJobsAccruePerUser", "count", "MaxJobsAccruePerUser:17 MaxJobsAccruePU:15"),
    Option("MaxJobsPerAccount", "count", "MaxJobsPerAccount:11 MaxJobsPA:9"),
    Option("MaxJobsPerUser", "count", "MaxJobsPerUser:4 MaxJobsPU:4"),
    Option("MaxTRESPerJob", "count", "MaxNodesPerJob:4", "node"),
    Option("MaxTRESPerUser", "count", "MaxNodesPerUser:8 MaxNodesPU:8", "node"),
    Option("MaxSubmitJobsPerAccount", "count", "MaxSubmitJobsPerAccount:17 MaxSubmitJobsPA:15 MaxSubmitPA:11"),
    Option("MaxSubmitJobsPerUser", "count", "MaxSubmitJobsPerUser:4 MaxSubmitJobsPU:4 MaxSubmitPU:11"),
    Option("MaxTRESPerAccount", "tres", "MaxTRESPerAccount:11 MaxTRESPerAcct:11 MaxTRESPA:9"),
    Option("MaxTRESPerJob", "tres", "MaxTRESPerJob:7 MaxTRESPJ:9"),
    Option("MaxTRESPerNode", "tres", "MaxTRESPerNode:11 MaxTRESPN:9"),
    Option("MaxTRESPerUser", "tres", "MaxTRESPerUser:11 MaxTRESPU:9"),
    Option("MaxTRESMinsPerJob", "tres", "MaxTRESMinsPerJob:8 MaxTRESMinsPJ:13"),
    Option(
        "MaxTRESRunMinsPerAccount", "tres", "MaxTRESRunMinsPA:16 MaxTRESRunMinsPerAccount:18 MaxTRESRunMinsPerAcct:18"
    ),
    Option("MaxTRESRunMinsPerUser", "tres", "MaxTRESRunMinsPU:8 MaxTRESRunMinsPerUser:8"),
    Option("MaxWallDurationPerJob", "minutes", "MaxWallDurationPerJob:4"),
    Option("MinTRESPerJob", "count", "MinCPUsPerJob:7", "cpu"),
    Option("MinPrioThreshold", "count", "MinPrioThreshold:4"),
    Option("MinTRESPerJob", "tres", "MinTRESPerJob:7"),
    Option("PreemptMode", "mode", "PreemptMode:8"),
    Option("Preempt", "qos", "Preempt:7"),
    Option("PreemptExemptTime", "seconds", "PreemptExemptTime:8"),
    Option("Priority", "count", "Priority:3"),
    Option("RawUsage", "usage", "RawUsage:7"),
    Option("UsageFactor", "float", "UsageFactor:6"),
    Option("UsageThreshold", "float", "UsageThreshold:6"),
)
ACCOUNT = (
    Option("Description", "lower", "Description:1"),
    Option("Organization", "lower", "Organization:1"),
    Option("RawUsage", "usage", "RawUsage:7"),
)
PARENT = Option("ParentName", "lower", "Parent:1")
USER = (
    Option("AdminLevel", "level", "AdminLevel:2"),
    Option("DefaultAccount", "lower", "DefaultAccount:8 DefAcct:7"),
    Option("DefaultWCKey", "text", "DefaultWCKey:8 DefWCKey:8"),
    Option("NewName", "text", "NewName:1"),
    Option("RawUsage", "usage", "RawUsage:7"),
)
CLUSTER = (Option("Classification", "text", "Classification:3"), Option("Features", "names", "Features:3"))

TABLES: dict[str, tuple[Option, ...]] = {
    "account": (*ACCOUNT, *ASSOCIATION[:-3], PARENT, *ASSOCIATION[-3:]),
    "user": (*USER, *ASSOCIATION),
    "assoc": ASSOCIATION,
    "cluster": (*CLUSTER, *ASSOCIATION),
    "qos": QOS,
}
"""Kind of record -> what ``add`` and ``modify ... set`` may set."""

_IDS = Option("ids", "names", "Ids:1 Associations:2")
_ACCOUNTS = Option("accounts", "names", "Accounts:2 Acct:4")
_OF_ASSOCIATION = (
    _IDS,
    _ACCOUNTS,
    Option("clusters", "names", "Clusters:1"),
    Option("defaultqos", "names", "DefaultQOS:8"),
    Option("partitions", "names", "Partitions:3"),
    Option("parents", "names", "Parents:4"),
    Option("qos", "names", "QosLevel:1"),
    Option("users", "names", "Users:1"),
)
_PERIOD = (Option("start", "text", "Start:3"), Option("end", "text", "End:1"))
PLACES: dict[str, tuple[Option, ...]] = {
    "account": (
        Option("names", "names", "Names:1 Accounts:1 Acct:4"),
        Option("descriptions", "names", "Descriptions:1"),
        Option("organizations", "names", "Organizations:1"),
        *_OF_ASSOCIATION,
    ),
    "user": (
        Option("names", "names", "Names:1 Users:1"),
        Option("adminlevel", "names", "AdminLevel:2"),
        Option("defaultaccounts", "names", "DefaultAccounts:8"),
        Option("defaultwckeys", "names", "DefaultWCKeys:8"),
        *_OF_ASSOCIATION,
    ),
    "assoc": _OF_ASSOCIATION,
    "cluster": (
        Option("names", "names", "Names:1 Clusters:1"),
        Option("classification", "names", "Classification:3"),
        Option("federations", "names", "Federations:3"),
        Option("flags", "names", "Flags:2"),
        Option("rpc", "names", "RPCVersions:1"),
    ),
    "qos": (
        Option("names", "names", "Names:1 QOSLevel:1"),
        Option("clusters", "names", "Clusters:1"),
        Option("descriptions", "names", "Descriptions:1"),
        Option("ids", "names", "Ids:1"),
        Option("preemptmode", "names", "PreemptMode:8"),
    ),
    "coordinator": (Option("names", "names", "Names:1 Users:1"), Option("accounts", "names", "Accounts:1 Acct:4")),
    "event": (
        Option("clusters", "names", "Clusters:1"),
        Option("end", "text", "End:1"),
        Option("events", "names", "Events:1"),
        Option("nodes", "names", "Nodes:1"),
        Option("reasons", "names", "Reasons:1"),
        Option("start", "text", "Start:4"),
        Option("states", "names", "States:4"),
        Option("users", "names", "Users:1"),
    ),
    "txn": (
        Option("accounts", "names", "Accounts:3 Acct:4"),
        Option("actions", "names", "Actions:4"),
        Option("actors", "names", "Actors:4"),
        Option("clusters", "names", "Clusters:3"),
        Option("ids", "names", "Ids:1"),
        Option("users", "names", "Users:1"),
        *_PERIOD,
    ),
    "tres": (
        Option("ids", "names", "Ids:1"),
        Option("types", "names", "Types:2"),
        Option("names", "names", "Names:1"),
    ),
}
"""Kind of record -> what tells its records apart in ``where``; what stands alone is the first of them."""
ADDED: dict[str, tuple[Option, ...]] = {
    "account": (Option("names", "names", "Accounts:1 Names:1 Acct:4"), Option("clusters", "names", "Clusters:1")),
    "user": (
        Option("names", "names", "Names:1 Users:1"),
        _ACCOUNTS,
        Option("clusters", "names", "Clusters:2"),
        Option("partitions", "names", "Partitions:2"),
        Option("wckeys", "names", "WCKeys:1"),
    ),
    "cluster": (Option("names", "names", "Names:1"),),
    "qos": (Option("names", "names", "Names:1"),),
    "coordinator": PLACES["coordinator"],
}
"""Kind of record -> what ``add`` needs to know beside the settings."""


def spellings(option: Option) -> list[tuple[str, int]]:
    """Return the names of an option with the fewest letters that are enough for each."""
    pairs = (text.partition(":") for text in (option.spelled or option.name).split(" "))
    return [(name, int(least or 1)) for name, _, least in pairs]


def find(table: tuple[Option, ...], word: str) -> Option | None:
    """Return the first option that a word begins with enough letters, None if there is none."""
    lowered = word.lower()
    for option in table:
        if any(name.lower().startswith(lowered) and len(word) >= least for name, least in spellings(option)):
            return option
    return None

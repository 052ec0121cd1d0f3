"""The options of accounting records: their names, the beginnings and other names they go by, the kinds of their values.

One table serves ``sacctmgr add``, ``modify set``, ``where``, files of associations and the limits that are enforced.
Source: sacctmgr(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.accounts import values
from slimsched.slurm.limits import BY_NAME

if TYPE_CHECKING:
    from slimsched.controller.accounts.values import Kind


class Field(NamedTuple):
    """One name: the fewest letters that mean it, the kind of its values, and what of the record it puts.

    ``put`` is "" where the name itself is the record's; in ``where`` it is the condition. ``resource``: an old name,
    which limits this resource alone.
    """

    name: str
    letters: int
    kind: Kind = values.TEXT
    put: str = ""
    resource: str = ""

    @property
    def key(self) -> str:
        """The name in the record, or of the condition."""
        return self.put or self.name


_KINDS = {"tres": values.TRES, "count": values.COUNT, "minutes": values.MINUTES, "factor": values.FLOAT}


def _limit(name: str, letters: int, put: str = "", resource: str = "") -> Field:
    """Return a name of a limit."""
    return Field(name, letters, _KINDS[BY_NAME[put or name].kind], put, resource)


_GROUP = (
    _limit("GrpCPUMins", 7, "GrpTRESMins", "cpu"),
    _limit("GrpCPURunMins", 7, "GrpTRESRunMins", "cpu"),
    _limit("GrpCPUs", 7, "GrpTRES", "cpu"),
    _limit("GrpJobs", 4),
    _limit("GrpJobsAccrue", 8),
    _limit("GrpMemory", 4, "GrpTRES", "mem"),
    _limit("GrpNodes", 4, "GrpTRES", "node"),
    _limit("GrpSubmitJobs", 4),
    _limit("GrpTRES", 7),
    _limit("GrpTRESMins", 8),
    _limit("GrpTRESRunMins", 8),
    _limit("GrpWall", 4),
)
"""Options of associations and QOS alike: the limits on a group of jobs."""
ASSOCIATION = (
    Field("DefaultQOS", 8, values.TEXT),
    Field("DefQOS", 6, values.TEXT, "DefaultQOS"),
    Field("FairShare", 1, values.SHARE, "Fairshare"),
    Field("Shares", 1, values.SHARE, "Fairshare"),
    Field("RawShares", 8, values.SHARE, "Fairshare"),
    *_GROUP,
    _limit("MaxCPUMinsPerJob", 7, "MaxTRESMinsPerJob", "cpu"),
    _limit("MaxCPURunMins", 7, "MaxTRESRunMins", "cpu"),
    _limit("MaxCPUsPerJob", 7, "MaxTRESPerJob", "cpu"),
    _limit("MaxJobs", 4),
    _limit("MaxJobsAccrue", 8),
    _limit("MaxNodesPerJob", 4, "MaxTRESPerJob", "node"),
    _limit("MinPrioThreshold", 4),
    _limit("MaxSubmitJobs", 4),
    _limit("MaxTRESPerJob", 7),
    _limit("MaxTRESPJ", 9, "MaxTRESPerJob"),
    _limit("MaxTRESPerNode", 11),
    _limit("MaxTRESPN", 9, "MaxTRESPerNode"),
    _limit("MaxTRESMinsPerJob", 8),
    _limit("MaxTRESMinsPJ", 13, "MaxTRESMinsPerJob"),
    _limit("MaxTRESRunMins", 8),
    _limit("MaxWallDurationPerJob", 4),
    Field("Priority", 3, values.COUNT),
    Field("QosLevel", 1, values.QOS),
    Field("Comment", 3, values.TEXT),
)
"""Options of associations, in the order in which a beginning is looked for, as in all these tables."""
QOS = (
    Field("Description", 1, values.LOWER),
    Field("Flags", 2, values.FLAGS),
    Field("GraceTime", 3, values.SECONDS),
    *_GROUP,
    Field("LimitFactor", 6, values.FLOAT),
    _limit("MaxCPUMinsPerJob", 7, "MaxTRESMinsPerJob", "cpu"),
    _limit("MaxCPUsPerJob", 7, "MaxTRESPerJob", "cpu"),
    _limit("MaxCPUsPerUser", 11, "MaxTRESPerUser", "cpu"),
    _limit("MaxCPUsPU", 9, "MaxTRESPerUser", "cpu"),
    _limit("MaxJobsAccruePerAccount", 17),
    _limit("MaxJobsAccruePA", 15, "MaxJobsAccruePerAccount"),
    _limit("MaxJobsAccruePerUser", 17),
    _limit("MaxJobsAccruePU", 15, "MaxJobsAccruePerUser"),
    _limit("MaxJobsPerAccount", 11),
    _limit("MaxJobsPA", 9, "MaxJobsPerAccount"),
    _limit("MaxJobsPerUser", 4),
    _limit("MaxJobsPU", 4, "MaxJobsPerUser"),
    _limit("MaxNodesPerJob", 4, "MaxTRESPerJob", "node"),
    _limit("MaxNodesPerUser", 8, "MaxTRESPerUser", "node"),
    _limit("MaxNodesPU", 8, "MaxTRESPerUser", "node"),
    _limit("MaxSubmitJobsPerAccount", 17),
    _limit("MaxSubmitJobsPA", 15, "MaxSubmitJobsPerAccount"),
    _limit("MaxSubmitPA", 11, "MaxSubmitJobsPerAccount"),
    _limit("MaxSubmitJobsPerUser", 4),
    _limit("MaxSubmitJobsPU", 4, "MaxSubmitJobsPerUser"),
    _limit("MaxSubmitPU", 11, "MaxSubmitJobsPerUser"),
    _limit("MaxTRESPerAccount", 11),
    _limit("MaxTRESPerAcct", 11, "MaxTRESPerAccount"),
    _limit("MaxTRESPA", 9, "MaxTRESPerAccount"),
    _limit("MaxTRESPerJob", 7),
    _limit("MaxTRESPJ", 9, "MaxTRESPerJob"),
    _limit("MaxTRESPerNode", 11),
    _limit("MaxTRESPN", 9, "MaxTRESPerNode"),
    _limit("MaxTRESPerUser", 11),
    _limit("MaxTRESPU", 9, "MaxTRESPerUser"),
    _limit("MaxTRESMinsPerJob", 8),
    _limit("MaxTRESMinsPJ", 13, "MaxTRESMinsPerJob"),
    _limit("MaxTRESRunMinsPA", 16, "MaxTRESRunMinsPerAccount"),
    _limit("MaxTRESRunMinsPerAccount", 18),
    _limit("MaxTRESRunMinsPerAcct", 18, "MaxTRESRunMinsPerAccount"),
    _limit("MaxTRESRunMinsPU", 8, "MaxTRESRunMinsPerUser"),
    _limit("MaxTRESRunMinsPerUser", 8),
    _limit("MaxWallDurationPerJob", 4),
    _limit("MinCPUsPerJob", 7, "MinTRESPerJob", "cpu"),
    _limit("MinPrioThreshold", 4),
    _limit("MinTRESPerJob", 7),
    Field("PreemptMode", 8, values.MODE),
    Field("Preempt", 7, values.QOS),
    Field("PreemptExemptTime", 8, values.SECONDS),
    Field("Priority", 3, values.COUNT),
    Field("RawUsage", 7, values.USAGE),
    Field("UsageFactor", 6, values.FLOAT),
    _limit("UsageThreshold", 6),
)
ACCOUNT = (
    Field("Description", 1, values.LOWER),
    Field("Organization", 1, values.LOWER),
    Field("RawUsage", 7, values.USAGE),
)
PARENT = Field("Parent", 1, values.LOWER, "ParentName")
USER = (
    Field("AdminLevel", 2, values.LEVEL),
    Field("DefaultAccount", 8, values.LOWER),
    Field("DefAcct", 7, values.LOWER, "DefaultAccount"),
    Field("DefaultWCKey", 8, values.TEXT),
    Field("DefWCKey", 8, values.TEXT, "DefaultWCKey"),
    Field("NewName", 1, values.TEXT),
    Field("RawUsage", 7, values.USAGE),
)
CLUSTER = (Field("Classification", 3, values.TEXT), Field("Features", 3, values.NAMES))

TABLES: dict[str, tuple[Field, ...]] = {
    "account": (*ACCOUNT, *ASSOCIATION[:-3], PARENT, *ASSOCIATION[-3:]),
    "user": (*USER, *ASSOCIATION),
    "assoc": ASSOCIATION,
    "cluster": (*CLUSTER, *ASSOCIATION),
    "qos": QOS,
}
"""Kind of record -> what ``add`` and ``modify ... set`` may set."""

_IDS = (Field("Ids", 1, put="ids"), Field("Associations", 2, put="ids"))
_ACCOUNTS = (Field("Accounts", 2, put="accounts"), Field("Acct", 4, put="accounts"))
_OF_ASSOCIATION = (
    *_IDS,
    *_ACCOUNTS,
    Field("Clusters", 1, put="clusters"),
    Field("DefaultQOS", 8, put="defaultqos"),
    Field("Partitions", 3, put="partitions"),
    Field("Parents", 4, put="parents"),
    Field("QosLevel", 1, put="qos"),
    Field("Users", 1, put="users"),
)
_PERIOD = (Field("Start", 3, put="start"), Field("End", 1, put="end"))
PLACES: dict[str, tuple[Field, ...]] = {
    "account": (
        Field("Names", 1, put="names"),
        Field("Accounts", 1, put="names"),
        Field("Acct", 4, put="names"),
        Field("Descriptions", 1, put="descriptions"),
        Field("Organizations", 1, put="organizations"),
        *_OF_ASSOCIATION,
    ),
    "user": (
        Field("Names", 1, put="names"),
        Field("Users", 1, put="names"),
        Field("AdminLevel", 2, put="adminlevel"),
        Field("DefaultAccounts", 8, put="defaultaccounts"),
        Field("DefaultWCKeys", 8, put="defaultwckeys"),
        *_OF_ASSOCIATION,
    ),
    "assoc": _OF_ASSOCIATION,
    "cluster": (
        Field("Names", 1, put="names"),
        Field("Clusters", 1, put="names"),
        Field("Classification", 3, put="classification"),
        Field("Federations", 3, put="federations"),
        Field("Flags", 2, put="flags"),
        Field("RPCVersions", 1, put="rpc"),
    ),
    "qos": (
        Field("Names", 1, put="names"),
        Field("QOSLevel", 1, put="names"),
        Field("Clusters", 1, put="clusters"),
        Field("Descriptions", 1, put="descriptions"),
        Field("Ids", 1, put="ids"),
        Field("PreemptMode", 8, put="preemptmode"),
    ),
    "coordinator": (
        Field("Names", 1, put="names"),
        Field("Users", 1, put="names"),
        Field("Accounts", 1, put="accounts"),
        Field("Acct", 4, put="accounts"),
    ),
    "event": (
        Field("Clusters", 1, put="clusters"),
        Field("End", 1, put="end"),
        Field("Events", 1, put="events"),
        Field("Nodes", 1, put="nodes"),
        Field("Reasons", 1, put="reasons"),
        Field("Start", 4, put="start"),
        Field("States", 4, put="states"),
        Field("Users", 1, put="users"),
    ),
    "txn": (
        Field("Accounts", 3, put="accounts"),
        Field("Acct", 4, put="accounts"),
        Field("Actions", 4, put="actions"),
        Field("Actors", 4, put="actors"),
        Field("Clusters", 3, put="clusters"),
        Field("Ids", 1, put="ids"),
        Field("Users", 1, put="users"),
        *_PERIOD,
    ),
    "tres": (
        Field("Ids", 1, put="ids"),
        Field("Types", 2, put="types"),
        Field("Names", 1, put="names"),
    ),
}
"""Kind of record -> what tells its records apart in ``where``; what stands alone is the first of them."""
ADDED: dict[str, tuple[Field, ...]] = {
    "account": (
        Field("Accounts", 1, put="names"),
        Field("Names", 1, put="names"),
        Field("Acct", 4, put="names"),
        Field("Clusters", 1, put="clusters"),
    ),
    "user": (
        Field("Names", 1, put="names"),
        Field("Users", 1, put="names"),
        *_ACCOUNTS,
        Field("Clusters", 2, put="clusters"),
        Field("Partitions", 2, put="partitions"),
        Field("WCKeys", 1, put="wckeys"),
    ),
    "cluster": (Field("Names", 1, put="names"),),
    "qos": (Field("Names", 1, put="names"),),
    "coordinator": PLACES["coordinator"],
}
"""Kind of record -> what ``add`` needs to know beside the settings."""

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
    from slimsched.controller.accounts.values import Kind


class Field(NamedTuple):
    """One name: its fewest letters, the kind of its values, and the part of the record that it sets.

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


_KINDS = {"tres": values.TRES, "count": values.COUNT, "minutes": values.MINUTES, "float": values.FLOAT}


def _limits(where: str) -> Iterator[Field]:
    """Yield the names of the limits of associations or QOS."""
    for each in limits.LIMITS:
        if where in each.where:
            kind = values.TRES if each.resource else _KINDS[each.kind]
            yield from (Field(name, least, kind, each.name, each.resource) for name, least in each.names())


ASSOCIATION = (
    Field("DefaultQOS", 8, values.TEXT),
    Field("DefQOS", 6, values.TEXT, "DefaultQOS"),
    Field("FairShare", 1, values.SHARE, "Fairshare"),
    Field("Shares", 1, values.SHARE, "Fairshare"),
    Field("RawShares", 8, values.SHARE, "Fairshare"),
    *_limits(limits.ASSOC),
    Field("Priority", 3, values.COUNT),
    Field("QosLevel", 1, values.QOS),
    Field("Comment", 3, values.TEXT),
)
"""Options of associations, in the order in which an abbreviation is looked up, as in all these tables."""
QOS = (
    Field("Description", 1, values.LOWER),
    Field("Flags", 2, values.FLAGS),
    Field("GraceTime", 3, values.SECONDS),
    Field("LimitFactor", 6, values.FLOAT),
    *_limits(limits.QOS),
    Field("PreemptMode", 8, values.MODE),
    Field("Preempt", 7, values.QOS),
    Field("PreemptExemptTime", 8, values.SECONDS),
    Field("Priority", 3, values.COUNT),
    Field("RawUsage", 7, values.USAGE),
    Field("UsageFactor", 6, values.FLOAT),
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
"""Kind of record -> the keys of its records in ``where``; a word without a key is the first of them."""
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
"""Kind of record -> the conditions that ``add`` needs beside the settings."""

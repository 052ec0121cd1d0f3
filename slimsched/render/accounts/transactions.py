"""The transactions of ``sacctmgr show``: what changed the accounting records, from the first registration on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import UserError
from slimsched.model.account import ROOT
from slimsched.render.accounts import sacctmgr

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.state.records import Historic

VERBS = {"add": "Add", "modify": "Modify", "delete": "Remove"}
KINDS = {
    "account": "Accounts",
    "user": "Users",
    "qos": "QOS",
    "cluster": "Clusters",
    "coordinator": "Account Coord",
    "resource": "Resources",
    "federation": "Federations",
    "job": "Jobs",
}
FIRST_OWN_TRES = 1001
"""Number of the first resource that slurmdbd adds for a cluster."""


class Transaction(NamedTuple):
    """One change; ``users``, ``accounts``: those whose records it touched."""

    time: int
    action: str
    actor: str
    where: str
    info: str = ""
    users: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()


def transactions(cluster: Cluster, commits: Iterable[Historic]) -> Iterator[Transaction]:
    """Yield what happened when slurmctld first registered with slurmdbd, and what the journal has of later commands."""
    if cluster.config.names_slurmdbd:
        yield from _opening(cluster)
    for commit in commits:
        for event in commit.events:
            if event.get("event") != "accounting":
                continue
            kind = next((kind for kind in KINDS if kind in event), "")
            where = str(event.get(kind, ""))
            names = frozenset(where.split(","))
            yield Transaction(
                int(event["time"]),
                f"{VERBS.get(event['verb'], 'Add')} {KINDS.get(kind, 'Associations')}",
                commit.user,
                where,
                users=names if kind in {"user", "coordinator"} else frozenset(),
                accounts=names if kind == "account" else frozenset(),
            )


def action(text: str) -> str:
    """Return an action by its name, in any case; raises `UserError` for what is none."""
    every = [f"{verb} {kind}" for verb in VERBS.values() for kind in (*KINDS.values(), "Associations", "TRES")]
    found = next((action for action in every if action.lower() == text.lower()), None)
    if found is None:
        raise UserError(f"You gave a bad action '{text}'.")
    return found


def _opening(cluster: Cluster) -> Iterator[Transaction]:
    """Yield the cluster, the association of its root, twice as slurmdbd writes it, and its own resources."""
    time, name = cluster.boot_time, cluster.config.get("ClusterName")
    unset = dict.fromkeys(COLUMNS, "NULL")
    own = {**unset, "qos": "',1,'", "federation": "''", "fed_id": "0", "fed_state": "0", "features": "''"}
    yield Transaction(time, "Add Clusters", ROOT, name, f"mod_time={time}, shares=1, {_columns(own)}")
    place = {"acct": "'root'", "user": "'root'", "`partition`": "''", "id_parent": "'1'", "lineage": "'/0-root/'"}
    place["shares"] = "1"
    for column in COLUMNS:
        place |= {column: "NULL"} | ({"is_def": "1"} if column == "grp_wall" else {})
    place |= {"flags": "131072", "qos": "''", "delta_qos": "''"}
    both = frozenset({ROOT})
    for _ in range(2):
        info = f"mod_time={time}, {_columns(place)}"
        yield Transaction(time, "Add Associations", ROOT, "id_assoc=2", info, both, both)
    port = cluster.config.get("SlurmctldPort") or "6817"
    control = {"control_host": "'127.0.0.1'", "control_port": port, "last_port": port}
    control |= {"rpc_version": str(sacctmgr.RPC_VERSION), "dimensions": "1", "flags": "128"}
    yield Transaction(time, "Modify Clusters", ROOT, f"name='{name}'", _columns(control))
    for row in sacctmgr.tres_rows(cluster):
        if int(row.user) >= FIRST_OWN_TRES:
            info = f"type='{row.name}', name='{row.account}'"
            yield Transaction(time, "Add TRES", ROOT, f"id={row.user}", info)


COLUMNS = (
    *("grp_jobs", "grp_jobs_accrue", "grp_submit_jobs", "grp_wall", "max_jobs", "max_jobs_accrue", "min_prio_thresh"),
    *("max_submit_jobs", "max_wall_pj", "priority", "def_qos_id"),
)
"""Columns of slurmdbd's table for the limits of an association."""


def _columns(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())

"""The messages of ``sacctmgr`` about changes it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.accounts.sacctmgr_values import FACTORS, shown
from slimsched.slurm.limits import ASSOC, LIMITS, QOS

if TYPE_CHECKING:
    from slimsched.controller.accounts.records import Outcome
    from slimsched.controller.accounts.where import Association
    from slimsched.model.account import Record

TITLES = {"account": "Account(s)", "user": "User(s)", "qos": "QOS(s)", "cluster": "Cluster(s)"}
PLURALS = {"account": "accounts", "user": "users", "qos": "QOS(s)", "cluster": "clusters"}
OWN_LABELS = {"DefaultAccount": "Default Account", "AdminLevel": "Admin Level", "DefaultWCKey": "Default WCKey"}
UNSET = {"Description": "Account Name", "Organization": "Parent/Account Name"}
"""The settings of a new account that were not given."""
LIMIT_HEADS = {"account": " Settings", "user": " Non Default Settings", "cluster": " Default Limits"}


def _labels(where: str, first: str, last: str, **other: str) -> dict[str, str]:
    """Return the names of options in the order of the report: the limits are between first and last."""
    known = {each.name: each.label or each.name for each in LIMITS if where in each.where}
    ends = last.split(" ")
    names = [*first.split(" "), *(name for name in known if name not in ends), *ends]
    return {name: other.get(name) or known.get(name, name) for name in names}


ASSOCIATION_LABELS = _labels(
    ASSOC,
    "Fairshare",
    "MinPrioThreshold ParentName Priority QosLevel DefaultQOS Comment",
    **{"GrpJobsAccrue": "GrpJobsAccrue           ", "MaxTRESPerJob": "MaxTRES"},
    **{"ParentName": "Parent", "QosLevel": "QOS", "DefaultQOS": "DefQOS"},
)
QOS_LABELS = _labels(
    QOS,
    "Flags GraceTime",
    "Preempt PreemptMode PreemptExemptTime Priority UsageFactor UsageThreshold LimitFactor",
)
NARROW = {"MaxJobsPerUser": 15}
"""Labels of a QOS that Slurm gives less room."""

NOTHING_ADDED = " Nothing new added."
NOTHING_MODIFIED = "  Nothing modified"
NOTHING_DELETED = " Nothing deleted"
COMMIT = "Would you like to commit changes?"
RESET = "Would you like to reset usage?"
EVERYTHING = "You didn't set any conditions with 'WHERE'.\nAre you sure you want to continue?"
ONLY_JOINED = (
    "You requested options that are only valid when querying with the withassoc option.\n"
    "Are you sure you want to continue?"
)
WAITING = " (You have 30 seconds to decide)\n(N/y): "
DISCARDED = " Changes Discarded"


def association(cluster: str, account: str, user: str, partition: str) -> str:
    """Return the line of an association."""
    text = f"  C = {cluster[:10]:<10} A = {account[:20]:<20}"
    if user:
        text += f" U = {user[:9]:<9}"
    return f"{text} P = {partition}" if partition else text


def added(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of new records."""
    if outcome.empty:
        return [NOTHING_ADDED]
    if kind == "coordinator":
        accounts = dict.fromkeys(account for account, _, _ in outcome.associations)
        users, to = " Adding Coordinator User(s)", " To Account(s) and all sub-accounts"
        return [users, *(f"  {name}" for name in outcome.names), to, *(f"  {name}" for name in accounts)]
    lines: list[str] = []
    if outcome.names:
        name = "  Name           = {}" if kind == "cluster" else "  {}"
        lines += [f" Adding {TITLES[kind]}", *(name.format(each) for each in outcome.names)]
        lines += _own_settings(kind, outcome)
    if outcome.associations:
        lines += [" Associations =", *_associations(outcome.associations, cluster)]
    if outcome.limits:
        lines += [LIMIT_HEADS[kind], *limits(outcome.limits)]
    return lines


def _own_settings(kind: str, outcome: Outcome) -> list[str]:
    if kind == "qos":
        given = outcome.record.get("Description") or outcome.names[-1]
        lines = [f"  {'Description':<15}= {given}"]
        for name, label in QOS_LABELS.items():
            if name in outcome.record:
                lines.append(f"  {label:<{NARROW.get(name, 25)}}= {_told(name, outcome.record[name])}")
        return [" Settings", *lines]
    settings: Record = {**(UNSET if kind == "account" else {}), **outcome.record}
    if not settings:
        return []
    head = f" Settings{' =' if kind == 'user' else ''}"
    return [head, *(f"  {OWN_LABELS.get(name, name):<15} = {value}" for name, value in settings.items())]


def limits(record: Record) -> list[str]:
    """Return the lines of an association's limits."""
    pairs = [(label, record[name], name) for name, label in ASSOCIATION_LABELS.items() if name in record]
    return [f"  {label:<14}= {_told(name, value)}" for label, value, name in pairs]


def _told(name: str, value: str) -> str:
    """Return a value as the report of a new record prints it; some differ from the list."""
    if name in FACTORS:
        return f"{float(value):.4f}"
    if name == "PreemptMode":
        return value.upper()
    return value if name == "GraceTime" else shown(name, value)


def _associations(listed: list[Association], cluster: str) -> list[str]:
    return [association(cluster, *each) for each in listed]


def modified(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of changed records."""
    if outcome.empty:
        return [NOTHING_MODIFIED]
    if outcome.cleared:
        return [f"No cluster specified, resetting on local cluster {cluster}"]
    lines: list[str] = []
    if kind == "cluster":
        listed = [association(name, "root", "", "") for name in outcome.names]
        return [" Modified cluster defaults for associations...", *listed]
    if outcome.names:
        title = PLURALS[kind] if kind != "qos" else kind
        lines += [f" Modified {title}...", *(f"  {name}" for name in outcome.names)]
    if outcome.associations:
        lines += [f" Modified {kind} associations...", *_associations(outcome.associations, cluster)]
    return lines


def deleted(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of deleted records."""
    if outcome.empty:
        return [NOTHING_DELETED]
    if kind == "coordinator":
        gone = [f"  U = {user:<9} A = {account:<10}" for account, user, _ in outcome.associations]
        return [" Removing Coordinators (sub accounts not listed)...", *gone]
    if outcome.names:
        return [f" Deleting {PLURALS[kind]}...", *(f"  {name}" for name in outcome.names)]
    return [f" Deleting {kind} associations...", *_associations(outcome.associations, cluster)]

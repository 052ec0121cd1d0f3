"""The messages of ``sacctmgr`` about changes it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.accounts.sacctmgr_values import FACTORS, shown
from slimsched.slurm.limits import ASSOC, LIMITS, QOS

if TYPE_CHECKING:
    from slimsched.controller.accounts.outcome import Outcome
    from slimsched.model.account import Record

TITLES = {"account": "Account(s)", "user": "User(s)", "qos": "QOS(s)", "cluster": "Cluster(s)"}
TITLES |= {"resource": "Resource(s)", "federation": "Federation(s)"}
PLURALS = {"account": "accounts", "user": "users", "qos": "QOS(s)", "cluster": "clusters", "job": "jobs"}
PLURALS |= {"resource": "resource(s)", "federation": "federations"}
OWN_LABELS = {"DefaultAccount": "Default Account", "DefaultWCKey": "Default WCKey", "AdminLevel": "Admin Level"}
UNSET = {"Description": "Account Name", "Organization": "Parent/Account Name"}
"""The settings of a new account that were not given."""
LIMIT_HEADS = {"account": " Settings", "user": " Non Default Settings"}
SKIPPED = {
    "account": " Already existing account {} on cluster {}",
    "user": "No account {} on cluster {}, skipping.",
    "cluster": " This cluster {} already exists.  Not adding.",
}
"""What is said of a name that is passed over: an account, also by users that were to be added to it, or a cluster."""
NO_EFFECT = "Request didn't affect anything"
NO_USERS = (
    "Nothing added.",
    "Make sure the accounts requested here have been added to the system/cluster. (sacctmgr add account...)",
)


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
NOTHING_REMOVED = " Nothing removed"
COMMIT = "Would you like to commit changes?"
RESET = "Would you like to reset usage?"
EVERYTHING = "You didn't set any conditions with 'WHERE'.\nAre you sure you want to continue?"
ONLY_JOINED = (
    "You requested options that are only valid when querying with the withassoc option.\n"
    "Are you sure you want to continue?"
)
OF_RESOURCES = ("Name", "Server", "Description", "ServerType", "Count", "LastConsumed", "Flags", "Type")
"""What is said of a new resource, in this order."""
WAITING = " (You have 30 seconds to decide)\n(N/y): "
DISCARDED = " Changes Discarded"


def association(cluster: str, account: str, user: str, partition: str, *, width: int = 20) -> str:
    """Return the line of an association."""
    text = f"  C = {cluster[:10]:<10} A = {account[:20]:<{width}}"
    if user:
        text += f" U = {user[:9]:<9}"
    return f"{text} P = {partition}" if partition else text


def _associations(outcome: Outcome, cluster: str, width: int = 20) -> list[str]:
    """Return the lines of changed or deleted associations; those of accounts name the account above."""
    return [
        association(cluster, *each, width=width) if each[1] else f"  C = {cluster[:10]:<10} A = {outcome.path(each[0])}"
        for each in outcome.associations
    ]


def added(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of new records."""
    if kind == "coordinator":
        accounts = dict.fromkeys(account for account, _, _ in outcome.associations)
        users, to = " Adding Coordinator User(s)", " To Account(s) and all sub-accounts"
        return [users, *(f"  {name}" for name in outcome.names), to, *(f"  {name}" for name in accounts)]
    lines = [SKIPPED[kind].format(name, cluster) for name in outcome.skipped] if kind in SKIPPED else []
    if outcome.empty:
        return _nothing_added(kind, lines)
    if outcome.names:
        name = "  Name           = {}" if kind == "cluster" else "  {}"
        lines += [f" Adding {TITLES[kind]}", *(name.format(each) for each in outcome.names)]
        lines += _own_settings(kind, outcome)
    if outcome.associations:
        lines += [" Associations =", *(association(cluster, *each) for each in outcome.associations)]
    if outcome.wckeys:
        keys = (f"  C = {cluster:<10} W = {wckey:<10} U = {user:<9}" for user, wckey in outcome.wckeys)
        lines += [" Wckey(s)", *keys]
    if outcome.limits and kind != "cluster":
        lines += [LIMIT_HEADS[kind], *limits(outcome.limits)]
    return lines


def _nothing_added(kind: str, skipped: list[str]) -> list[str]:
    if kind == "user":
        return [*(skipped or [NO_EFFECT]), *NO_USERS]
    return skipped or [NOTHING_ADDED]


def _own_settings(kind: str, outcome: Outcome) -> list[str]:
    if kind == "qos":
        given = outcome.record.get("Description") or outcome.names[-1]
        lines = [f"  {'Description':<15}= {given}"]
        for name, label in QOS_LABELS.items():
            if name in outcome.record:
                lines.append(f"  {label:<{NARROW.get(name, 25)}}= {_told(name, outcome.record[name])}")
        return [" Settings", *lines]
    if kind == "cluster":
        return _of_cluster(outcome)
    if kind == "resource":
        told = {**outcome.record, "Type": outcome.record["Type"].capitalize()}
        return [" Settings", *(f"  {name:<14} = {told[name]}" for name in OF_RESOURCES if name in told)]
    settings: Record = {**(UNSET if kind == "account" else {}), **outcome.record}
    shown_ones = (name for name in (*OWN_LABELS, *UNSET) if name in settings)
    own = [f"  {OWN_LABELS.get(name, name):<15} = {settings[name]}" for name in shown_ones]
    return [" Settings", *own] if kind in {"account", "user"} else []


def _of_cluster(outcome: Outcome) -> list[str]:
    """Return the settings of a cluster, its defaults for associations apart."""
    lines = [f"  {name:<14} = {value}" for name, value in outcome.record.items()]
    if outcome.limits:
        lines += ["  Default Limits:", *limits(outcome.limits)]
    return [" Setting", *lines] if lines else []


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


def modified(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of changed records: a list for the records themselves, and one for associations."""
    if outcome.cleared:
        return [f"No cluster specified, resetting on local cluster {cluster}"]
    names = [f"  {name}" for name in outcome.names]
    if kind == "qos":
        if outcome.refusal:
            return []
        return [" Modified qos...", *names] if names else [NOTHING_MODIFIED[1:]]
    if kind == "resource":
        return [" Modified server resource ...", *names] if names else [NOTHING_MODIFIED[1:]]
    if kind == "cluster":
        head = " Modified cluster..."
        if outcome.limits:
            head = " Modified cluster defaults for associations..."
            names = [f"  C = {name[:10]:<10} A = root" for name in outcome.names]
        return [*_of_cluster(outcome), head, *(names or [NOTHING_MODIFIED])]
    lines: list[str] = []
    nothing = [] if outcome.refusal else [NOTHING_MODIFIED]
    if outcome.of_records:
        lines += [f" Modified {PLURALS[kind]}...", *([] if outcome.refusal else names or nothing)]
    if outcome.of_associations:
        listed = [] if outcome.refusal else _associations(outcome, cluster)
        lines += [f" Modified {kind} associations...", *(listed or nothing)]
    return lines


def deleted(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return the report of deleted records."""
    if kind == "coordinator":
        users, accounts = (outcome.record[each].split(",") for each in ("Users", "Accounts"))
        lines = _from_accounts([name for name in users if name], [name for name in accounts if name])
        gone = [f"  U = {user:<9} A = {account:<10}" for account, user, _ in outcome.associations]
        return [*lines, *([" Removed Coordinators (sub accounts not listed)...", *gone] if gone else [NOTHING_REMOVED])]
    if outcome.empty:
        return [NOTHING_DELETED]
    if outcome.names:
        return [f" Deleting {PLURALS[kind]}...", *(f"  {name}" for name in outcome.names)]
    lines = [f" Deleting {kind} associations...", *_associations(outcome, cluster, 10)]
    if outcome.orphans:
        lines += [" Deleting users (No Associations)...", *(f"  {name}" for name in outcome.orphans)]
    return lines


def _from_accounts(users: list[str], accounts: list[str]) -> list[str]:
    """Return who is to be a coordinator of what no more."""
    of = [f"  {name}" for name in accounts]
    if not users:
        return [" Removing all users from Accounts", *of]
    named = [" Removing Coordinators with user name", *(f"  {name}" for name in users)]
    return [*named, " From Account(s)", *of] if of else [*named, " From all accounts"]

"""How ``sacctmgr`` says what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.sacctmgr import shown

if TYPE_CHECKING:
    from slimsched.controller.accounts import Association, Outcome
    from slimsched.model.account import Record

TITLES = {"account": "Account(s)", "user": "User(s)", "qos": "QOS(s)", "cluster": "Cluster(s)"}
PLURALS = {"account": "accounts", "user": "users", "qos": "QOS(s)", "cluster": "clusters", "assoc": "associations"}
LABELS = {"DefaultAccount": "Default Account", "AdminLevel": "Admin Level", "QosLevel": "QOS"}
UNSET = {"Description": "Account Name", "Organization": "Parent/Account Name"}
"""What a new account's settings say if nobody gave them."""

NOTHING_ADDED = " Nothing new added."
NOTHING_MODIFIED = "  Nothing modified"
NOTHING_DELETED = " Nothing deleted"
QUESTION = "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): "
DISCARDED = " Changes Discarded"


def association(cluster: str, account: str, user: str, partition: str) -> str:
    """Return the line of an association."""
    text = f"  C = {cluster[:10]:<10} A = {account[:20]:<20}"
    if user:
        text += f" U = {user[:9]:<9}"
    return f"{text} P = {partition}" if partition else text


def added(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return what is said of new records."""
    if outcome.empty:
        return [NOTHING_ADDED]
    lines: list[str] = []
    if outcome.names:
        lines += [f" Adding {TITLES[kind]}", *(f"  {name}" for name in outcome.names)]
        lines += _own_settings(kind, outcome)
    if outcome.associations:
        lines += [" Associations =", *_associations(outcome.associations, cluster)]
    if outcome.limits:
        lines += [" Non Default Settings", *_settings(outcome.limits)]
    return lines


def _own_settings(kind: str, outcome: Outcome) -> list[str]:
    settings: Record = {**(UNSET if kind == "account" else {}), **outcome.record}
    if not settings:
        return []
    return [f" Settings{' =' if kind == 'user' else ''}", *_settings(settings)]


def _settings(record: Record) -> list[str]:
    return [f"  {LABELS.get(name, name):<15} = {shown(name, value)}" for name, value in record.items()]


def _associations(listed: list[Association], cluster: str) -> list[str]:
    return [association(cluster, *each) for each in listed]


def modified(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return what is said of changed records."""
    if outcome.empty:
        return [NOTHING_MODIFIED]
    lines: list[str] = []
    if outcome.names:
        title = PLURALS[kind] if kind not in {"qos", "cluster"} else kind
        lines += [f" Modified {title}...", *(f"  {name}" for name in outcome.names)]
    if outcome.associations:
        lines += [f" Modified {kind} associations...", *_associations(outcome.associations, cluster)]
    return lines


def deleted(kind: str, outcome: Outcome, cluster: str) -> list[str]:
    """Return what is said of records that are gone."""
    if outcome.empty:
        return [NOTHING_DELETED]
    if outcome.names:
        return [f" Deleting {PLURALS[kind]}...", *(f"  {name}" for name in outcome.names)]
    return [f" Deleting {kind} associations...", *_associations(outcome.associations, cluster)]

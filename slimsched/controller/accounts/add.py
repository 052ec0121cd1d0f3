"""``sacctmgr add``: accounts, users with their associations and WCKeys, QOS, clusters, coordinators, resources.

It raises `UserError` before it changes anything, or adds all that was asked for and does not exist yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts import shares, values
from slimsched.controller.accounts.outcome import (
    Outcome,
    applied,
    check_clusters,
    check_names,
    check_qos,
    record_event,
    split,
)
from slimsched.errors import UserError
from slimsched.model.account import BUILTIN, ROOT, Book, key

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.accounts.where import Request
    from slimsched.controller.core import Controller


def add(ctl: Controller, request: Request) -> Outcome:
    """Add the records that do not exist yet."""
    names = request.named("names")
    if not names and request.kind != "coordinator":
        raise UserError(f" Need name of {request.kind} to add.", level="plain")
    book = Book(ctl.cluster)
    if request.kind not in {"cluster", "federation", "resource"}:
        check_clusters(book, request)
    check_names([*names, *request.named("accounts", "partitions", "wckeys")])
    check_qos(book, request.settings)
    named = list(dict.fromkeys(names))
    if request.kind == "resource":
        return shares.add(ctl, request, named)
    outcome = _ADDERS[request.kind](book, request, named)
    record_event(ctl, "add", request.kind, outcome)
    return outcome


def _qos(book: Book, request: Request, names: list[str]) -> Outcome:
    record = applied({}, request.settings)
    outcome = Outcome(record=record)
    for name in names:
        if book.get("qos", name) is None:
            made = {"ID": book.next_id("qos"), "Description": name, "Priority": "0", **record}
            book.put(key("qos", name), made)
            outcome.names.append(name)
    return outcome


def _cluster(book: Book, request: Request, names: list[str]) -> Outcome:
    own, limits = split("cluster", request.settings)
    outcome = Outcome(record=applied({}, own), limits=applied({}, limits))
    for name in names:
        if name in book.clusters():
            outcome.skipped.append(name)
        else:
            book.put(key("cluster", name), {**outcome.record, **outcome.limits})
            outcome.names.append(name)
            for each in (key("assoc", ROOT), key("assoc", ROOT, ROOT)) if name == book.cluster_name else ():
                book.put(each, dict(BUILTIN[each]))  # it had been deleted
    return outcome


def _account(book: Book, request: Request, names: list[str]) -> Outcome:
    own, limits = split("account", request.settings)
    outcome = Outcome(record=applied({}, own), limits=applied({}, limits))
    limit = dict(outcome.limits)
    parent = limit.pop("ParentName", ROOT).lower()
    if book.get("assoc", parent) is None:
        text = f" Parent account '{parent}' doesn't exist on cluster {book.cluster_name}"
        raise UserError(f"{text}\n        Contact your admin to add this account.", level="plain")
    for name in names:
        if book.get("assoc", name) is not None:
            outcome.skipped.append(name)
            continue
        if book.get("account", name) is None:  # else it is known, but was taken from the cluster
            usual = {"Description": name, "Organization": name if parent == ROOT else parent}
            book.put(key("account", name), {**usual, **outcome.record})
            outcome.names.append(name)
        book.put(key("assoc", name), {"ID": book.next_id("assoc"), "ParentName": parent, **limit})
        outcome.associations.append((name, "", ""))
    return outcome


def _user(book: Book, request: Request, names: list[str]) -> Outcome:
    own, limits = split("user", request.settings)
    outcome = Outcome(record=applied({}, own), limits=applied({}, limits))
    record = outcome.record
    asked = [*request.named("accounts"), record.get("DefaultAccount", "")]
    wckeys = list(dict.fromkeys(filter(None, [*request.named("wckeys"), record.get("DefaultWCKey", "")])))
    if not any(asked) and not wckeys:
        raise UserError(" Need name of account or wckey to add.", level="plain")
    accounts = [name for name in dict.fromkeys(filter(None, asked)) if book.get("assoc", name) is not None]
    outcome.skipped = [name for name in dict.fromkeys(filter(None, asked)) if name not in accounts]
    if not accounts and not wckeys:
        return outcome
    for name in names:
        known = book.get("user", name)
        if known is None:
            usual = {"DefaultAccount": accounts[0]} if accounts else {}
            book.put(key("user", name), {**usual, **record})
            outcome.names.append(name)
        elif "DefaultWCKey" in record:
            book.put(key("user", name), {**known, "DefaultWCKey": record["DefaultWCKey"]})
        elif accounts and not book.default_account(name):
            book.put(key("user", name), {**known, "DefaultAccount": accounts[0]})
        _associate(book, name, accounts, request.named("partitions") or [""], outcome)
        for wckey in wckeys:
            if book.get("wckey", name, wckey) is None:
                book.put(key("wckey", name, wckey), {"Clusters": ",".join(book.clusters())})
                outcome.wckeys.append((name, wckey))
    return outcome


def _associate(book: Book, user: str, accounts: list[str], partitions: list[str], outcome: Outcome) -> None:
    for account in accounts:
        for partition in partitions:
            name = key("assoc", account, user, partition)
            if name not in book.records:
                book.put(name, {"ID": book.next_id("assoc"), "ParentName": account, **outcome.limits})
                outcome.associations.append((account, user, partition))


def _coordinator(book: Book, request: Request, names: list[str]) -> Outcome:
    accounts = request.named("accounts")
    if not names or not accounts:
        what = "user" if not names else "account"
        raise UserError(f" You need to specify a {what} list here.", level="plain")
    check_coordinators(book, names, accounts)
    outcome = Outcome(names=names, associations=[(account, name, "") for name in names for account in accounts])
    for name in names:
        record = book.get("user", name) or {}
        book.put(key("user", name), {**record, "Coordinators": values.listed(record.get("Coordinators", ""), accounts)})
    return outcome


def check_coordinators(book: Book, users: list[str], accounts: list[str]) -> None:
    """Refuse users and accounts that do not exist. Raises `UserError`."""
    named = [("account", name) for name in accounts] + [("user", name) for name in users]
    bad = [f" You specified a non-existent {kind} '{name}'." for kind, name in named if book.get(kind, name) is None]
    if bad:
        raise UserError("\n".join(bad), level="plain")


def _federation(book: Book, request: Request, names: list[str]) -> Outcome:
    missing = [name for name in request.named("clusters") if name.lower() not in map(str.lower, book.clusters())]
    if missing:
        text = "\n".join(f" The cluster {name} doesn't exist. Please add first." for name in missing)
        raise UserError(text, level="plain")
    outcome = Outcome()
    for name in names:
        if book.get("federation", name) is None:
            book.put(key("federation", name), {"Clusters": ",".join(request.named("clusters"))})
            outcome.names.append(name)
    return outcome


_ADDERS: dict[str, Callable[[Book, Request, list[str]], Outcome]] = {
    "coordinator": _coordinator,
    "qos": _qos,
    "cluster": _cluster,
    "account": _account,
    "user": _user,
    "federation": _federation,
}

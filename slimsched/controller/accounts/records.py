"""``sacctmgr``'s verbs: add, modify and delete accounts, users, associations, QOS and clusters.

Each verb is whole: it raises `UserError` before it changes anything, or changes all that was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts import options, values
from slimsched.controller.accounts.where import Association, Request, Setting, chosen, named_records
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, Record, key
from slimsched.model.record import Record as Plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller


class Outcome(Plain):
    """The result of a verb: the records and associations that it touched, and what it set."""

    names: list[str] = []
    associations: list[Association] = []
    record: Record = {}
    limits: Record = {}
    cleared: bool = False  # usage was

    @property
    def empty(self) -> bool:
        """Whether nothing was done."""
        return not (self.names or self.associations)


OWN = {
    "account": (*options.ACCOUNT, options.PARENT),
    "user": options.USER,
    "qos": options.QOS,
    "cluster": options.CLUSTER,
}
"""Kind -> the options of the record itself; the others are its associations'."""


def _split(kind: str, settings: Iterable[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Return the settings of the record itself, and those of its associations."""
    own = {field.key for field in OWN.get(kind, ())}
    listed = list(settings)
    return [s for s in listed if s[0].key in own], [s for s in listed if s[0].key not in own]


def _apply(record: Record, settings: Iterable[Setting]) -> Record:
    made = dict(record)
    for field, operator, value in settings:
        values.assign(made, field, operator, value)
    return made


def _check_qos(book: Book, record: Record) -> None:
    """Refuse a QOS that nobody defined."""
    text = "You gave a bad {}qos '{}'.  Use 'list qos' to get complete list."
    for name in (*record.get("QosLevel", "").split(","), *record.get("Preempt", "").split(",")):
        if name and book.get("qos", name) is None:
            raise UserError(text.format("", name), level="error")
    name = record.get("DefaultQOS", "")
    if name and book.get("qos", name) is None:
        raise UserError(text.format("default ", name), level="plain")


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not name.isprintable() or any(c.isspace() for c in name):
            raise UserError(f" Bad name: {name!r}", level="plain")


# add


def add(ctl: Controller, request: Request) -> Outcome:
    """Add the records that do not exist yet."""
    names = request.named("names")
    if not names:
        raise UserError(f" Need name of {request.kind} to add.", level="plain")
    book = Book(ctl.cluster)
    if request.kind != "cluster":
        check_clusters(book, request)
    _check_names([*names, *request.named("accounts", "partitions")])
    outcome = _ADDERS[request.kind](book, request, names)
    record_event(ctl, "add", request.kind, outcome)
    return outcome


def check_clusters(book: Book, request: Request) -> None:
    """Refuse the name of a cluster that was never added."""
    for name in request.named("clusters"):
        if name.lower() != book.cluster_name.lower() and book.get("cluster", name) is None:
            text = f" This cluster '{name}' doesn't exist.\n        Contact your admin to add it to accounting."
            raise UserError(text, level="plain")


def _add_qos(book: Book, request: Request, names: list[str]) -> Outcome:
    record = _apply({}, request.settings)
    _check_qos(book, record)
    outcome = Outcome(record=record)
    for name in names:
        lowered = name.lower()
        if book.get("qos", lowered) is None:
            made = {"ID": book.next_id("qos"), "Description": lowered, "Priority": "0", **record}
            book.put(key("qos", lowered), made)
            outcome.names.append(lowered)
    return outcome


def _add_cluster(book: Book, request: Request, names: list[str]) -> Outcome:
    record = _apply({}, request.settings)
    _check_qos(book, record)
    outcome = Outcome(limits=record)
    for name in names:
        if book.get("cluster", name) is None:
            book.put(key("cluster", name), dict(record))
            outcome.names.append(name)
    return outcome


def _add_account(book: Book, request: Request, names: list[str]) -> Outcome:
    own, limits = _split("account", request.settings)
    record, limit = _apply({}, own), _apply({}, limits)
    _check_qos(book, limit)
    parent = record.pop("ParentName", ROOT).lower()
    if book.get("account", parent) is None:
        raise UserError(f" Parent account '{parent}' doesn't exist.", level="plain")
    outcome = Outcome(record=record, limits=limit)
    for name in (name.lower() for name in names):
        if book.get("account", name) is None:
            book.put(key("account", name), {"Description": name, "Organization": parent, **record})
            book.put(key("assoc", name), {"ID": book.next_id("assoc"), "ParentName": parent, **limit})
            outcome.names.append(name)
            outcome.associations.append((name, "", ""))
    return outcome


def _add_user(book: Book, request: Request, names: list[str]) -> Outcome:
    own, limits = _split("user", request.settings)
    record, limit = _apply({}, own), _apply({}, limits)
    _check_qos(book, limit)
    usual = record.get("DefaultAccount", "").lower()
    accounts = list(dict.fromkeys(name.lower() for name in [*request.named("accounts"), *([usual] if usual else [])]))
    for account in accounts:
        if book.get("account", account) is None:
            text = f" This account '{account}' doesn't exist.\n        Contact your admin to add this account."
            raise UserError(text, level="plain")
    outcome = Outcome(record=record, limits=limit)
    for name in names:
        if book.get("user", name) is None:
            if not accounts:
                text = f" Need name of account to add user '{name}' to: account=NAME or DefaultAccount=NAME"
                raise UserError(text, level="plain")
            record.setdefault("DefaultAccount", accounts[0])
            book.put(key("user", name), dict(record))
            outcome.names.append(name)
        _associate(book, name, accounts, request.named("partitions") or [""], limit, outcome)
    return outcome


def _associate(
    book: Book, user: str, accounts: list[str], partitions: list[str], limit: Record, outcome: Outcome
) -> None:
    for account in accounts:
        for partition in partitions:
            name = key("assoc", account, user, partition)
            if name not in book.records:
                book.put(name, {"ID": book.next_id("assoc"), "ParentName": account, **limit})
                outcome.associations.append((account, user, partition))


def _add_coordinator(book: Book, request: Request, names: list[str]) -> Outcome:
    accounts = [name.lower() for name in request.named("accounts")]
    if not accounts:
        raise UserError(" You must specify an account to add the coordinator to.", level="plain")
    outcome = Outcome()
    for name in names:
        record = book.get("user", name)
        unknown = next((account for account in accounts if book.get("account", account) is None), None)
        if record is None or unknown is not None:
            what = f"user '{name}'" if record is None else f"account '{unknown}'"
            raise UserError(f" This {what} doesn't exist.", level="plain")
        led = values.listed(record.get("Coordinators", ""), accounts)
        if led != record.get("Coordinators", ""):
            book.put(key("user", name), {**record, "Coordinators": led})
            outcome.names.append(name)
            outcome.associations += [(account, name, "") for account in accounts]
    return outcome


_ADDERS = {
    "coordinator": _add_coordinator,
    "qos": _add_qos,
    "cluster": _add_cluster,
    "account": _add_account,
    "user": _add_user,
}

# modify


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change the records that ``where`` selects; without a name all of them."""
    book = Book(ctl.cluster)
    check_clusters(book, request)
    own, limits = _split(request.kind, request.settings)
    outcome = Outcome()
    if any(field.key == "RawUsage" for field, _, _ in own):
        _apply({}, own)
        return _clear_usage(ctl, request)
    changes: dict[str, Record] = {}
    if own or request.kind == "cluster":
        outcome.names = named_records(book, request)
        every = [*own, *limits] if request.kind == "cluster" else own
        changes |= {key(request.kind, n): _apply(book.get(request.kind, n) or {}, every) for n in outcome.names}
    if limits and request.kind != "cluster":
        outcome.associations = list(chosen(book, request))
        changes |= {key("assoc", *a): _apply(book.get("assoc", *a) or {}, limits) for a in outcome.associations}
    for record in changes.values():
        _check_qos(book, record)
        account = record.get("DefaultAccount")
        if account is not None and book.get("account", account) is None:
            raise UserError(f" Account '{account}' doesn't exist.", level="plain")
    _move(book, request.kind, changes)
    new = next((record["NewName"] for record in changes.values() if "NewName" in record), "")
    if new and len(outcome.names) != 1:
        text = " If you are changing a users name you can only specify 1 user at a time."
        raise UserError(f" Error with request: Can only change one at a time\n{text}", level="plain")
    _check_names([new] if new else [])
    for name, record in changes.items():
        book.put(name, record)
    if new:
        _rename(book, outcome.names[0], new)
    record_event(ctl, "modify", request.kind, outcome)
    return outcome


def _clear_usage(ctl: Controller, request: Request) -> Outcome:
    """Forget what associations, with those below them, or QOS have used."""
    from slimsched.priority.usage import UsageLedger

    book, ledger = Book(ctl.cluster), UsageLedger(ctl.cluster)
    outcome = Outcome(cleared=True)
    if request.kind == "qos":
        outcome.names = named_records(book, request)
        places = [key("qos", name) for name in outcome.names]
    else:
        outcome.associations = list(chosen(book, request))
        tops = {key("assoc", *each) for each in outcome.associations}
        every = [(account, user, partition) for account, user, partition, _ in book.associations()]
        places = [key("assoc", *each) for each in every if any(name in tops for name, _ in book.line(*each))]
    for place in places:
        ledger.clear(place)
    record_event(ctl, "modify", request.kind, outcome)
    return outcome


def _rename(book: Book, old: str, new: str) -> None:
    """Give a user another name (``NewName``), with the associations."""
    record = book.get("user", old) or {}
    book.put(key("user", new), {name: value for name, value in record.items() if name != "NewName"})
    for account, user, partition, limits in list(book.associations()):
        if user == old:
            book.put(key("assoc", account, new, partition), limits)
            book.drop(key("assoc", account, old, partition))
    book.drop(key("user", old))


def _move(book: Book, kind: str, changes: dict[str, Record]) -> None:
    """Let a new parent of accounts become the parent of their associations; no account may be below itself."""
    if kind != "account":
        return
    for name, record in list(changes.items()):
        parent = record.pop("ParentName", "").lower() if name.startswith("account ") else ""
        account = name.partition(" ")[2]
        if not parent:
            continue
        above = [each for each, _ in book.line(parent)]
        if book.get("account", parent) is None or key("assoc", account) in above:
            raise UserError(f" Account '{parent}' can not be the parent of '{account}'.", level="plain")
        place = key("assoc", account)
        changes[place] = {**changes.get(place, book.records.get(place, {})), "ParentName": parent}


def record_event(ctl: Controller, verb: str, kind: str, outcome: Outcome) -> None:
    """Record in the journal what was done; changed limits may let jobs start."""
    if not outcome.empty:
        cluster = ctl.cluster
        names = outcome.names or sorted({user or account for account, user, _ in outcome.associations})
        cluster.record("accounting", verb=verb, **{kind: ",".join(names)})
        cluster.pass_due = True

"""``sacctmgr``'s verbs: add, modify and delete accounts, users, associations, QOS and clusters.

Each verb is whole: it raises `UserError` before it changes anything, or changes all that was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import account_options as options
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, Record, key
from slimsched.model.record import Record as Plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from slimsched.controller.core import Controller

Association = tuple[str, str, str]  # account, user ("": the account's own), partition
Setting = tuple[options.Option, str, str]  # option, operator, value


class Request(Plain):
    """What a command names: the records (``where``) and what becomes of them (``settings``)."""

    kind: str
    where: dict[str, list[str]] = {}
    settings: list[Setting] = []

    def named(self, *keys: str) -> list[str]:
        """Return the names given under any of some keys."""
        return [name for each in keys for name in self.where.get(each, ())]


class Outcome(Plain):
    """What a verb did: the records and associations that it touched, and what was set."""

    names: list[str] = []
    associations: list[Association] = []
    record: Record = {}
    limits: Record = {}

    @property
    def empty(self) -> bool:
        """Whether nothing was done."""
        return not (self.names or self.associations)


def _split(kind: str, settings: Iterable[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Return the settings of the record itself, and those of its associations."""
    own = {"account": options.ACCOUNT, "user": options.USER, "qos": options.QOS}.get(kind, ())
    names = {option.name for option in own}
    listed = list(settings)
    return [s for s in listed if s[0].name in names], [s for s in listed if s[0].name not in names]


def _apply(record: Record, settings: Iterable[Setting]) -> Record:
    made = dict(record)
    for option, operator, value in settings:
        options.assign(made, option, operator, value)
    return made


def _check_qos(book: Book, record: Record) -> None:
    """Refuse a QOS that nobody defined."""
    for name in (*record.get("QosLevel", "").split(","), record.get("DefaultQOS", "")):
        if name and book.get("qos", name) is None:
            raise UserError(f" Unknown QOS: {name}", level="plain")


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not name.isprintable() or any(c.isspace() for c in name):
            raise UserError(f" Bad name: {name!r}", level="plain")


# add


def add(ctl: Controller, request: Request) -> Outcome:
    """Add what is not there yet."""
    names = request.named(
        "names", {"user": "users", "account": "accounts", "cluster": "clusters"}.get(request.kind, "")
    )
    if not names:
        raise UserError(f" Need name of {request.kind} to add.", level="plain")
    _check_names([*names, *request.named("accounts", "partitions")])
    outcome = _ADDERS[request.kind](Book(ctl.cluster), request, names)
    _told(ctl, "add", request.kind, outcome)
    return outcome


def _add_qos(book: Book, request: Request, names: list[str]) -> Outcome:
    record = _apply({}, request.settings)
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


_ADDERS = {"qos": _add_qos, "cluster": _add_cluster, "account": _add_account, "user": _add_user}

# modify


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change the records that ``where`` means; without a name all of them."""
    book = Book(ctl.cluster)
    own, limits = _split(request.kind, request.settings)
    outcome = Outcome()
    changes: dict[str, Record] = {}
    if request.kind in {"qos", "cluster"}:
        outcome.names = _meant(book, request.kind, request)
        for name in outcome.names:
            changes[key(request.kind, name)] = _apply(book.get(request.kind, name) or {}, request.settings)
    else:
        if own:
            outcome.names = _meant(book, request.kind, request)
            changes |= {
                key(request.kind, name): _apply(book.get(request.kind, name) or {}, own) for name in outcome.names
            }
        if limits:
            outcome.associations = list(chosen(book, request))
            changes |= {key("assoc", *a): _apply(book.get("assoc", *a) or {}, limits) for a in outcome.associations}
    for record in changes.values():
        _check_qos(book, record)
        account = record.get("DefaultAccount")
        if account is not None and book.get("account", account) is None:
            raise UserError(f" Account '{account}' doesn't exist.", level="plain")
    _move(book, request.kind, changes)
    for name, record in changes.items():
        book.put(name, record)
    _told(ctl, "modify", request.kind, outcome)
    return outcome


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


# delete


def delete(ctl: Controller, request: Request) -> Outcome:
    """Remove the records that ``where`` means, with all that depends on them; something must be named."""
    book = Book(ctl.cluster)
    if not any(request.where.values()):
        raise UserError(" Problem with delete request: there is no where clause", level="plain")
    outcome = Outcome()
    partly = request.kind == "user" and request.named("accounts", "partitions")
    if request.kind in {"qos", "cluster"}:
        outcome.names = _meant(book, request.kind, request)
    else:
        outcome.associations = list(chosen(book, request))
        if not partly and request.kind != "assoc":
            outcome.names = [name for name in _meant(book, request.kind, request) if name != ROOT]
    _check_unused(ctl, request.kind, outcome)
    for name in outcome.names:
        book.drop(key(request.kind, name))
    for account, user, partition in outcome.associations:
        if account != ROOT or user:
            book.drop(key("assoc", account, user, partition))
    _forget_defaults(book, request.kind, outcome)
    _told(ctl, "delete", request.kind, outcome)
    return outcome


def _check_unused(ctl: Controller, kind: str, outcome: Outcome) -> None:
    """Refuse to delete what unfinished jobs use."""
    gone = set(outcome.names)
    pairs = {(account, user) for account, user, _ in outcome.associations}
    for job in ctl.cluster.jobs.values():
        if job.finished:
            continue
        if (kind == "qos" and job.request.qos in gone) or (job.request.account, job.user_name) in pairs:
            text = f"  JobID = {job.job_id} of user {job.user_name}"
            raise UserError(f" Error with request: Job(s) active, cancel job(s) before remove\n{text}", level="plain")


def _forget_defaults(book: Book, kind: str, outcome: Outcome) -> None:
    """Take away the mention of what was deleted: default accounts, lists of QOS, accounts below."""
    for name in list(book.records):
        record = book.records[name]
        made = dict(record)
        if kind == "account" and record.get("DefaultAccount") in outcome.names:
            del made["DefaultAccount"]
        if kind == "account" and name.startswith("assoc ") and record.get("ParentName") in outcome.names:
            made["ParentName"] = ROOT
        if kind == "qos" and "QosLevel" in record:
            left = [each for each in record["QosLevel"].split(",") if each not in outcome.names]
            made["QosLevel"] = ",".join(left)
        if not made.get("QosLevel", "x"):
            del made["QosLevel"]
        if made != record:
            book.put(name, made)


# which


def _meant(book: Book, kind: str, request: Request) -> list[str]:
    """Return the names of the records that ``where`` means."""
    wanted = set(request.named("names", f"{kind}s"))
    lowered = {name.lower() for name in wanted} if kind in {"account", "qos"} else wanted
    return [name for name in book.names(kind) if not wanted or name in lowered]


def chosen(book: Book, request: Request) -> Iterator[Association]:
    """Yield the associations that ``where`` means: of users for users, of accounts for accounts."""
    kind = request.kind
    names = set(request.named("names"))
    accounts = {name.lower() for name in {*request.named("accounts"), *(names if kind == "account" else ())}}
    users = {*request.named("users"), *(names if kind == "user" else ())}
    partitions, parents = set(request.named("partitions")), set(request.named("parents"))
    for account, user, partition, record in book.associations():
        if (kind == "user" and not user) or (kind == "account" and user):
            continue
        tests = (
            (accounts, account),
            (users, user),
            (partitions, partition),
            (parents, record.get("ParentName", "")),
        )
        if all(not wanted or actual in wanted for wanted, actual in tests):
            yield account, user, partition


def _told(ctl: Controller, verb: str, kind: str, outcome: Outcome) -> None:
    """Say in the journal what was done; limits that changed may let jobs start."""
    if not outcome.empty:
        cluster = ctl.cluster
        names = outcome.names or sorted({user or account for account, user, _ in outcome.associations})
        cluster.record("accounting", verb=verb, **{kind: ",".join(names)})
        cluster.pass_due = True

"""``sacctmgr modify``: changes of accounts, users, associations, QOS, clusters and jobs.

It raises `UserError` before it changes anything, or changes all that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from slimsched.controller.accounts.outcome import (
    Outcome,
    applied,
    check_clusters,
    check_names,
    check_qos,
    record_event,
    split,
)
from slimsched.controller.accounts.where import Association, Request, Setting, chosen, named_records
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, Record, key
from slimsched.slurm.limits import HANDED_DOWN

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

REPORTED = frozenset({"DefaultQOS", "QosLevel", "Priority", *HANDED_DOWN})
"""Options that associations take from the account above them; a change is reported for them, too."""


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change the records that ``where`` selects; without a name all of them."""
    book = Book(ctl.cluster)
    check_clusters(book, request)
    check_qos(book, request.settings)
    own, limits = split(request.kind, request.settings)
    if any(field.key == "RawUsage" for field, _, _ in own):
        return _clear_usage(ctl, request)
    outcome = Outcome(record=applied({}, own), limits=applied({}, limits), parents=book.parents())
    outcome.of_records, outcome.of_associations = bool(own), bool(limits) and request.kind != "cluster"
    changes: dict[str, Record] = {}
    if own or request.kind == "cluster":
        outcome.names = named_records(book, request)
        every = [*own, *limits] if request.kind == "cluster" else own
        changes |= {key(request.kind, n): applied(book.get(request.kind, n) or {}, every) for n in outcome.names}
    if limits and request.kind != "cluster":
        changes |= _limits(book, request, limits, outcome)
    outcome.refusal = _refusal(book, request.kind, changes, outcome)
    if outcome.refusal is None:
        _store(book, outcome, changes)
        outcome.refusal = _without_their_qos(book, limits, outcome)
        record_event(ctl, "modify", request.kind, outcome)
    return outcome


def _limits(book: Book, request: Request, limits: list[Setting], outcome: Outcome) -> dict[str, Record]:
    """Return the changed associations, and note them with those that inherit the change."""
    found = list(chosen(book, request))
    changes = {}
    for each in found:
        record = book.get("assoc", *each) or {}
        made = changes[key("assoc", *each)] = applied(record, limits)
        if not each[1] and "ParentName" in outcome.limits and not _moves(book, each[0], record, made):
            continue
        outcome.associations.append(each)
        if not each[1]:
            outcome.associations += _heirs(book, each[0], REPORTED & {field.key for field, _, _ in limits})
    outcome.associations = list(dict.fromkeys(outcome.associations))
    return changes


def _heirs(book: Book, account: str, options: Iterable[str]) -> Iterator[Association]:
    """Yield the users' associations that inherit one of some options from an account."""
    for name, user, partition, record in list(book.associations()):
        below = (user and name == account) or (not user and name != ROOT and book.parent(name) == account)
        left = [each for each in options if not record.get(each) or record[each][0] in "+-"]
        if below and left and user:
            yield name, user, partition
        elif below and left:
            yield from _heirs(book, name, left)


def _moves(book: Book, account: str, old: Record, new: Record) -> bool:
    """Whether an account gets another parent. Raises `UserError` if that one cannot be it."""
    parent = new["ParentName"] = new.get("ParentName", "").lower()
    if book.get("assoc", parent) is None:
        raise UserError(f" Parent Account {parent} doesn't exist.", level="plain")
    if key("assoc", account) in [name for name, _ in book.line(parent)]:
        raise UserError(f" Account '{parent}' can not be the parent of '{account}'.", level="plain")
    return parent != old.get("ParentName")


def _refusal(book: Book, kind: str, changes: dict[str, Record], outcome: Outcome) -> UserError | None:
    """Return why Slurm takes back the changes, None if it does not."""
    if kind == "user" and (account := outcome.record.get("DefaultAccount")):
        every = {(account, user) for account, user, _, _ in book.associations()}
        lost = [name for name in outcome.names if (account, name) not in every]
        if lost:
            head = f" Can't modify because these users aren't associated with new default account '{account}'..."
            lines = [f"  U = {name} C = {book.cluster_name}" for name in lost]
            return UserError("\n".join([head, *lines]), level="plain", stdout=True)
    if new := outcome.record.get("NewName", ""):
        check_names([new])
        if len(outcome.names) > 1:
            text = " If you are changing a users name you can only specify 1 user at a time."
            raise UserError(f" Error with request: Can only change one at a time\n{text}", level="plain")
    if kind == "qos" and any(_loops(book, changes, name) for name in outcome.names):
        text = "QOS Preemption loop detected"
        return UserError(f" Error with request: {text}", level="plain", preface=f"sacctmgr: error: {text}")
    return None


def _loops(book: Book, changes: dict[str, Record], start: str) -> bool:
    """Whether a QOS would preempt itself, by way of others."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = key("qos", waiting.pop())
        below = (changes.get(name) or book.records.get(name, {})).get("Preempt", "").split(",")
        if start in below:
            return True
        waiting += [each for each in below if each and each not in seen]
        seen.update(below)
    return False


def _without_their_qos(book: Book, limits: list[Setting], outcome: Outcome) -> UserError | None:
    """Return the complaint about associations that may not use their default QOS."""
    from slimsched.controller.accounts.delete import place

    if not any(field.key in {"DefaultQOS", "QosLevel"} for field, _, _ in limits):
        return None
    lines = []
    for each in outcome.associations:
        line = book.line(*each)
        usual = book.effective("DefaultQOS", line)
        if usual and usual not in book.qos_of(line):
            lines.append(f"  DefQOS = {usual:<10} {place(book, *each)}")
    if not lines:
        return None
    first = (
        "sacctmgr: error: \n These associations don't have access to their default qos.\n"
        " Please give them access before they the default can be set to this.\n"
    )
    text = " Error with request: This request would make it so some associations would not have access to their "
    return UserError(f"{text}default qos.", level="plain", preface=first + "\n".join(lines) + "\n")


def _store(book: Book, outcome: Outcome, changes: dict[str, Record]) -> None:
    new = outcome.record.get("NewName", "")
    for name, record in changes.items():
        record.pop("NewName", None)
        book.put(name, record)
    if new and outcome.names:
        _rename(book, outcome.names[0], new)


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
    for each in places:
        ledger.clear(each)
    record_event(ctl, "modify", request.kind, outcome)
    return outcome


def _rename(book: Book, old: str, new: str) -> None:
    """Give a user another name (``NewName``), with the associations."""
    book.put(key("user", new), book.get("user", old) or {})
    for account, user, partition, limits in list(book.associations()):
        if user == old:
            book.put(key("assoc", account, new, partition), limits)
            book.drop(key("assoc", account, old, partition))
    for name in book.names("wckey"):
        if name.startswith(f"{old} "):
            book.put(key("wckey", new, name.partition(" ")[2]), book.get("wckey", name) or {})
            book.drop(key("wckey", name))
    book.drop(key("user", old))

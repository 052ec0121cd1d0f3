"""``sacctmgr delete``: records go with all that depends on them, unless something still needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.records import Outcome, record_event
from slimsched.controller.accounts.where import Request, chosen, named_records
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, key

if TYPE_CHECKING:
    from slimsched.controller.accounts.where import Association
    from slimsched.controller.core import Controller


def delete(ctl: Controller, request: Request) -> Outcome:
    """Remove the records that ``where`` selects, with all that depends on them; it must name something."""
    book = Book(ctl.cluster)
    if not any(request.where.values()):
        raise UserError(" No conditions given to remove, not executing.", level="plain")
    if request.kind == "coordinator":
        return _delete_coordinators(ctl, book, request)
    if request.kind == "account" and ROOT in request.named("names", "accounts"):
        text = " You are not allowed to remove the root account.\n Use remove cluster instead."
        raise UserError(text, level="plain")
    outcome = Outcome()
    partly = set(request.where) - {"names", "descriptions", "organizations", "adminlevel", "defaultaccounts"}
    if request.kind in {"qos", "cluster"}:
        outcome.names = named_records(book, request)
    else:
        outcome.associations = list(chosen(book, _of_users(request) or request))
        if not partly:
            outcome.names = [name for name in named_records(book, request) if name != ROOT]
    gone = _with_all_below(book, outcome)
    _check_unused(ctl, request.kind, outcome, gone)
    _check_defaults(book, request.kind, outcome, gone)
    for name in outcome.names:
        book.drop(key(request.kind, name))
    for account, user, partition in gone:
        if account != ROOT or user:
            book.drop(key("assoc", account, user, partition))
    _forget_defaults(book, request.kind, outcome)
    record_event(ctl, "delete", request.kind, outcome)
    return outcome


def _of_users(request: Request) -> Request | None:
    """Return the associations of users that ``delete account where partition=`` selects; accounts have no partition."""
    if request.kind != "account" or not request.named("partitions"):
        return None
    where = {name: values for name, values in request.where.items() if name != "names"}
    return Request(kind="user", where={**where, "accounts": request.named("names", "accounts")})


def _with_all_below(book: Book, outcome: Outcome) -> list[Association]:
    """Return the associations to remove: with an account's also its users' and those of the accounts below it."""
    tops = {key("assoc", account) for account, user, _ in outcome.associations if not user and account != ROOT}
    beneath = [each[:3] for each in book.associations() if tops & {name for name, _ in book.line(each[0])}]
    return list(dict.fromkeys([*outcome.associations, *beneath]))


def _delete_coordinators(ctl: Controller, book: Book, request: Request) -> Outcome:
    outcome = Outcome()
    users, accounts = request.named("names"), [name.lower() for name in request.named("accounts")]
    for name in book.names("user"):
        record = book.get("user", name) or {}
        led = [account for account in record.get("Coordinators", "").split(",") if account]
        gone = [account for account in led if not accounts or account in accounts]
        if gone and (not users or name in users):
            left = ",".join(account for account in led if account not in gone)
            book.put(key("user", name), {**record, "Coordinators": left})
            outcome.associations += [(account, name, "") for account in gone]
    record_event(ctl, "delete", request.kind, outcome)
    return outcome


def _check_defaults(book: Book, kind: str, outcome: Outcome, gone: list[Association]) -> None:
    """Refuse to delete what others have as their default: a QOS of associations, an account of users with more."""
    if kind == "qos":
        held = [each for each in book.associations() if each[3].get("DefaultQOS") in outcome.names]
        if held:
            lines = [f"  DefQOS = {r['DefaultQOS']:<10} {place(book, a, u, p)}" for a, u, p, r in held]
            text = (
                " Please either remove the qos' listed above from list and resubmit,\n"
                " or change the default qos to remove the qos.\n Changes Discarded"
            )
            head = " Associations listed below have these as their Default QOS."
            raise UserError("\n".join([head, *lines, text]), level="plain")
    if kind == "account":
        accounts = {account for account, user, _ in gone if not user}
        every = list(book.associations())
        others = {user for account, user, _, _ in every if user and account not in accounts}
        held = [
            each
            for each in every
            if each[0] in accounts and each[1] in others and book.default_account(each[1]) == each[0]
        ]
        if held:
            lines = [f"  {place(book, a, u, p)}" for a, u, p, _ in held]
            head = " Error with request: You can not remove the default account of a user"
            text = (
                " Please either remove the accounts listed above from list and resubmit,\n"
                " or change these users' default accounts to remove the account(s).\n Changes Discarded"
            )
            raise UserError("\n".join([head, *lines, text]), level="plain")


def place(book: Book, account: str, user: str, partition: str) -> str:
    """Return the text by which Slurm names an association."""
    text = f"C = {book.cluster_name[:10]:<10} A = {account[:20]:<20}"
    if user:
        text += f" U = {user[:9]:<9}"
    return f"{text} P = {partition}" if partition else text


def _check_unused(ctl: Controller, kind: str, outcome: Outcome, gone: list[Association]) -> None:
    """Refuse to delete what unfinished jobs use."""
    names = set(outcome.names)
    pairs = {(account, user) for account, user, _ in gone}
    for job in ctl.cluster.jobs.values():
        if job.finished:
            continue
        if (kind == "qos" and job.request.qos in names) or (job.request.account, job.user_name) in pairs:
            text = f"  JobID = {job.job_id} of user {job.user_name}"
            raise UserError(f" Error with request: Job(s) active, cancel job(s) before remove\n{text}", level="plain")


def _forget_defaults(book: Book, kind: str, outcome: Outcome) -> None:
    """Remove what refers to a deleted record: default accounts, entries in lists of QOS."""
    for name in list(book.records):
        record = book.records[name]
        made = dict(record)
        if kind == "account" and record.get("DefaultAccount") in outcome.names:
            del made["DefaultAccount"]
        if kind == "qos" and "QosLevel" in record:
            left = [each for each in record["QosLevel"].split(",") if each not in outcome.names]
            made["QosLevel"] = ",".join(left)
        if not made.get("QosLevel", "x"):
            del made["QosLevel"]
        if made != record:
            book.put(name, made)

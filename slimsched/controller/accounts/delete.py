"""``sacctmgr delete``: records go with all that depends on them, unless something still needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.add import check_coordinators
from slimsched.controller.accounts.outcome import Outcome, record_event
from slimsched.controller.accounts.where import Request, chosen, named_records
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, key

if TYPE_CHECKING:
    from slimsched.controller.accounts.where import Association
    from slimsched.controller.core import Controller


OF_RECORDS = frozenset({"names", "descriptions", "organizations", "adminlevel", "defaultaccounts", "defaultwckeys"})
"""Conditions on accounts and users themselves: what they select goes with its associations, not these alone."""


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
    outcome = Outcome(parents=book.parents())
    partly = set(request.where) - OF_RECORDS
    if request.kind not in {"account", "user"}:
        outcome.names = named_records(book, request)
    else:
        of_associations = _of_users(request) or request
        if not partly:
            outcome.names = [name for name in named_records(book, request) if name != ROOT]
            of_associations = Request(request.kind, {"names": outcome.names})
        outcome.associations = list(chosen(book, of_associations)) if partly or outcome.names else []
    gone = _with_all_below(book, outcome)
    _check_defaults(book, request.kind, outcome, gone)
    _check_unused(ctl, book, request.kind, outcome, gone)
    for name in outcome.names:
        book.drop(key(request.kind, name))
    if request.kind == "cluster" and book.cluster_name in outcome.names:
        gone = [(account, user, partition) for account, user, partition, _ in book.associations()]
        book.remove_own_cluster()
    _drop(book, gone)
    if request.kind == "user" and not outcome.names:
        left = {user for _, user, _, _ in book.associations()}
        outcome.orphans = [name for name in dict.fromkeys(user for _, user, _ in gone) if name not in left]
        for name in outcome.orphans:
            book.drop(key("user", name))
    _forget(book, request.kind, outcome)
    record_event(ctl, "delete", request.kind, outcome)
    return outcome


def _drop(book: Book, gone: list[Association]) -> None:
    for account, user, partition in gone:
        if account != ROOT or user:
            book.drop(key("assoc", account, user, partition))


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
    users, accounts = request.named("names"), request.named("accounts")
    check_coordinators(book, users, accounts)
    outcome = Outcome(record={"Users": ",".join(users), "Accounts": ",".join(accounts)})
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


ADVICE = {
    "qos": (
        " Please either remove the qos' listed above from list and resubmit,\n"
        " or change the default qos to remove the qos."
    ),
    "account": (
        " Please either remove the accounts listed above from list and resubmit,\n"
        " or change these users' default accounts to remove the account(s)."
    ),
    "user": (
        " You must change the default account of these users or remove the users completely from the affected "
        "clusters to allow these changes."
    ),
}
"""Kind of record -> what to do if something still has it as its default."""


def _check_defaults(book: Book, kind: str, outcome: Outcome, gone: list[Association]) -> None:
    """Refuse to delete what others have as their default: a QOS of associations, an account of users with more."""
    if kind == "qos":
        head = " Associations listed below have these as their Default QOS."
        held = [each for each in book.associations() if each[3].get("DefaultQOS") in outcome.names]
        lines = [f"  DefQOS = {r['DefaultQOS']:<10} {place(book, a, u, p)}" for a, u, p, r in held]
    else:
        head = " Error with request: You can not remove the default account of a user"
        ends = set(gone) if kind == "account" or not outcome.names else set()
        left = {
            (account, user)
            for account, user, partition, _ in book.associations()
            if (account, user, partition) not in ends
        }
        users = {user for _, user in left}
        lost = sorted(
            {(a, u) for a, u, _ in ends if u in users and (a, u) not in left and book.default_account(u) == a}
        )
        lines = [f"  C = {book.cluster_name:<15} A = {account:<10} U = {user:<9}" for account, user in lost]
    if lines:
        raise UserError("\n".join([head, *lines, ADVICE[kind], " Changes Discarded"]), level="plain")


def place(book: Book, account: str, user: str, partition: str) -> str:
    """Return the text by which Slurm names an association."""
    text = f"C = {book.cluster_name[:10]:<10} A = {account[:20]:<20}"
    if user:
        text += f" U = {user[:9]:<9}"
    return f"{text} P = {partition}" if partition else text


def _check_unused(ctl: Controller, book: Book, kind: str, outcome: Outcome, gone: list[Association]) -> None:
    """Refuse to delete what unfinished jobs use."""
    names = set(outcome.names)
    pairs = {(account, user) for account, user, _ in gone}
    for job in ctl.cluster.jobs.values():
        asked = job.request
        if job.finished or not ((kind == "qos" and asked.qos in names) or (asked.account, job.user_name) in pairs):
            continue
        text = f"  JobID = {job.job_id:<10} C = {book.cluster_name:<10} A = {asked.account:<10} U = {job.user_name:<9}"
        text += f" Q = {asked.qos:<9}"
        raise UserError(f" Error with request: Job(s) active, cancel job(s) before remove\n{text}", level="plain")


def _forget(book: Book, kind: str, outcome: Outcome) -> None:
    """Remove what refers to a deleted record: default accounts, entries in lists of QOS, WCKeys of users."""
    users = {*outcome.orphans, *(outcome.names if kind == "user" else ())}
    for name in list(book.records):
        record = book.records[name]
        made = dict(record)
        if name.startswith("wckey ") and name.split(" ")[1] in users:
            book.drop(name)
            continue
        if kind == "account" and record.get("DefaultAccount") in outcome.names:
            del made["DefaultAccount"]
        for field in ("QosLevel", "Preempt") if kind == "qos" else ():
            left = [each for each in record.get(field, "").split(",") if each.lstrip("+-") not in outcome.names]
            made[field] = ",".join(left)
            if not made[field]:
                del made[field]
        if made != record:
            book.put(name, made)

"""Who may change which accounting records: administrators, operators, coordinators below their accounts.

A coordinator adds users to those accounts and accounts beneath them, and changes what is beneath; the limits of a led
account itself are for those who lead the one above it. Users change their own default account.
Source: slurmdbd and its storage plugin, the checks of a request's user; ``sacctmgr`` manual page, "coordinator".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.outcome import split
from slimsched.controller.accounts.where import Request, chosen
from slimsched.controller.requests import rights, users
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.cluster import Cluster

OF_ADMINISTRATORS = frozenset({"cluster", "federation", "qos", "resource"})
"""Kinds of records that only an administrator changes."""
NO_PRIVILEGE = "Your user doesn't have privilege to perform this action"
PROMOTION = "You can't promote a user to an admin level higher than your own"
NO_COORDINATOR = "Only admins/operators/coordinators can add accounts"
NO_OPERATOR = "Only admins/operators can add an admin/operator"
ELSEWHERE = "Coordinator {}({}) tried to add associations where they were not allowed"
OWN = frozenset({"DefaultAccount", "DefaultWCKey"})
"""What users change of themselves."""
CLOSED = "sacctmgr: error: Getting response to message type: DBD_FINI"
"""The last line: slurmdbd hangs up on whom it denies something."""
ADDED = {
    "cluster": "clusters",
    "coordinator": "coordinator",
    "federation": "federation(s)",
    "qos": "QOS",
    "resource": "resource",
}
"""Kinds of records whose addition is refused after it was announced, in the words of that message."""


def refusal(cluster: Cluster, verb: str, request: Request) -> UserError | None:
    """Return why the user who asks may not do this, None if nothing forbids it."""
    level = rights.level(cluster)
    if level == rights.ADMINISTRATOR:
        return None
    if request.kind in OF_ADMINISTRATORS:
        return _denied(verb, request.kind)
    if _raises(request, level):
        text = NO_OPERATOR if verb == "add" and level < rights.OPERATOR else PROMOTION
        return _denied(verb, request.kind, text)
    if level == rights.OPERATOR:
        return None
    if request.kind == "job":
        named = [job for job in cluster.jobs.values() if str(job.job_id) in request.named("names")]
        return None if all(rights.owns(cluster, job) for job in named) else _denied(verb, request.kind)
    asker, book = users.invoking(cluster), Book(cluster)
    led = {name for name in book.names("account") if asker.name in book.coordinators(name)}
    if verb == "add" and not led:
        return _denied(verb, request.kind, NO_COORDINATOR)
    touched = _touched(book, verb, request, asker.name)
    if touched is None or not led.issuperset(touched):
        return _denied(verb, request.kind, ELSEWHERE.format(asker.name, asker.uid) if verb == "add" else NO_PRIVILEGE)
    return None


def check_administrator(cluster: Cluster) -> None:
    """Refuse everybody but administrators. Raises `UserError`."""
    if rights.level(cluster) < rights.ADMINISTRATOR:
        raise _denied("modify", "")


def _denied(verb: str, kind: str, text: str = NO_PRIVILEGE) -> UserError:
    """Return the refusal as sacctmgr words it for a verb and a kind of record."""
    if verb == "add" and kind in ADDED:
        said = f" Problem adding {ADDED[kind]}: {Errno.ACCESS_DENIED.text}"
    elif verb == "add":
        said = f" error: {text}"
    else:
        said = f" Error with request: {Errno.ACCESS_DENIED.text}"
    preface = "" if verb == "add" else f"sacctmgr: error: {text}"
    return UserError(f"{said}\n{CLOSED}", level="plain", preface=preface)


def _raises(request: Request, level: int) -> bool:
    """Whether a user would get an admin level that is higher than the asker's."""
    given = [value.lower() for field, _, value in request.settings if field.key == "AdminLevel"]
    return any(rights.LEVELS[name] > level for value in given for name in rights.LEVELS if _names(name, value))


def _names(level: str, value: str) -> bool:
    return bool(value) and level.lower().startswith(value)


def _touched(book: Book, verb: str, request: Request, asker: str) -> set[str] | None:
    """Return the accounts that one must lead to do this, None if leading any does not help."""
    own, limits = split(request.kind, request.settings)
    if request.kind == "coordinator":
        return set(request.named("accounts"))
    if verb == "add" and request.kind == "account":
        return {next((value.lower() for field, _, value in limits if field.key == "ParentName"), ROOT)}
    if verb == "add":
        default = (value.lower() for field, _, value in own if field.key == "DefaultAccount")
        return {*request.named("accounts"), *default}
    if verb == "modify" and own:
        himself = request.kind == "user" and request.named("names", "users") == [asker]
        return set() if himself and not limits and {field.key for field, _, _ in own} <= OWN else None
    if verb == "delete" and request.kind == "account":
        return None
    return set(_above(book, chosen(book, request)))


def _above(book: Book, associations: Iterable[tuple[str, str, str]]) -> Iterable[str]:
    """Yield the account that is above each association: the user's own, the parent of an account."""
    for account, user, _ in associations:
        yield account if user else book.parent(account)

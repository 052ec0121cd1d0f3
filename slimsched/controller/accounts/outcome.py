"""The result of ``sacctmgr add``, ``modify`` or ``delete``, and what the three have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from slimsched.controller.accounts import options, values
from slimsched.controller.accounts.where import Association, Request, Setting
from slimsched.errors import UserError
from slimsched.model.account import Book, Record
from slimsched.model.record import Record as Plain

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


class Outcome(Plain):
    """The result of a verb: the records and associations that it touched, and what it set.

    ``of_records``, ``of_associations``: what a change is about. ``refusal``: why Slurm, after its first lines, changed
    nothing after all. ``skipped``: accounts that the verb passed over. ``wckeys``: user and name of each. ``orphans``:
    users that went with their last association. ``parents``: the account above each, as it was.
    """

    names: list[str] = []
    associations: list[Association] = []
    record: Record = {}
    limits: Record = {}
    cleared: bool = False  # usage was
    refusal: UserError | None = None
    skipped: list[str] = []
    wckeys: list[tuple[str, str]] = []
    orphans: list[str] = []
    parents: dict[str, str] = {}
    of_records: bool = False
    of_associations: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was done."""
        if (self.of_records and not self.names) or (self.of_associations and not self.associations):
            return True
        return not (self.names or self.associations or self.wckeys)

    def path(self, account: str) -> str:
        """Return an account with the one that was above it."""
        above = self.parents.get(account, "")
        return f"{account} of {above}" if above else account


OWN = {
    "account": options.ACCOUNT,
    "user": options.USER,
    "qos": options.QOS,
    "cluster": options.CLUSTER,
    "resource": options.RESOURCE,
    "federation": options.FEDERATION,
}
"""Kind -> the options of the record itself; the others are its associations'."""


def split(kind: str, settings: Iterable[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Return the settings of the record itself, and those of its associations."""
    own = {field.key for field in OWN.get(kind, ())}
    listed = list(settings)
    return [s for s in listed if s[0].key in own], [s for s in listed if s[0].key not in own]


def applied(record: Record, settings: Iterable[Setting]) -> Record:
    """Return a copy of a record with the settings put on it."""
    made = dict(record)
    for field, operator, value in settings:
        values.assign(made, field, operator, value)
    return made


def check_qos(book: Book, settings: Iterable[Setting]) -> None:
    """Refuse a QOS that nobody defined. Raises `UserError`."""
    known = sorted(book.names("qos"), key=lambda name: int((book.get("qos", name) or {}).get("ID", "0")))
    for field, _, value in settings:
        if field.key == "DefaultQOS" and value not in {"", "-1"} and value.lower() not in known:
            text = f"You gave a bad default qos '{value}'.  Use 'list qos' to get complete list."
            raise UserError(text, level="plain")
        if field.kind not in {values.QOS, values.PREEMPT}:
            continue
        named = (name.lstrip("+-").lower() for name in value.split(","))
        bad = next((name for name in named if name and name not in known), "")
        if bad:
            first = f"You gave a bad qos '{bad}'. Valid QOS's are {','.join(known)}"
            if field.kind is values.PREEMPT:
                raise UserError(first)
            text = f"You gave a bad qos '{value}'.  Use 'list qos' to get complete list."
            raise UserError(text, level="plain", preface=f"sacctmgr: error: {first}")


def check_names(names: Iterable[str]) -> None:
    """Refuse names that cannot stand in the keys of records. Raises `UserError`."""
    for name in names:
        if not name.isprintable() or any(c.isspace() for c in name):
            raise UserError(f" Bad name: {name!r}", level="plain")


def check_clusters(book: Book, request: Request) -> None:
    """Refuse the name of a cluster that was never added. Raises `UserError`."""
    known = {name.lower() for name in book.clusters()}
    for name in request.named("clusters"):
        if name.lower() not in known:
            text = f" This cluster '{name}' doesn't exist.\n        Contact your admin to add it to accounting."
            raise UserError(text, level="plain")


def record_event(ctl: Controller, verb: str, kind: str, outcome: Outcome) -> None:
    """Record in the journal what was done; changed limits may let jobs start."""
    if not outcome.empty:
        cluster = ctl.cluster
        names = outcome.names or sorted({user or account for account, user, _ in outcome.associations})
        names = names or sorted({user for user, _ in outcome.wckeys})
        cluster.record("accounting", verb=verb, **{kind: ",".join(names)})
        cluster.pass_due = True

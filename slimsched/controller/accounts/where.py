"""The ``where`` of ``sacctmgr``: the accounting records that a command selects."""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.controller.accounts.options import Option
from slimsched.model.account import Book
from slimsched.model.record import Record as Plain

Association = tuple[str, str, str]  # account, user ("": the account's own), partition
Setting = tuple[Option, str, str]  # field, operator, value


class Request(Plain):
    """The records that a command names (``where``) and their changes (``settings``)."""

    kind: str
    where: dict[str, list[str]] = {}
    settings: list[Setting] = []

    def named(self, *keys: str) -> list[str]:
        """Return the names given under any of some keys."""
        return [name for each in keys for name in self.where.get(each, ())]


FIELDS: dict[str, tuple[str, str]] = {
    "ids": ("ID", ""),
    "descriptions": ("Description", ""),
    "organizations": ("Organization", ""),
    "adminlevel": ("AdminLevel", "None"),
    "defaultaccounts": ("DefaultAccount", ""),
    "defaultwckeys": ("DefaultWCKey", ""),
    "preemptmode": ("PreemptMode", "cluster"),
    "classification": ("Classification", ""),
    "servers": ("Server", ""),
    "servertypes": ("ServerType", ""),
}
"""Condition -> the option of the record that it compares, and the value if that is not set."""
OF_ASSOCIATIONS = frozenset({"accounts", "users", "partitions", "parents", "qos", "defaultqos"})
"""Conditions that only an association can meet."""


def named_records(book: Book, request: Request) -> list[str]:
    """Return the names of the records of a kind that ``where`` selects."""
    kind = request.kind
    wanted = set(request.named("names"))
    found = [name for name in names(book, kind) if not wanted or name in wanted or name.partition("@")[0] in wanted]
    tests = [(FIELDS[each], request.named(each)) for each in request.where if each in FIELDS]
    if kind in {"account", "user"}:
        tests = [test for test in tests if test[0][0] != "ID"]
        if OF_ASSOCIATIONS & request.where.keys():
            there = {account if kind == "account" else user for account, user, _ in chosen(book, request)}
            found = [name for name in found if name in there]
    if kind == "qos":
        tests = [test for test in tests if test[0][0] != "Classification"]
    return [name for name in found if all(_has(book.get(kind, name) or {}, *test) for test in tests)]


def names(book: Book, kind: str) -> list[str]:
    """Return the names of all records of a kind, the cluster's own among the clusters."""
    return book.clusters() if kind == "cluster" else book.names(kind)


def _has(record: dict[str, str], field: tuple[str, str], wanted: list[str]) -> bool:
    value, abbreviated = record.get(field[0], field[1]).lower(), field[0] == "AdminLevel"
    named = (each.lower() for each in wanted)
    return not wanted or any(value.startswith(each) if abbreviated else value == each for each in named)


def chosen(book: Book, request: Request) -> Iterator[Association]:
    """Yield the associations that ``where`` selects: of users for users, of accounts for accounts."""
    kind = request.kind
    own = request.named("names")
    places = ("users", "partitions", "parents", "ids", "defaultqos", "accounts", "qos")
    wanted = {name: set(request.named(name)) for name in places}
    wanted["clusters"] = {name.lower() for name in request.named("clusters")}
    if kind in {"account", "user"}:
        wanted[f"{kind}s"] |= set(own)
    if wanted["clusters"] and book.cluster_name.lower() not in wanted["clusters"]:
        return
    for account, user, partition, record in book.associations():
        if (kind == "user" and not user) or (kind == "account" and user and not wanted["users"]):
            continue
        facts = {
            "accounts": {account},
            "users": {user},
            "partitions": {partition},
            "parents": set() if user else {record.get("ParentName", "")},
            "ids": {record.get("ID", "")},
            "defaultqos": {record.get("DefaultQOS", "")},
        }
        if wanted["qos"]:
            facts["qos"] = set(book.qos_of(book.line(account, user, partition)))
        if all(not names or names & facts.get(place, names) for place, names in wanted.items()):
            yield account, user, partition

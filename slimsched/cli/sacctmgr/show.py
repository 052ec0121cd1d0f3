"""``sacctmgr show`` (or ``list``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.accounting import style_of
from slimsched.controller.accounts import chosen
from slimsched.errors import UserError
from slimsched.model.account import Book
from slimsched.render import accounting, sacctmgr
from slimsched.render.sacctmgr import KINDS, WITH_ASSOCIATIONS, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.command import Given
    from slimsched.cli.sacctmgr.grammar import Words
    from slimsched.model.cluster import Cluster


TREE_WIDTH = -20  # of accounts that are moved to the right by their depth


def show(app: Application, given: Given, cluster: Cluster, words: Words) -> None:
    """Print the records of an entity."""
    if words.kind in SENTENCES:
        app.out(SENTENCES[words.kind](cluster))
        return
    kind = KINDS.get(words.kind)
    if kind is None:
        raise UserError(f" There are no records of {words.kind}", level="plain")
    joined = given.has("associations") or "withassoc" in words.flags
    usual = kind.format
    if joined and words.kind in {"user", "account"}:
        usual = ",".join([usual, *(name for name in WITH_ASSOCIATIONS.split(",") if name != words.kind)])
    fields = accounting.choose(kind.offered(), words.format or usual)
    if "tree" in words.flags:
        fields = [field.resized(TREE_WIDTH) if field.name == "Account" else field for field in fields]
    rows = _ROWS[words.kind](cluster, words) if not joined or words.kind not in _JOINED else _joined(cluster, words)
    lines = style_of(given).lines(fields, rows)
    if lines:
        app.out("\n".join(lines))


def _named(rows: list[Row], words: Words) -> list[Row]:
    """Return the rows whose names were asked for."""
    wanted = words.request.named("names", {"assoc": ""}.get(words.kind, f"{words.kind}s"))
    return [row for row in rows if not wanted or row.name in wanted]


def _plain(cluster: Cluster, words: Words) -> list[Row]:
    book = Book(cluster)
    return _named([Row(book, name, book.get(words.kind, name)) for name in book.names(words.kind)], words)


def _associations(cluster: Cluster, words: Words) -> list[Row]:
    book = Book(cluster)
    tree = "tree" in words.flags
    return [Row(book).on(*each, tree=tree) for each in chosen(book, words.request)]


def _joined(cluster: Cluster, words: Words) -> list[Row]:
    """Return users or accounts once for each of their associations, those without any once."""
    book = Book(cluster)
    rows = []
    for row in _plain(cluster, words):
        mine = [each for each in book.associations() if _belongs(words.kind, row.name, each[0], each[1])]
        accounts = {name.lower() for name in words.request.named("accounts")} if words.kind == "user" else set()
        kept = [each for each in mine if not accounts or each[0] in accounts]
        rows += [Row(book, row.name, row.record).on(*each[:3]) for each in kept] or ([] if accounts else [row])
    return rows


def _belongs(kind: str, name: str, account: str, user: str) -> bool:
    return user == name if kind == "user" else account == name


_JOINED = frozenset({"user", "account"})
_ROWS: dict[str, Callable[[Cluster, Words], Sequence[object]]] = {
    "account": _plain,
    "user": _plain,
    "assoc": _associations,
    "cluster": lambda cluster, words: _named(sacctmgr.cluster_rows(cluster), words),
    "qos": lambda cluster, words: _named(sacctmgr.qos_rows(cluster), words),
    "tres": lambda cluster, words: list(sacctmgr.tres_rows(cluster)),
    "event": lambda cluster, words: sacctmgr.events(cluster),
}


def _configuration(cluster: Cluster) -> str:
    keys = ("AccountingStorageEnforce", "AccountingStorageHost", "AccountingStorageTRES", "AccountingStorageType")
    lines = [f"{key:<22} = {cluster.config.get(key) or '(null)'}" for key in keys]
    return "\n".join(["Configuration data", *lines, f"{'ClusterName':<22} = {cluster.config.get('ClusterName')}"])


def _runaway(cluster: Cluster) -> str:
    return f"Runaway Jobs: No runaway jobs found on cluster {cluster.config.get('ClusterName')}"


SENTENCES: dict[str, Callable[[Cluster], str]] = {"configuration": _configuration, "runawayjobs": _runaway}
"""Entities that are answered by a text."""

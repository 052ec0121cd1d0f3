"""``sacctmgr show`` (or ``list``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from slimsched.cli.listing import STORAGE, document, form, print_table
from slimsched.cli.sacct.accounting import style_of
from slimsched.cli.sacctmgr import events
from slimsched.cli.sacctmgr.events import instant
from slimsched.controller.accounts.enforcement import tracks_wckeys
from slimsched.controller.accounts.where import OF_ASSOCIATIONS, Request, chosen, named_records
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, key, shares
from slimsched.render.accounts import problems, sacctmgr, sacctmgr_fields
from slimsched.render.accounts.sacctmgr import KINDS, RecordRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.cli.sacctmgr.grammar import Words
    from slimsched.controller.accounts.where import Association
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config
    from slimsched.render.accounts.transactions import Transaction

DOCUMENTS = frozenset({"account", "assoc", "cluster", "qos", "tres", "user"})
"""Kinds of records that have a form in JSON and YAML."""
JOINED = frozenset({"user", "account"})
"""Kinds of records that can be shown with their associations."""


def joined(given: Given, words: Words) -> bool:
    """Whether users or accounts are shown with their associations."""
    return words.kind in JOINED and (given.has("associations") or "withassoc" in words.flags)


def asks_in_vain(given: Given, words: Words) -> bool:
    """Whether conditions are given that count with associations only."""
    return words.kind in JOINED and not joined(given, words) and bool(OF_ASSOCIATIONS & words.request.where.keys())


def show(app: Application, given: Given, cluster: Cluster, words: Words) -> int:
    """Print the records of a kind; returns the exit code."""
    if words.kind in SENTENCES:
        app.out(SENTENCES[words.kind](cluster, words.request))
        return 0
    if words.kind in DOCUMENTS and form(given):
        return _document(app, given, cluster, words)
    kind = KINDS[words.kind]
    form_of = _usual(given, words, cluster.config) if words.format is None else words.format
    wanted = sacctmgr_fields.choose(form_of, kind.values, tree="tree" in words.flags)
    if words.kind in OF_HISTORY:
        rows: Sequence[object] = list(OF_HISTORY[words.kind](app, cluster, words))
    elif joined(given, words):
        rows = _with_associations(cluster, words)
    else:
        rows = _ROWS.get(words.kind, _none)(cluster, words)
    print_table(app, wanted, rows, style_of(given))
    return 0


def _document(app: Application, given: Given, cluster: Cluster, words: Words) -> int:
    """Print the records of a kind as JSON or YAML."""
    from slimsched.render.json import accounts as json_accounts

    rows = _with_associations(cluster, words) if joined(given, words) else _ROWS[words.kind](cluster, words)
    document(app, form(given), json_accounts.body(words.kind, cast("Sequence[RecordRow]", rows)), cluster, STORAGE)
    return 0


def _usual(given: Given, words: Words, config: Config) -> str:
    """Return the format that is used if none is given."""
    kind = KINDS[words.kind]
    parts = [kind.format]
    if words.kind == "user" and tracks_wckeys(config):
        parts = ["U,DefaultA,DefaultW,Ad"]
    if words.kind == "event" and events.kinds(words.request) == {"Cluster"}:
        parts = ["Cluster,TRES,Start,End,ClusterNodes"]
    if words.kind == "resource" and "withclusters" in words.flags:
        parts = ["Name,Server,Type,Count,LastConsumed,Allocated,ServerType,Cluster,Allowed,Flags"]
    if words.kind == "assoc" and words.flags & {"woplimits", "wolimits"}:
        parts = ["Cluster,Account,User,Part"]
    if joined(given, words):
        parts.append(kind.joined)
    if words.kind in JOINED and "withcoordinators" in words.flags:
        parts.append("Coord")
    return ",".join(parts)


def _none(_cluster: Cluster, _words: Words) -> list[RecordRow]:
    """Return no records: there are never any of this kind here."""
    return []


def _plain(cluster: Cluster, words: Words) -> list[RecordRow]:
    book = Book(cluster)
    rows = [RecordRow(book, name, book.get(words.kind, name)) for name in named_records(book, words.request)]
    return sorted(rows, key=lambda row: int(row.record.get("ID", "0"))) if words.kind == "qos" else rows


def _associations(cluster: Cluster, words: Words) -> list[RecordRow]:
    book = Book(cluster)
    if "withsubaccounts" in words.flags:
        tops = {key("assoc", name) for name in words.request.named("accounts")} - {key("assoc", ROOT)}
        every = [(account, user, partition) for account, user, partition, _ in book.associations()]
        found = [each for each in every if tops & {name for name, _ in book.line(*each)}]
    else:
        found = list(chosen(book, words.request))
    if "onlydefaults" in words.flags:
        found = [each for each in found if each[1] and book.default_account(each[1]) == each[0]]
    rows = [_row(book, each, words) for each in found]
    others = [] if words.request.where else [name for name in book.clusters() if name != book.cluster_name]
    return rows + [_row(book, (ROOT, user, ""), words).of(name) for name in others for user in ("", ROOT)]


def _row(book: Book, association: Association, words: Words) -> RecordRow:
    row = RecordRow(book).on(*association, tree="tree" in words.flags)
    row.raw = "withrawqoslevel" in words.flags
    return row.alone() if words.flags & {"woplimits", "wopinfo"} else row


def _with_associations(cluster: Cluster, words: Words) -> list[RecordRow]:
    """Return users or accounts once for each of their associations, those without any once.

    A condition on associations leaves out accounts, but of users only the associations, as in Slurm.
    """
    book = Book(cluster)
    narrowed = bool(OF_ASSOCIATIONS & words.request.where.keys())
    rows = []
    of_users = words.kind == "user"
    every = list(chosen(book, words.request)) if of_users or narrowed else [e[:3] for e in book.associations()]
    where = {name: values for name, values in words.request.where.items() if name not in OF_ASSOCIATIONS}
    for name in named_records(book, Request(words.kind, where) if of_users else words.request):
        record = book.get(words.kind, name)
        mine = [each for each in every if each[1 if of_users else 0] == name]
        found = [RecordRow(book, name, record).on(*each) for each in mine]
        found = found or ([] if narrowed and not of_users else [RecordRow(book, name, record)])
        for row in found:
            row.among = {account for account, _, _ in mine}
        rows += found
    return rows


def _wckeys(cluster: Cluster, words: Words) -> list[RecordRow]:
    """Return the WCKeys, once for each cluster that has them."""
    book, asked, rows = Book(cluster), words.request, []
    for place in book.names("wckey"):
        user, _, name = place.partition(" ")
        wanted = user in (asked.named("users") or [user]) and name in (asked.named("names") or [name])
        clusters = (book.get("wckey", place) or {}).get("Clusters", "").split(",") if wanted else ()
        chosen_ones = [each for each in clusters if each in (asked.named("clusters") or clusters)]
        rows += [RecordRow(book, name, {"User": user}).of(each) for each in chosen_ones]
    return rows


def _resources(cluster: Cluster, words: Words) -> list[RecordRow]:
    book, asked = Book(cluster), words.request
    rows = [RecordRow(book, place, book.get("resource", place)).of("") for place in named_records(book, asked)]
    if "withclusters" not in words.flags:
        return rows
    wanted = asked.named("clusters")
    return [row.of(each) for row in rows for each in shares(row.record) if not wanted or each in wanted]


def _federations(cluster: Cluster, words: Words) -> list[RecordRow]:
    """Return the federations, once for each of their clusters."""
    book, rows = Book(cluster), []
    for name in named_records(book, words.request):
        row = RecordRow(book, name, book.get("federation", name))
        rows += [row.of(each) for each in row.record.get("Clusters", "").split(",")]
    return rows


def _tres(cluster: Cluster, words: Words) -> list[RecordRow]:
    asked = words.request
    return [
        row
        for row in sacctmgr.tres_rows(cluster)
        if (not asked.named("types") or row.name in asked.named("types"))
        and (not asked.named("ids") or row.user in asked.named("ids"))
        and (not asked.named("names") or row.account in asked.named("names"))
    ]


def _transactions(app: Application, cluster: Cluster, words: Words) -> Iterable[Transaction]:
    """Return the changes of the accounting records that the conditions select."""
    from slimsched.render.accounts.transactions import action, transactions

    asked = words.request
    actions = [action(text) for text in asked.named("actions")]
    start, end = (instant(cluster, asked.named(name), usual) for name, usual in (("start", 0), ("end", 1 << 62)))
    tests: list[Callable[[Transaction], bool]] = [
        lambda row: start <= row.time < end,
        lambda row: not actions or row.action in actions,
        lambda row: not asked.named("actors") or row.actor in asked.named("actors"),
        lambda row: not asked.named("users") or bool(row.users & set(asked.named("users"))),
        lambda row: not asked.named("accounts") or bool(row.accounts & set(asked.named("accounts"))),
    ]
    return [row for row in transactions(cluster, app.store.history()) if all(test(row) for test in tests)]


_ROWS: dict[str, Callable[[Cluster, Words], Sequence[object]]] = {
    "account": _plain,
    "user": _plain,
    "cluster": _plain,
    "qos": _plain,
    "assoc": _associations,
    "wckey": _wckeys,
    "resource": _resources,
    "federation": _federations,
    "tres": _tres,
    "problem": lambda cluster, words: list(problems.found(Book(cluster), words.request)),
}


OF_HISTORY: dict[str, Callable[[Application, Cluster, Words], Iterable[object]]] = {
    "event": events.chosen,
    "txn": _transactions,
}
"""Kinds of records that the journal holds."""


def _configuration(cluster: Cluster, _asked: Request) -> str:
    from slimsched.render.accounts import configuration

    return "\n".join(configuration.lines(cluster))


def _runaway(cluster: Cluster, asked: Request) -> str:
    """Return that there are none: jobs and their accounting are one state."""
    names = asked.named("clusters") or [cluster.config.get("ClusterName")]
    if len(names) > 1:
        raise UserError("You can only fix runaway jobs on one cluster at a time.")
    return f"Runaway Jobs: No runaway jobs found on cluster {names[0]}"


def _stats(cluster: Cluster, _asked: Request) -> str:
    """Return what slurmdbd would say of its work: there is none, commands are the only clients."""
    spans = ("Hour", "Day", "Month")
    rollup = [f"\t{span:<5} count:0 ave_time:0 max_time:0 total_time:0" for span in spans]
    cluster_name = cluster.config.get("ClusterName")
    return "\n".join(
        [
            f"Rollup statistics for cluster {cluster_name}",
            *rollup,
            "",
            "Remote Procedure Call statistics by message type",
            "",
            "Remote Procedure Call statistics by user",
        ]
    )


SENTENCES: dict[str, Callable[[Cluster, Request], str]] = {
    "configuration": _configuration,
    "runaway": _runaway,
    "stats": _stats,
}
"""Kinds of records that are answered by a text."""

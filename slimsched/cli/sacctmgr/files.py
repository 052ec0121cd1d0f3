"""``sacctmgr dump`` and ``load``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.sacct.accounting import style_of
from slimsched.errors import UserError
from slimsched.model.account import Book
from slimsched.text import source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.controller.accounts.dump_file import Loaded
    from slimsched.controller.core import Controller
    from slimsched.render.accounts.sacctmgr import RecordRow

CHANGED = {
    "Fairshare": "fairshare",
    "GrpWall": "GrpWallDuration",
    "Description": "description",
    "Organization": "organization",
    "ParentName": "Parent",
    "DefaultAccount": "Default Account",
    "DefaultWCKey": "Default WCKey",
    "AdminLevel": "Admin Level",
    "QosLevel": "QOS",
}
"""Options -> their names in the report of a change, where those differ."""
LIMITS = (
    "Share,GrpTRESM,GrpTRESR,GrpTRES,GrpJ,GrpJobsA,GrpMEM,GrpN,GrpS,GrpW,MaxTRESM,MaxTRES,MaxTRESPerN,MaxJ,MaxS,MaxN,"
    "MaxW,QOS,DefaultQOS"
)


def _read(words: Sequence[str]) -> tuple[list[str], dict[str, str], bool]:
    """Return the plain words, ``file=`` and ``cluster=``, and whether ``clean`` was said."""
    plain: list[str] = []
    given: dict[str, str] = {}
    clean = False
    for word in words:
        name, equals, value = word.partition("=")
        full = next((full for full in ("cluster", "file") if equals and name and full.startswith(name.lower())), "")
        if full and full in given:
            said = {"file": f" File name already set to {given[full]}"}
            raise UserError(
                said.get(full, f" Can only do one cluster at a time.  Already doing {given[full]}"), level="plain"
            )
        if full:
            given[full] = value
        elif equals:
            raise UserError(f" Unknown option: {word}", level="plain")
        elif word.lower() == "clean":
            clean = True
        else:
            plain.append(word)
    return plain, given, clean


def dump(app: Application, given: Given, ctl: Controller, words: list[str]) -> int:
    """Write the cluster's file."""
    from slimsched.controller.accounts.dump_file import dump as text_of

    plain, named, _ = _read(words)
    book = Book(ctl.cluster)
    cluster = named.get("cluster") or (plain[0] if plain else "")
    if not cluster:
        raise UserError(" We need a cluster to dump.", level="plain")
    if cluster.lower() != book.cluster_name.lower():
        raise UserError(f" Cluster {cluster} doesn't exist.", level="plain")
    path = named.get("file") or f"./{cluster}.cfg"
    if "file" not in named:
        app.out(f" No filename given, using {path}.")
    text = text_of(book)
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as fault:
        raise UserError(f"Can't open file {path}, {fault.strerror}", level="plain") from None
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for number, line in enumerate(lines):  # those up to the cluster's are one message
        bare = number and not lines[number - 1].startswith("Cluster") and line.startswith(("QOS", "Cluster"))
        app.err(line if bare else f"sacctmgr: {line}")
    return 0


def load(app: Application, given: Given, ctl: Controller, words: list[str]) -> int:
    """Add and change what a file says."""
    from slimsched.cli.sacctmgr.agreement import agreed
    from slimsched.controller.accounts import dump_file, undo
    from slimsched.render.accounts import sacctmgr_texts as texts

    plain, named, clean = _read(words)
    path = named.get("file") or (plain[0] if plain else "")
    if not path:
        raise UserError(" No filename given, specify one with file=''", level="plain")
    try:
        text = source.read_text(path, "surrogateescape")
    except OSError as fault:
        raise UserError(f' Unable to read "{path}": {fault.strerror}', level="plain") from None
    before = undo.Savepoint(ctl)
    try:
        loaded = dump_file.load(ctl, list(dump_file.parse(text)), named.get("cluster", ""), clean=clean)
    except UserError:
        before.restore(ctl)
        raise
    app.out("\n".join(_said(given, Book(ctl.cluster), loaded)))
    if not loaded.empty:
        app.err("sacctmgr: Done adding cluster in usec=0")
    if loaded.refusal is not None:
        before.restore(ctl)
        app.out(texts.NOTHING_ADDED)
        return app.report(loaded.refusal)
    if loaded.empty:
        app.out(texts.NOTHING_ADDED)
    elif not agreed(app, given, texts.COMMIT):
        app.out(texts.DISCARDED)
        before.restore(ctl)
    return 0


def _said(given: Given, book: Book, loaded: Loaded) -> list[str]:
    """Return the report of a load: the changes, then a table for each kind of new record."""
    from slimsched.render.accounts.sacctmgr import KINDS
    from slimsched.render.accounts.sacctmgr_fields import choose

    lines = [f"For cluster {loaded.cluster}"]
    if loaded.orphans:
        lines.append(
            " No parent given creating off root, If incorrect specify 'Parent - name' before any children in your file"
        )
    for option, kind, name, old, new in loaded.changes:
        head = f" Changed {CHANGED.get(option, option)}"
        lines.append(f"{head[:30]:<30} for {kind:<7} {name[:10]:<10} {old or '(null)':>8} -> {new}")
    for title, kind, form, rows in _tables(book, loaded):
        if rows:
            rule = "-" * (62 if kind == "assoc" else 51)
            lines += [title, *choose(form, KINDS[kind].values).lines(rows, style_of(given)), rule, ""]
    return lines


def _tables(book: Book, loaded: Loaded) -> list[tuple[str, str, str, list[RecordRow]]]:
    """Return the tables of the new records: title, kind, format and rows of each."""
    from slimsched.render.accounts.sacctmgr import RecordRow

    accounts = [RecordRow(book, name, book.get("account", name)) for name in loaded.accounts]
    of_accounts = [_as_given(RecordRow(book).on(name, "", "")) for name in loaded.associations]
    unset = {"AdminLevel": "Not Set"}
    users = [RecordRow(book, name, {**unset, **(book.get("user", name) or {})}) for name in loaded.users]
    of_users = [_as_given(RecordRow(book).on(*each)) for each in loaded.user_associations]
    return [
        ("Accounts", "account", "Name,Description,Organization,QOS", accounts),
        ("Account Associations", "assoc", f"Account,ParentName,{LIMITS}", of_accounts),
        ("Users", "user", "Name,DefaultA,DefaultW,QOS,Admin,Coord", users),
        ("User Associations", "assoc", f"User,Account,{LIMITS}", of_users),
    ]


def _as_given(row: RecordRow) -> RecordRow:
    row.raw = True
    return row.alone("")


COMMANDS: dict[str, Callable[[Application, Given, Controller, list[str]], int]] = {"dump": dump, "load": load}
"""Command -> its function."""

"""The command line of ``sacctmgr``: one command, or many from a file or standard input, a line each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from slimsched.cli import program, prompted
from slimsched.cli.program import PLAIN, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.sacct.accounting import refuse_disabled
from slimsched.cli.sacctmgr import grammar
from slimsched.cli.sacctmgr.agreement import agreed
from slimsched.errors import SimError, UserError
from slimsched.model.account import Book
from slimsched.text import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.sacctmgr.grammar import Words
    from slimsched.controller.accounts.outcome import Outcome
    from slimsched.controller.accounts.where import Request
    from slimsched.controller.core import Controller

OPTIONS = (
    Option("associations", "s", help="show users and accounts with their associations"),
    Option("delimiter", "", "text", "separator of the values for -p and -P"),
    Option("immediate", "i", help="do not ask before changes"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("local", "", "", "this cluster only", RECORDED, "there is one cluster only"),
    Option("noheader", "n", help="no header"),
    Option("oneliner", "o", "", "one line for each record", RECORDED, "it always is"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("quiet", "Q", "", "print less", RECORDED, "reports are printed all the same, as by Slurm"),
    Option("readonly", "r", help="no changes"),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    PLAIN,
    *STANDARD_H,
)
KEYWORDS = (
    ("show ENTITY [NAME=VALUE...]", "list records; also list"),
    ("add ENTITY NAMES [NAME=VALUE...]", "add records; also create"),
    ("modify ENTITY [where] NAME=VALUE... set NAME=VALUE...", "change records; also update"),
    ("delete ENTITY [where] NAME=VALUE...", "remove records; also remove"),
    ("dump [CLUSTER] [file=FILE]", "write accounts, users and limits to a file for load"),
    ("load FILE [clean] [cluster=NAME]", "add and change what a file says; clean: remove everything else first"),
    ("clear stats", "reset the counters of slurmdbd (there are none)"),
    ("ping", "say that slurmdbd is up (the state directory takes its place)"),
    ("archive dump|load", "nothing to dump: ended jobs are in the archive already; load is refused"),
    ("associations", "from now on, show users and accounts with their associations"),
    ("quiet, verbose, readonly, oneliner", "from now on, do as the options of these names"),
    ("version, help, exit", "print the version, list the commands, leave sacctmgr"),
)
"""Commands and their effects, for the help text."""
TOO_MANY = dict.fromkeys(("verbose", "readonly", "version"), "too many arguments for {} keyword")
"""What is said of a word too many, where it is said in other words than of the rest."""
SWITCHES = frozenset({"associations", "oneliner", "quiet", "readonly", "verbose"})
"""Commands that do what an option does."""
CHANGES = frozenset({"add", "modify", "delete", "load", "archive"})
IDLE = frozenset({"ping", "reconfigure", "shutdown", "rollup"})
"""Commands for a slurmdbd, which does not exist here: they do nothing."""
OF_ADMINISTRATORS = frozenset({"archive", "clear", "load", "reconfigure", "rollup", "shutdown"})
"""Commands that slurmdbd refuses to everybody else."""


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Run the command of the words, or those in a file, or those on standard input."""
    if not args:
        return _interactive(app, given)
    if len(args) > 1 or not os.path.isfile(args[0]):
        return _session(app, given, [args])
    text = source.read_text(args[0], "surrogateescape")
    return _session(app, given, list(_commands(text.splitlines())))


def _interactive(app: Application, given: Given) -> int:
    """Run the commands on standard input, each in a session of its own, until ``exit`` or the end; 1 after any error.

    An empty line and a comment count as errors, as in the real command. The line behind a question answers it.
    """
    code = 0
    for words in prompted.lines(app, comment="#"):
        try:
            code = (_session(app, given, [[_bare(word) for word in words]]) if words else 1) or code
        except SimError as fault:
            code = app.report(fault)
        if words and grammar.command(words[0]) == "exit":
            break
    return code


def _bare(word: str) -> str:
    """Return a word without its quotes."""
    text, quote = "", ""
    for char in word:
        if char == quote:
            quote = ""
        elif char in "\"'" and not quote:
            quote = char
        else:
            text += char
    return text


def _commands(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each line that has some, up to the one that ends the list."""
    for number, line in enumerate(lines, 1):
        try:
            words = _words(line)
        except UserError as fault:
            raise UserError(f"line {number}: {fault}") from None
        if words and grammar.command(words[0]) == "exit":
            break
        if words:
            yield words


def _words(line: str) -> list[str]:
    """Return the words of a line, none for a comment. Raises UserError."""
    import shlex

    try:
        return shlex.split(line, comments=True)
    except ValueError as fault:
        raise UserError(str(fault)) from None


def _session(app: Application, given: Given, commands: list[list[str]]) -> int:
    """Run commands one after the other; each refusal is printed, and the others are still run."""
    code = 0
    with app.session(write=any(grammar.command(words[0]) in CHANGES for words in commands)) as ctl:
        refuse_disabled(ctl.cluster)
        for words in commands:
            try:
                code = _one(app, given, ctl, words) or code
            except UserError as refusal:
                if len(commands) == 1:
                    raise
                code = app.report(refusal)
    return code


def _one(app: Application, given: Given, ctl: Controller, words: list[str]) -> int:
    """Run one command; returns its exit code."""
    verb = grammar.command(words[0])
    if verb is None:
        from slimsched.text import alike

        notes = alike.hint("keyword", words[0], grammar.following([]))
        raise UserError(f"invalid keyword: {words[0]}", level="plain", notes=notes)
    if verb in SWITCHES | {"version", "help", "exit"}:
        return _switch(app, given, verb, words)
    if verb in CHANGES and given.has("readonly"):
        raise UserError("Can't run this command in readonly mode.", level="plain")
    if verb in OF_ADMINISTRATORS:
        from slimsched.controller.accounts import permission

        permission.check_administrator(ctl.cluster)
    if verb in {"dump", "load"}:
        from slimsched.cli.sacctmgr import files

        return files.COMMANDS[verb](app, given, ctl, words[1:])
    if verb == "ping":
        app.out(f"slurmdbd(primary) at {ctl.cluster.config.get('AccountingStorageHost') or 'localhost'} is UP")
    if verb in IDLE:
        return 0
    kind = grammar.entity(verb, words[1] if len(words) > 1 else "")
    return _on_records(app, given, ctl, verb, kind, words[2:])


def _on_records(app: Application, given: Given, ctl: Controller, verb: str, kind: str, words: list[str]) -> int:
    """Run a command on records of a kind; returns its exit code."""
    if verb == "clear":
        return 0
    if verb == "archive":
        from slimsched.cli.sacctmgr import archive

        return archive.COMMANDS[kind](app, given, words)
    read = grammar.Words(verb, kind, words)
    for fault in read.faults:
        app.report(fault)
    if read.refused:
        return 1
    return _show(app, given, ctl, read) if verb == "show" else _change(app, given, ctl, read)


def _switch(app: Application, given: Given, verb: str, words: list[str]) -> int:
    """Set an option from here on, or print the version or the help text."""
    if len(words) > 1:
        raise UserError(TOO_MANY.get(verb, "too many arguments for keyword:{}").format(words[0]), level="plain")
    if verb == "exit":
        return 0
    if verb == "version":
        app.out(f"slurm {program.version(app)}")
    elif verb == "help":
        app.out(command.help())
    else:
        given.pairs.append((Option(verb), None))
    return 0


def _show(app: Application, given: Given, ctl: Controller, words: Words) -> int:
    from slimsched.cli.sacctmgr import show
    from slimsched.render.accounts import sacctmgr_texts as texts

    if show.asks_in_vain(given, words) and not agreed(app, given, texts.ONLY_JOINED):
        app.out("Aborted")
        return 0
    _remark(app, ctl, words)
    return show.show(app, given, ctl.cluster, words)


_CONDITIONS = {
    "user": {"names": "user", "users": "user", "accounts": "account"},
    "account": {"names": "account", "accounts": "account"},
    "qos": {"names": "QOS"},
    "assoc": {"users": "user", "accounts": "account"},
}
"""Entity -> its conditions that name records, and the kind of these."""


def _remark(app: Application, ctl: Controller, words: Words) -> None:
    """Say which of the names that found nothing nobody knows."""
    from slimsched.controller.requests import strangers

    request = words.request
    for condition, kind in _CONDITIONS.get(request.kind, {}).items():
        if words.verb == "add" and kind.lower() == request.kind:
            continue  # it is to be new
        app.remarks += strangers.kept(ctl.cluster, kind, request.where.get(condition, ()))


def _change(app: Application, given: Given, ctl: Controller, words: Words) -> int:
    """Add, modify or delete records, print the changes, and undo them if nobody agrees."""
    from slimsched.controller.accounts import add, delete, jobs, modify, permission, shares, undo
    from slimsched.render.accounts import sacctmgr_texts as texts

    verbs: dict[str, tuple[Callable[[Controller, Request], Outcome], Callable[[str, Outcome, str], list[str]]]] = {
        "add": (add.add, texts.added),
        "modify": (modify.modify, texts.modified),
        "delete": (delete.delete, texts.deleted),
    }
    request, (do, say) = words.request, verbs[words.verb]
    if request.kind == "job":
        do = jobs.modify
    if request.kind == "resource" and words.verb != "add":
        do = getattr(shares, words.verb)
    if words.verb == "modify" and not request.where and not agreed(app, given, texts.EVERYTHING):
        app.out("Aborted")
        return 0
    denied = permission.refusal(ctl.cluster, words.verb, request)
    if denied is not None and not (words.verb == "add" and request.kind in permission.ADDED):
        raise denied
    before = undo.Savepoint(ctl)
    outcome = do(ctl, request)
    outcome.refusal = outcome.refusal or denied
    app.out("\n".join(say(request.kind, outcome, next(iter(Book(ctl.cluster).clusters()), ""))))
    if outcome.refusal is not None:
        before.restore(ctl)
        return app.report(outcome.refusal)
    if outcome.empty:
        _remark(app, ctl, words)
        if request.kind == "job":
            app.err("sacctmgr: No error")
        return 1
    if not agreed(app, given, texts.RESET if outcome.cleared else texts.COMMIT):
        app.out(texts.DISCARDED)
        before.restore(ctl)
    return 0


command = Program(
    "sacctmgr",
    OPTIONS,
    run,
    summary="Show and change accounts, users, associations and QOS",
    arguments="[COMMAND ENTITY [NAME=VALUE...] | FILE]",
    keywords=lambda: {"Commands": KEYWORDS},
)

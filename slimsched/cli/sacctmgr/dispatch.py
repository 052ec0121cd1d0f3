"""The command line of ``sacctmgr``: one command, or many from a file or standard input, a line each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from slimsched.cli.accounting import refuse_disabled
from slimsched.cli.command import RECORDED, REFUSED, STANDARD_H, Given, Option, SlurmCommand
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.controller.accounts import Outcome, Request
    from slimsched.controller.core import Controller

OPTIONS = (
    Option("associations", "s", help="show users and accounts with their associations"),
    Option("delimiter", "", "text", "what stands between the values of -p and -P"),
    Option("immediate", "i", help="do not ask before changes"),
    Option("json", "", "[data_parser]", "answer in JSON", REFUSED, "use -P"),
    Option("local", "", "", "this cluster only", RECORDED, "there is one cluster only"),
    Option("noheader", "n", help="no header"),
    Option("oneliner", "o", "", "one line for each record", RECORDED, "it always is"),
    Option("parsable", "p", help="values with | behind each"),
    Option("parsable2", "P", help="values with | between them"),
    Option("quiet", "Q", help="print nothing but errors and what is shown"),
    Option("readonly", "r", help="no changes"),
    Option("verbose", "v", "", "say more", RECORDED, "there is nothing more to say"),
    Option("yaml", "", "[data_parser]", "answer in YAML", REFUSED, "use -P"),
    *STANDARD_H,
)
SHOW = ("show", "list")
VERBS = {"add": "add", "create": "add", "modify": "modify", "update": "modify", "delete": "delete", "remove": "delete"}
KEYWORDS = (
    ("show ENTITY [NAME=VALUE...]", "list records; also list"),
    ("add ENTITY NAMES [NAME=VALUE...]", "add records; also create"),
    ("modify ENTITY [where] NAME=VALUE... set NAME=VALUE...", "change records; also update"),
    ("delete ENTITY [where] NAME=VALUE...", "remove records; also remove"),
)
"""Commands, and what they do, for the help text."""
QUIT = frozenset({"exit", "quit", "\\q"})


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Do what the words say, or the lines of a file, or those of standard input."""
    if args and not (len(args) == 1 and os.path.isfile(args[0])):
        return _session(app, given, [args])
    if args:
        with open(args[0], encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    else:
        lines = sys.stdin.read().splitlines()
    return _session(app, given, _commands(lines))


def _commands(lines: Iterable[str]) -> list[list[str]]:
    """Return the words of each line that is no comment, until one that ends the list."""
    import shlex

    found = []
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as fault:
            raise UserError(f"line {number}: {fault}") from None
        if words and words[0] in QUIT:
            break
        if words:
            found.append(words)
    return found


def _session(app: Application, given: Given, commands: list[list[str]]) -> int:
    """Run commands one after the other; each that is refused is told, and the others are still done."""
    code = 0
    changes = any(_verb(words[0]) for words in commands)
    with app.session(write=changes) as ctl:
        refuse_disabled(ctl.cluster)
        for words in commands:
            try:
                _one(app, given, ctl, words)
            except UserError as refusal:
                if len(commands) == 1:
                    raise
                code = app.report(refusal)
    return code


def _verb(word: str) -> str | None:
    """Return the changing verb that a word begins."""
    lowered = word.lower()
    return next((verb for name, verb in VERBS.items() if len(lowered) > 1 and name.startswith(lowered)), None)


def _one(app: Application, given: Given, ctl: Controller, words: list[str]) -> None:
    from slimsched.cli.sacctmgr import grammar, show

    verb = _verb(words[0])
    shows = any(name.startswith(words[0].lower()) for name in SHOW)
    if not (verb or shows):
        raise UserError(f"invalid keyword: {words[0]}", level="bare")
    kind = grammar.entity(words[1] if len(words) > 1 else "")
    if shows:
        show.show(app, given, ctl.cluster, grammar.Words(kind, words[2:], setting=False))
        return
    if given.has("readonly"):
        raise UserError(f"Can't run this command in readonly mode: {' '.join(words)}", level="plain")
    _change(app, given, ctl, verb or "", grammar.Words(kind, words[2:], setting=verb == "add").request)


def _change(app: Application, given: Given, ctl: Controller, verb: str, request: Request) -> None:
    from slimsched.controller import accounts
    from slimsched.render import sacctmgr_texts as texts

    if request.kind not in texts.PLURALS or (request.kind == "assoc" and verb != "delete"):
        raise UserError(f" There is no way to {verb} {request.kind}", level="plain")
    if verb == "modify" and not request.settings:
        raise UserError(" You didn't give me anything to set", level="plain")
    verbs: dict[str, tuple[Callable[[Controller, Request], Outcome], Callable[[str, Outcome, str], list[str]]]] = {
        "add": (accounts.add, texts.added),
        "modify": (accounts.modify, texts.modified),
        "delete": (accounts.delete, texts.deleted),
    }
    do, say = verbs[verb]
    if not given.has("immediate") and not _agreed(app, verb, request, texts.QUESTION):
        app.out(texts.DISCARDED)
        return
    outcome = do(ctl, request)
    if not given.has("quiet"):
        app.out("\n".join(say(request.kind, outcome, ctl.cluster.config.get("ClusterName"))))


def _agreed(app: Application, verb: str, request: Request, question: str) -> bool:
    """Ask before a change; what is not answered with yes is not done."""
    names = ",".join(request.named("names", "users", "accounts")) or "all"
    answer = app.ask(f" About to {verb} {request.kind} {names}\n{question}")
    return answer.strip().lower() in {"y", "yes"}


command = SlurmCommand(
    "sacctmgr",
    OPTIONS,
    run,
    summary="Show and change accounts, users, associations and QOS",
    arguments="[COMMAND ENTITY [NAME=VALUE...] | FILE]",
    keywords=lambda: list(KEYWORDS),
)

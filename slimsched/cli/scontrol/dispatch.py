"""The command ``scontrol``: options, the table of keywords, and the interactive mode over standard input.

A keyword may be cut down to the letters that its line of `KEYWORDS` asks for. Its function gets the application, the
words after the keyword and the settings, and returns an exit code or None for 0.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.command import RECORDED, STANDARD_H, Given, Option, SlurmCommand
from slimsched.cli.getopt import Scanner
from slimsched.cli.scontrol import keyword_help
from slimsched.cli.scontrol.settings import Settings
from slimsched.errors import SimError, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application

ONE_CLUSTER = "there is one cluster only"
PROMPT = "scontrol: "

OPTIONS = (
    Option("all", "a", help="show hidden partitions too"),
    Option("details", "d", help="show more of each record"),
    Option("federation", "", help="jobs of the federation", status=RECORDED, note=ONE_CLUSTER),
    Option("future", "F", help="show nodes in state FUTURE too"),
    Option("hide", "", help="leave hidden partitions out"),
    Option("json", "", "[parser]", help="print JSON"),
    Option("local", "", help="jobs of this cluster", status=RECORDED, note=ONE_CLUSTER),
    Option("cluster", "M", "name", "cluster to talk to", RECORDED, ONE_CLUSTER),
    Option("clusters", "", "name", status=RECORDED, note=ONE_CLUSTER, alias_of="cluster"),
    Option("oneliner", "o", help="print each record on one line"),
    Option("quiet", "Q", help="print no messages"),
    Option("sibling", "", help="sibling jobs", status=RECORDED, note=ONE_CLUSTER),
    Option("uid", "u", "user", "update as this user", RECORDED, "whoever can write the state may change everything"),
    Option("verbose", "v", "", "say more", RECORDED, "there is nothing more to say"),
    Option("yaml", "", "[parser]", help="print YAML"),
)


class Keyword(NamedTuple):
    """One keyword: the fewest letters that mean it, its function, and how many words may follow it.

    ``wording`` is how slurmctld names the keyword when words are missing.
    """

    name: str
    letters: int
    target: str
    least: int = 0
    most: int | None = None
    wording: str = "keyword:{0}"


HERE = "slimsched.cli.scontrol."

WITH_OPTIONS = frozenset({"show", "ping"})
"""Keywords that options may follow: ``show job -d 1``, ``ping --json``."""

KEYWORDS = (
    Keyword("abort", 5, "misc:no_daemon"),
    Keyword("all", 3, "misc:switch", 0, 0),
    Keyword("cancel_reboot", 3, "misc:cancel_reboot", 1, 1),
    Keyword("cluster", 2, "misc:nothing", 0, 1),
    Keyword("completing", 2, "misc:completing", 0, 0),
    Keyword("create", 2, "entities:create", 1, None, "{1} keyword"),
    Keyword("delete", 2, "entities:delete", 1, None, "{1} keyword"),
    Keyword("details", 2, "misc:switch", 0, 0),
    Keyword("errnumstr", 2, "misc:errnumstr", 1, 1),
    Keyword("exit", 1, "misc:leave", 0, 0),
    Keyword("fsdampeningfactor", 3, "misc:nothing", 1, 1),
    Keyword("getaddrs", 4, "misc:getaddrs", 1, 1),
    Keyword("help", 2, "misc:helped", 0, 0),
    Keyword("hide", 2, "misc:switch", 0, 0),
    Keyword("holdu", 5, "jobs:uhold", 1),
    Keyword("hold", 4, "jobs:hold", 1),
    Keyword("listjobs", 5, "misc:nothing"),
    Keyword("listpids", 5, "misc:nothing"),
    Keyword("liststeps", 5, "misc:nothing"),
    Keyword("notify", 1, "jobs:notify", 2),
    Keyword("callerid", 4, "misc:nothing", 1),
    Keyword("oneliner", 1, "misc:switch", 0, 0),
    Keyword("pidinfo", 3, "misc:nothing", 1, 1),
    Keyword("ping", 3, "misc:ping", 0, 0),
    Keyword("power", 3, "misc:power", 2),
    Keyword("quiet", 4, "misc:switch", 0, 0),
    Keyword("quit", 4, "misc:leave", 0, 0),
    Keyword("reboot", 4, "misc:reboot", 1),
    Keyword("reconfigure", 3, "misc:reconfigure", 0, 0),
    Keyword("release", 3, "jobs:release", 1),
    Keyword("requeuehold", 8, "jobs:requeuehold", 1),
    Keyword("requeue", 3, "jobs:requeue", 1),
    Keyword("resume", 3, "jobs:resume", 1),
    Keyword("schedloglevel", 3, "misc:nothing", 1, 1),
    Keyword("setdebugflags", 9, "misc:nothing", 1),
    Keyword("setdebug", 2, "misc:nothing", 1, 1),
    Keyword("show", 2, "show:show"),
    Keyword("shutdown", 8, "misc:no_daemon"),
    Keyword("suspend", 2, "jobs:suspend", 1),
    Keyword("takeover", 8, "misc:no_daemon"),
    Keyword("token", 3, "misc:no_daemon"),
    Keyword("top", 3, "jobs:top", 1),
    Keyword("uhold", 5, "jobs:uhold", 1),
    Keyword("update", 1, "update:update", 1, None, "{1} keyword"),
    Keyword("verbose", 4, "misc:switch", 0, 0),
    Keyword("version", 4, "misc:version", 0, 0),
    Keyword("wait_job", 2, "jobs:wait_job", 1, 1),
    Keyword("write", 5, "misc:write", 1),
)


def find(word: str) -> Keyword | None:
    """Return the keyword that a word means: an abbreviation of it, or (``holdx``) ``hold`` with anything after it."""
    for keyword in KEYWORDS:
        if len(word) >= keyword.letters and keyword.name.startswith(word.lower()):
            return keyword
    return next((k for k in KEYWORDS if k.name == "hold" and word.startswith(k.name)), None)


def process(app: Application, words: list[str], settings: Settings) -> int:
    """Run one command, its keyword and the words after it."""
    word, *rest = words
    keyword = find(word)
    if keyword is None:
        raise _plain(f"invalid keyword: {word}")
    if keyword.name in WITH_OPTIONS:
        scanner = Scanner("scontrol", OPTIONS, rest)
        settings.take(scanner)
        rest = scanner.rest
    if len(rest) < keyword.least:
        raise _plain(f"too few arguments for {keyword.wording.format(word, keyword.name)}")
    if keyword.most is not None and len(rest) > keyword.most:
        raise _plain(f"too many arguments for {keyword.wording.format(word, keyword.name)}")
    module, _, name = keyword.target.partition(":")
    function = getattr(import_module(HERE + module), name)
    return function(app, [keyword.name, *rest] if name == "switch" else rest, settings) or 0


def _plain(text: str) -> UserError:
    return UserError(text, level="plain")


def run(app: Application, given: Given, args: list[str]) -> int:
    """Run the command of the command line, or those on standard input."""
    settings = Settings().take(given.pairs)
    if args:
        return _guarded(app, args, settings)
    return _interactive(app, settings)


def _guarded(app: Application, words: list[str], settings: Settings) -> int:
    """Run one command; ``--quiet`` keeps its errors to the exit code."""
    try:
        return process(app, words, settings)
    except SimError as error:
        if settings.quiet:
            return error.exit_code
        raise


def _interactive(app: Application, settings: Settings) -> int:
    """Run the commands on standard input, one a line, until ``quit`` or the end; any error makes the exit code 1."""
    worst = 0
    echo = not sys.stdin.isatty()
    while True:
        app.out(PROMPT, end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            app.out("")
            return worst
        if echo:
            app.out(line.rstrip("\n"))
        words = line.split()
        if not words:
            continue
        keyword = find(words[0])
        if keyword is not None and keyword.name in {"exit", "quit"}:
            return worst
        try:
            worst = max(worst, _guarded(app, words, settings))
        except SimError as error:
            worst = max(worst, app.report(error))


command = SlurmCommand(
    "scontrol",
    (*OPTIONS, *STANDARD_H),
    run,
    summary="Show and change jobs, nodes, partitions and reservations",
    arguments="[COMMAND [ARGUMENT...]]",
    posix=True,
    keywords=keyword_help.listed,
)

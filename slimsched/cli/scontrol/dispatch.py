"""The command ``scontrol``: options, the table of keywords, and the interactive mode over standard input.

A keyword may be cut down to the letters that its line of `KEYWORDS` asks for. Its function gets the application, the
words after the keyword and the settings, and returns an exit code or None for 0.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from slimsched import ASKER
from slimsched.cli import prompted
from slimsched.cli.program import RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.scontrol import keyword_help
from slimsched.cli.scontrol.jobs import JobFailures
from slimsched.cli.scontrol.settings import Settings
from slimsched.errors import SimError, UserError
from slimsched.slurm import words as abbreviations
from slimsched.slurm.getopt import Scanner

if TYPE_CHECKING:
    from slimsched.cli.app import Application

ONE_CLUSTER = "there is one cluster only"

OPTIONS = (
    Option("all", "a", help="show hidden partitions as well"),
    Option("details", "d", help="show more of each record"),
    Option("federation", "", help="jobs of the federation", status=RECORDED, note=ONE_CLUSTER),
    Option("future", "F", help="show nodes in state FUTURE as well"),
    Option("hide", "", help="leave hidden partitions out"),
    Option("json", "", "[parser]", help="print JSON"),
    Option("local", "", help="jobs of this cluster", status=RECORDED, note=ONE_CLUSTER),
    Option("cluster", "M", "name", "cluster to talk to", RECORDED, ONE_CLUSTER),
    Option("clusters", "", "name", status=RECORDED, note=ONE_CLUSTER, alias_of="cluster"),
    Option("oneliner", "o", help="print each record on one line"),
    Option("quiet", "Q", help="print no messages"),
    Option("sibling", "", help="sibling jobs", status=RECORDED, note=ONE_CLUSTER),
    Option("uid", "u", "user", "ask as this user"),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    Option("yaml", "", "[parser]", help="print YAML"),
)


TOO_FEW = "too few arguments for keyword:{0}"
TOO_MANY = "too many arguments for keyword:{0}"
MISSING = "missing argument for keyword:{0}"


class Keyword(NamedTuple):
    """One keyword: the fewest letters that mean it, its function, and how many words may follow it.

    ``few`` and ``many`` are what the real command says to other numbers of words. ``hushed``: ``--quiet`` keeps its
    errors to the exit code.
    """

    name: str
    letters: int
    target: str
    least: int = 0
    most: int | None = None
    hushed: bool = False
    few: str = TOO_FEW
    many: str = TOO_MANY


HERE = "slimsched.cli.scontrol."

WITH_OPTIONS = frozenset({"show", "ping"})
"""Keywords that options may follow: ``show job -d 1``, ``ping --json``."""

AS_ENTITY = "too few arguments for {0} keyword"
AS_SWITCH = "too many arguments for {0} keyword"
ONE_ERROR = "one arguments required for keyword:{0}"

KEYWORDS = (
    Keyword("abort", 5, "misc:no_daemon", 0, 1),
    Keyword("all", 2, "misc:switch"),
    Keyword("cancel_reboot", 3, "misc:cancel_reboot", 1, 1, few=MISSING),
    Keyword("completing", 2, "misc:completing", 0, 0),
    Keyword("cluster", 2, "misc:nothing"),
    Keyword("create", 2, "entities:create", 1, few=AS_ENTITY),
    Keyword("details", 1, "misc:switch", 0, 0),
    Keyword("errnumstr", 2, "misc:errnumstr", 1, 1, few=ONE_ERROR, many=ONE_ERROR),
    Keyword("exit", 2, "misc:leave", 0, 0),
    Keyword("getaddrs", 4, "misc:getaddrs", 1, 1),
    Keyword("help", 2, "misc:helped", 0, 0),
    Keyword("hide", 2, "misc:switch"),
    Keyword("oneliner", 1, "misc:switch", 0, 0),
    Keyword("pidinfo", 3, "misc:pidinfo", 1, 1, few=MISSING),
    Keyword("ping", 3, "misc:ping", 0, 0),
    Keyword("quiet", 4, "misc:switch", 0, 0),
    Keyword("quit", 4, "misc:leave", 0, 0),
    Keyword("power", 3, "misc:power", 2),
    Keyword("reboot", 3, "misc:reboot"),
    Keyword("reboot_nodes", 7, "misc:reboot"),
    Keyword("reconfigure", 3, "misc:reconfigure", 0, 1),
    Keyword("requeue", 3, "jobs:requeue", 1, hushed=True),
    Keyword("requeuehold", 11, "jobs:requeuehold", 1, hushed=True),
    Keyword("holdu", 5, "jobs:uhold", 1, hushed=True),
    Keyword("hold", 4, "jobs:hold", 1, hushed=True),
    Keyword("uhold", 5, "jobs:uhold", 1, hushed=True),
    Keyword("release", 3, "jobs:release", 1, hushed=True),
    Keyword("suspend", 2, "jobs:suspend", 1, hushed=True),
    Keyword("resume", 3, "jobs:resume", 1, hushed=True),
    Keyword("top", 3, "jobs:top", 1, 1, hushed=True),
    Keyword("token", 3, "misc:token"),
    Keyword("wait_job", 2, "jobs:wait_job", 1, 1, hushed=True),
    Keyword("setdebugflags", 9, "log_levels:set_flags", 1, hushed=True),
    Keyword("fsdampeningfactor", 3, "log_levels:set_dampening", 1, 1, hushed=True),
    Keyword("fairsharedampeningfactor", 3, "log_levels:set_dampening", 1, 1, hushed=True),
    Keyword("setdebug", 2, "log_levels:set_level", 1, 2, hushed=True),
    Keyword("schedloglevel", 3, "log_levels:set_scheduler_log", 1, 1, hushed=True),
    Keyword("show", 3, "show:show", 1, hushed=True),
    Keyword("write", 5, "files:write", 1),
    Keyword("takeover", 8, "misc:takeover", 0, 1),
    Keyword("shutdown", 8, "misc:shutdown", 0, 1),
    Keyword("update", 1, "update:update", 1, few=AS_ENTITY),
    Keyword("delete", 1, "entities:delete", 1, few=AS_ENTITY),
    Keyword("verbose", 4, "misc:switch", 0, 0, many=AS_SWITCH),
    Keyword("version", 4, "misc:version", 0, 0, many=AS_SWITCH),
    Keyword("listpids", 1, "pids:listpids", 0, 2),
    Keyword("listjobs", 5, "misc:nothing"),
    Keyword("liststeps", 5, "misc:nothing"),
    Keyword("getent", 6, "misc:nothing"),
    Keyword("notify", 1, "jobs:notify", 2),
    Keyword("callerid", 3, "misc:nothing", 4, 5),
)
"""The keywords, in the order in which a word is looked up."""

SWALLOWING = frozenset({"hold", "holdu", "uhold", "requeuehold"})
"""Keywords that mean the same with anything behind their letters: ``holdx``."""


def find(word: str) -> Keyword | None:
    """Return the keyword that a word means: the first one that it begins, in any case."""
    lower = "quiet" if word.lower().startswith("\\q") else word.lower()
    longer = (keyword for keyword in KEYWORDS if keyword.name in SWALLOWING and lower.startswith(keyword.name))
    return abbreviations.find(KEYWORDS, lower) or next(longer, None)


def process(app: Application, words: list[str], settings: Settings) -> int:
    """Run one command, its keyword and the words after it."""
    word, *rest = words
    keyword = find(word)
    if keyword is None:
        from slimsched.text import alike

        raise _plain(f"invalid keyword: {word}", alike.unknown("keyword", word, [each.name for each in KEYWORDS]))
    if keyword.name in WITH_OPTIONS:
        scanner = Scanner("scontrol", OPTIONS, rest)
        settings.take(scanner)
        rest = scanner.rest
    try:
        if len(rest) < keyword.least:
            raise _plain(keyword.few.format(word))
        if keyword.most is not None and len(rest) > keyword.most:
            raise _plain(keyword.many.format(word))
        module, _, name = keyword.target.partition(":")
        function = getattr(import_module(HERE + module), name)
        return function(app, [keyword.name, *rest] if name == "switch" else rest, settings) or 0
    except UserError as error:
        if settings.quiet and (keyword.hushed or isinstance(error, JobFailures)) and error.level == "plain":
            error.message, error.preface, error.notes = "", "", ()
        raise


def _plain(text: str, *notes: str) -> UserError:
    return UserError(text, level="plain", notes=notes)


def run(app: Application, given: Given, args: list[str]) -> int:
    """Run the command of the command line, or those on standard input."""
    settings = Settings.from_environment().take(given.pairs)
    if settings.uid:
        os.environ[ASKER] = settings.uid
    return process(app, args, settings) if args else _interactive(app, settings)


def _interactive(app: Application, settings: Settings) -> int:
    """Run the commands on standard input until ``quit`` or the end; any error makes the exit code 1.

    An empty line counts as an error, as in the real command.
    """
    worst = 0
    for words in prompted.lines(app):
        keyword = find(words[0]) if words else None
        try:
            worst = max(worst, process(app, words, settings) if words else 1)
        except SimError as error:
            worst = max(worst, app.report(error))
        if keyword is not None and keyword.name in {"exit", "quit"}:
            break
    return worst


command = Program(
    "scontrol",
    (*OPTIONS, *STANDARD_H),
    run,
    summary="Show and change jobs, nodes, partitions and reservations",
    arguments="[COMMAND [ARGUMENT...]]",
    posix=True,
    keywords=lambda: {"Commands": keyword_help.listed()},
)

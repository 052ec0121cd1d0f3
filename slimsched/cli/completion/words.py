"""The candidates for the end of a command line: subcommands, options and values that the Click commands declare.

A line is walked by getopt_long's rules (bundles, abbreviations, values glued to a letter), which Click's own walk does
not know; a value is then completed by its parameter. Nothing is raised: an unreadable state, a command line that
makes no sense, a module that fails to load all mean that there is nothing to propose.
"""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem as Candidate

from slimsched.cli.app import Application
from slimsched.cli.group import group
from slimsched.cli.slurm_command import SlurmCommand, SlurmOption
from slimsched.cli.subcommands import COMMANDS
from slimsched.slurm.getopt import NONE, OPTIONAL, OURS, REFUSED, REQUIRED, Option


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return the candidates for the last of the words after ``sim``, each with what it is."""
    try:
        return _candidates(list(words) or [""])
    except Exception:  # a prompt must not show errors
        return []


class Level:
    """A command on the line: its context, its options, and whether they end at a plain word (``posix``)."""

    def __init__(self, command: click.Command, parent: click.Context | None = None) -> None:
        names = ["-h", "--help"]
        self.context = click.Context(command, parent, obj=None if parent else Application(), help_option_names=names)
        self.command = command
        self.posix = command.program.posix if isinstance(command, SlurmCommand) else isinstance(command, click.Group)
        self.params = command.get_params(self.context)
        self.options = [(row, param) for param in self.params for row in _rows(param)]

    def enter(self, name: str) -> Level | None:
        """Return the level of a command within this one, None if there is none of that name."""
        inner = self.command.get_command(self.context, name) if isinstance(self.command, click.Group) else None
        return Level(inner, self.context) if inner is not None else None

    def long(self, name: str) -> Option | None:
        """Return the option with this long name, or the first that begins with it."""
        named = [row for row, _ in self.options if row.long.startswith(name)]
        return next((row for row in named if row.long == name), named[0] if named else None)

    def letter(self, letter: str) -> Option | None:
        """Return the option with this letter; with Grid Engine's commands, this word, behind one dash."""
        return next((row for row, _ in self.options if row.short == letter), None)

    def values(self, option: Option, current: str) -> list[Candidate]:
        """Return the values of an option that begin as ``current`` does."""
        return next(param for row, param in self.options if row is option).shell_complete(self.context, current)


def _rows(param: click.Parameter) -> list[Option]:
    """Return a parameter as the rows of an option table; an argument has none."""
    if isinstance(param, SlurmOption):
        return param.rows
    if not isinstance(param, click.Option):
        return []
    longs = [text[2:] for text in param.opts if text.startswith("--")]
    shorts = [text[1:] for text in param.opts if not text.startswith("--")]
    arg = "" if param.is_flag else param.metavar or str(param.name)
    said = (param.help or "").partition("  [")[0]
    return [Option("".join(longs[:1]), "".join(shorts[:1]), arg.strip("[]"), said, OURS)]


def _candidates(words: list[str]) -> list[Candidate]:
    *before, current = words
    level = Level(group)
    while True:
        plain, awaiting, ended = _walk(level, before)
        inner = level.enter(plain[0]) if plain else None
        if inner is None:
            break
        before = before[len(before) - len(plain) + 1 :]
        level = inner
    if awaiting is not None and not (awaiting.kind == OPTIONAL and current.startswith("-")):
        return level.values(awaiting, current)
    if not ended and current.startswith("-") and not (plain and level.posix):
        return _options(level, current)
    return _plain(level, plain, current)


def _walk(level: Level, words: list[str]) -> tuple[list[str], Option | None, bool]:
    """Return the plain words, the option at the end that lacks its argument, and whether options have ended."""
    plain: list[str] = []
    pending = list(reversed(words))
    while pending:
        word = pending.pop()
        if word == "--":
            return plain + pending[::-1], None, True
        if not word.startswith("-") or word == "-":
            plain.append(word)
            if level.posix:
                return plain + pending[::-1], None, False
            continue
        option, value = _read(level, word)
        if option is not None and option.kind == REQUIRED and value is None:
            if not pending:
                return plain, option, False
            value = pending.pop()
        elif option is not None and option.kind == OPTIONAL and value is None and not pending and not level.posix:
            return plain, option, False  # squeue -j 5: the jobs may stand behind it
        if option is not None and option.name == "state" and option.status == OURS:
            level.context.ensure_object(Application).state = value
    return plain, None, False


def _read(level: Level, word: str) -> tuple[Option | None, str | None]:
    """Return the option that a word gives, the last of a bundle, and the value that it holds."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        return level.long(name), value if equals else None
    if len(word) > 2 and (option := level.letter(word[1:])) is not None:
        return option, None
    for place, letter in enumerate(word[1:], 2):
        option = level.letter(letter)
        if option is None or option.kind != NONE:
            return option, word[place:] or None
    return level.letter(word[-1]), None


def _options(level: Level, current: str) -> list[Candidate]:
    """Complete an option, or the value that is glued to it."""
    name, equals, value = current.partition("=")
    dashes = current.startswith("--")
    option = level.long(name[2:]) if dashes else level.letter(current[1:2])
    if dashes and equals and option is not None:
        return _behind(f"{name}=", level.values(option, value))
    if len(current) > 2 and not dashes and option is not None and option.kind != NONE:
        return _behind(current[:2], level.values(option, current[2:]))
    found: dict[str, Candidate] = {}
    for row, _ in level.options:
        spellings = [f"-{row.short}"] if row.short else []
        spellings += [f"--{row.long}{'=' * (row.kind == REQUIRED)}"] if row.long else []
        if row.status != REFUSED:
            found |= {text: Candidate(text, help=row.help) for text in spellings if text.startswith(current)}
    return list(found.values())


def _behind(head: str, found: list[Candidate]) -> list[Candidate]:
    return [Candidate(head + each.value, help=each.help) for each in found]


def _plain(level: Level, plain: list[str], current: str) -> list[Candidate]:
    """Complete a plain word: a subcommand, or what the command takes."""
    command = level.command
    if isinstance(command, click.Group):
        return [] if plain else _beneath(command, level, current)
    arguments = [param for param in level.params if isinstance(param, click.Argument)]
    place = len(plain) if len(plain) < len(arguments) else len(arguments) - 1
    if not arguments or (len(plain) > place and arguments[place].nargs != -1):
        return []
    level.context.params[str(arguments[place].name)] = tuple(plain[place:])
    return arguments[place].shell_complete(level.context, current)


def _beneath(command: click.Group, level: Level, current: str) -> list[Candidate]:
    """Complete the name of a command; those of `sim` are described by the table, with none of them imported."""
    names = [name for name in command.list_commands(level.context) if name.startswith(current)]
    if command is group:
        return [Candidate(name, help=COMMANDS[name].help) for name in names]
    return [Candidate(name, help=command.commands[name].get_short_help_str(60)) for name in names]

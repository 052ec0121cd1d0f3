"""What may stand at the end of a command line: subcommands, options from the tables, and values.

Nothing is raised: an unreadable state, a command line that makes no sense, a module that fails to load all mean
that there is nothing to propose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slimsched.cli import completion_values
from slimsched.cli.completion_values import Candidate, Places, proposals
from slimsched.cli.main import COMMANDS, load
from slimsched.slurm.options import NONE, OPTIONAL, OURS, REFUSED, REQUIRED, Option

LEADING = (
    Option("state", "", "dir", "state directory", OURS),
    Option("help", "h", help="show the help"),
    Option("version", "V", help="show the version"),
)


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return the candidates for the last of the words after ``sim``, each with what it is."""
    try:
        return _candidates(list(words) or [""])
    except Exception:  # whatever it is, a prompt is no place to say so
        return []


class Level:
    """A command on the line: its options, the commands within it, and whether options end at a plain word."""

    def __init__(self, path: list[str], options: Sequence[Option], subcommands: dict[str, Any], posix: bool) -> None:
        self.path, self.options, self.subcommands, self.posix = path, options, subcommands, posix

    def find(self, name: str) -> Option | None:
        """Return the option with this long name, or the first that begins with it."""
        named = [option for option in self.options if option.long.startswith(name)]
        return next((option for option in named if option.long == name), named[0] if named else None)

    def letter(self, letter: str) -> Option | None:
        """Return the option with this letter; with Grid Engine's commands, this word, behind one dash."""
        return next((option for option in self.options if option.short == letter), None)


def _candidates(words: list[str]) -> list[Candidate]:
    *before, current = words
    level = Level([], LEADING, COMMANDS, posix=True)
    places = Places()
    while True:
        plain, awaiting, ended = _walk(level, before, places)
        if not plain or plain[0] not in level.subcommands:
            break
        before = before[len(before) - len(plain) + 1 :]
        level = _enter(level, plain[0])
    if awaiting is not None and not (awaiting.kind == OPTIONAL and current.startswith("-")):
        return proposals(level.path, awaiting, current, places)
    if not ended and current.startswith("-") and not (plain and level.posix):
        return _options(level, current, places)
    return _plain(level, plain, current, places)


def _walk(level: Level, words: list[str], places: Places) -> tuple[list[str], Option | None, bool]:
    """Return the plain words, the option at the end that lacks its argument, and whether options have ended."""
    plain: list[str] = []
    pending = list(reversed(words))
    while pending:
        word = pending.pop()
        if word == "--":
            return plain + pending[::-1], None, True
        if not word.startswith("-") or word == "-":
            plain.append(word)
            if level.posix or level.subcommands:
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
            places.state = value
    return plain, None, False


def _read(level: Level, word: str) -> tuple[Option | None, str | None]:
    """Return the option that a word gives, the last of a bundle, and the value that it holds."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        return level.find(name), value if equals else None
    if len(word) > 2 and (option := level.letter(word[1:])) is not None:
        return option, None
    for place, letter in enumerate(word[1:], 2):
        option = level.letter(letter)
        if option is None or option.kind != NONE:
            return option, word[place:] or None
    return level.letter(word[-1]), None


def _enter(level: Level, name: str) -> Level:
    """Go into a subcommand."""
    command = load(name) if not level.path else level.subcommands[name]
    path = [*level.path, name]
    if hasattr(command, "usage_exit"):
        return Level(path, command.options, {}, command.posix)
    inner = dict(getattr(command, "commands", {}))
    return Level(path, [*map(_of_click, getattr(command, "params", ())), *LEADING[:2]], inner, posix=bool(inner))


def _of_click(param: Any) -> Option:
    """Return a Click parameter as an option; an argument becomes one without a name."""
    longs = [text[2:] for text in param.opts if text.startswith("--")]
    shorts = [text[1:] for text in param.opts if text.startswith("-") and not text.startswith("--")]
    flag = getattr(param, "is_flag", False)
    arg = "" if flag else "|".join(getattr(param.type, "choices", ())) or param.metavar or param.name
    said = (getattr(param, "help", "") or "").partition("  [")[0]
    return Option(longs[0] if longs else "", shorts[0] if shorts else "", arg, said, OURS)


def _options(level: Level, current: str, places: Places) -> list[Candidate]:
    """Complete an option, or the value that is glued to it."""
    name, equals, value = current.partition("=")
    dashes = current.startswith("--")
    option = level.find(name[2:]) if dashes else level.letter(current[1:2])
    if dashes and equals and option is not None:
        return [Candidate(f"{name}={text}", said) for text, said in proposals(level.path, option, value, places)]
    if len(current) > 2 and not dashes and option is not None and option.kind != NONE:
        head = current[:2]
        return [Candidate(head + text, said) for text, said in proposals(level.path, option, current[2:], places)]
    found = []
    for each in level.options:
        spellings = [f"-{each.short}"] if each.short else []
        spellings += [f"--{each.long}{'=' * (each.kind == REQUIRED)}"] if each.long else []
        if each.status != REFUSED:
            found += [Candidate(text, each.help) for text in spellings if text.startswith(current)]
    return list(dict.fromkeys(found))


def _plain(level: Level, plain: list[str], current: str, places: Places) -> list[Candidate]:
    """Complete a plain word: a subcommand, or what the command takes."""
    if not level.path:
        table = [Candidate(name, said) for name, (_, said) in COMMANDS.items()]
    elif level.subcommands:
        table = [Candidate(name, sub.get_short_help_str(60)) for name, sub in level.subcommands.items()]
    else:
        return completion_values.words(level.path, plain, current, places)
    return [each for each in table if each.text.startswith(current)] if not plain else []

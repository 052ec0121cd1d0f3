"""The class of Grid Engine's commands: long options after one dash, each with a fixed number of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from slimsched.cli.program import OURS, Option, Program
from slimsched.errors import UserError
from slimsched.slurm.getopt import OPTIONAL

Pairs = list[tuple[Option, str | None]]

COMMON = (
    Option("", "help", help="show this help"),
    Option("", "usage", help="show a line of usage"),
    Option("", "state", "dir", "state directory (default: SLIMSCHED_STATE or your own)", OURS),
)
"""Options that every command has; they may have two dashes."""


class GridProgram(Program):
    """A command whose options are read as Grid Engine reads them."""

    def scan(self, argv: Sequence[str]) -> tuple[Pairs, list[str]]:
        """Return the options with their values, and the plain arguments; raise `UserError`."""
        return read(self.name, self.options, list(argv), posix=self.posix)

    def spellings(self, option: Option) -> list[str]:
        """Return how an option may be written on the line."""
        return spellings(option)

    def usage(self) -> str:
        """Return the answer to ``-usage``: every option."""
        head = f"Usage: {self.name} "
        words = [f"[-{option.short} {option.arg}".rstrip() + "]" for option in self.options]
        glued = " ".join(word.replace(" ", "\0") for word in words + self.arguments.split())
        lines = wrap(glued, 80 - len(head), break_long_words=False, break_on_hyphens=False)
        return head + f"\n{' ' * len(head)}".join(lines).replace("\0", " ")


def spellings(option: Option) -> list[str]:
    """Return how an option may be written: behind one dash, those that every command has behind two as well."""
    return [f"-{option.short}"] + [f"--{option.short}"] * (option in COMMON)


def read(program: str, options: Sequence[Option], words: list[str], *, posix: bool = False) -> tuple[Pairs, list[str]]:
    """Return the options with their arguments, several of them joined by blanks, and the plain arguments.

    ``posix``: options end at the first plain argument. Raises `UserError`.
    """
    known = {text: option for option in options for text in spellings(option)}
    pairs: Pairs = []
    rest: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            rest.append(word)
            if posix:
                return pairs, rest + words
            continue
        option = known.get(word)
        if option is None:
            raise UserError(f"{program}: Unknown option {word}", level="plain")
        pairs.append((option, _argument(program, option, words)))
    return pairs, rest


def _argument(program: str, option: Option, words: list[str]) -> str | None:
    """Take an option's arguments off the words."""
    if option.kind == OPTIONAL:
        return words.pop(0) if words and not words[0].startswith("-") else None
    count = len(option.arg.split())
    if len(words) < count:
        raise UserError(f"{program}: ERROR! -{option.short} option must have argument", level="plain")
    taken = [words.pop(0) for _ in range(count)]
    return " ".join(taken) if count else None


def lists(texts: Sequence[str]) -> list[str]:
    """Return the items of comma-separated lists."""
    return [item for text in texts for item in text.split(",") if item]

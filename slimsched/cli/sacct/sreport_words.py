"""The words of ``sreport`` that are no reports: they leave it, tell something, or set an option from there on.

Source: sreport(1), "Commands"; what the real one says of too many and too few words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli import program
from slimsched.cli.program import Option
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given


class Word(NamedTuple):
    """A word with its fewest letters, the option that it sets, and whether a value follows it."""

    name: str
    letters: int
    option: str = ""
    valued: bool = False


LEAVING = (Word("exit", 1), Word("quit", 4), Word("\\q", 2))
TELLING = (Word("help", 2), Word("version", 4))
SETTING = (
    *(Word("quiet", 4, "quiet"), Word("nonparsable", 4), Word("parsable", 8, "parsable")),
    *(Word("parsable2", 9, "parsable2"), Word("sort", 1, "sort", valued=True)),
    *(Word("time", 1, "time", valued=True), Word("verbose", 4, "verbose")),
)
FORMS = frozenset({"parsable", "parsable2"})


def leaves(word: str) -> bool:
    """Whether a word ends the session."""
    return _among(LEAVING, word) is not None


def obeyed(app: Application, given: Given, args: list[str], usage: str) -> bool:
    """Do what a word says that is no report; return whether it is one of them. Raises `UserError`."""
    word = _among((*LEAVING, *TELLING, *SETTING), args[0])
    if word is None:
        return False
    if word.valued and len(args) < 2:
        raise UserError(f"too few arguments for keyword:{args[0]}", level="plain")
    if not word.valued and len(args) > 1:
        raise UserError(f"too many arguments for keyword:{args[0]}", level="plain")
    if word.name == "version":
        app.out(f"slurm {program.version(app)}")
    elif word.name == "help":
        app.out(usage)
    elif word.name.endswith("parsable") or word.name in FORMS:
        given.pairs[:] = [pair for pair in given.pairs if pair[0].name not in FORMS]
    if word.option:
        given.pairs.append((Option(word.option), args[1] if word.valued else None))
    return True


def _among(table: tuple[Word, ...], word: str) -> Word | None:
    """Return the word of a table that some letters mean."""
    lowered = word.lower()
    return next((each for each in table if each.name.startswith(lowered) and len(lowered) >= each.letters), None)

"""One of Slurm's own commands: an option table and a function.

A command file reads like this (``slimsched/cli/NAME.py``, attribute ``command``, a line in `main.COMMANDS`)::

    OPTIONS = (
        Option("noheader", "h", help="no header line"),
        Option("format", "o", "format", "fields to print"),
        Option("clusters", "M", "names", "clusters", RECORDED, "there is one cluster only"),
        *STANDARD,  # --help --usage --version --verbose --quiet
    )

    def run(app: Application, given: Given, args: list[str]) -> int | None:
        with app.session() as ctl:
            app.out(render.table(ctl.cluster, given.last("format") or DEFAULT, header=not given.has("noheader")))

    command = SlurmCommand("squeue", OPTIONS, run, summary="List jobs", arguments="")

The options are read by `getopt` with Slurm's abbreviations, texts and exit code; the function returns an exit
code or None for 0 and raises the errors of `slimsched.errors`. Click is not needed on this path: a command of
Slurm's becomes a Click command only to complete a command line (`group.as_click`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from slimsched import SLURM_VERSION
from slimsched.errors import UserError
from slimsched.slurm.getopt import Scanner
from slimsched.slurm.options import HONOURED, OURS, RECORDED, REFUSED, Option

if TYPE_CHECKING:
    from slimsched.cli.app import Application

__all__ = ["HONOURED", "OURS", "RECORDED", "REFUSED", "STANDARD", "Given", "Option", "SlurmCommand"]

STANDARD = (
    Option("help", help="show this help"),
    Option("usage", help="show every option in brief"),
    Option("version", "V", help="show the version of Slurm that is reproduced"),
)
"""Options that every command has and `SlurmCommand` answers by itself."""

STANDARD_H = (Option("help", "h", help="show this help"), *STANDARD[1:])
"""The same for commands whose ``-h`` is help."""

STATE = Option("state", "", "dir", "state directory (else SLIMSCHED_STATE, else the user's own)", OURS)


class Given:
    """The options found on a command line, in order (``pairs``), and the command as it was typed (``line``).

    Names are long names without dashes.
    """

    def __init__(self, pairs: list[tuple[Option, str | None]], line: str = "") -> None:
        self.pairs, self.line = pairs, line

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return any(option.name == name for option, _ in self.pairs)

    def count(self, name: str) -> int:
        """Return how often it was given (``-vv``)."""
        return sum(option.name == name for option, _ in self.pairs)

    def last(self, name: str, default: str | None = None) -> str | None:
        """Return its last argument; ``default`` if it was not given, or was given without one."""
        found = self.all(name)
        return found[-1] if found else default

    def all(self, name: str) -> list[str]:
        """Return all its arguments in order."""
        return [value for option, value in self.pairs if option.name == name and value is not None]


class SlurmCommand:
    """A command of Slurm's: name, option table, function, and how it words refusals.

    ``posix``: options end at the first plain argument. ``usage_exit``: exit code for a wrong option.
    ``hint``: a wrong option is answered with how to get help, too.
    ``refusal``: what stands ahead of a `SlurmError`'s text. ``arguments``: the plain arguments, for the help text;
    ``keywords``: the commands within this one, and what they do, for the same.
    """

    def __init__(
        self,
        name: str,
        options: Sequence[Option],
        run: Callable[[Application, Given, list[str]], int | None],
        *,
        summary: str,
        arguments: str = "",
        posix: bool = False,
        usage_exit: int = 1,
        hint: bool = True,
        refusal: str = "",
        keywords: Callable[[], list[tuple[str, str]]] | None = None,
    ) -> None:
        self.name, self.run, self.summary, self.arguments = name, run, summary, arguments
        self.posix, self.usage_exit, self.hint, self.refusal = posix, usage_exit, hint, refusal
        self.keywords = keywords
        clash = any((option.long or option.short).startswith("state") for option in options)
        self.options = tuple(options) if clash else (*options, STATE)

    def main(self, app: Application, argv: Sequence[str]) -> int:
        """Read the command line and run; return the exit code."""
        app.command, app.argv, app.refusal = self.name, argv, self.refusal
        scanner = Scanner(self.name, self.options, argv, posix=self.posix, exit_code=self.usage_exit)
        scanner.hint = self.hint
        pairs: list[tuple[Option, str | None]] = []
        for option, value in scanner:
            answer = _ANSWERS.get(option.name)
            if answer is not None:
                app.out(answer(self))
                return 0
            if option.status == REFUSED:
                raise UserError(f"--{option.long} is not supported: {option.note}", exit_code=self.usage_exit)
            if option is STATE:
                app.state = value
            pairs.append((option, value))
        return self.run(app, Given(pairs, " ".join((self.name, *argv))), scanner.rest) or 0

    def usage(self) -> str:
        """Return the answer to ``--usage``, made from the option table."""
        from slimsched.cli.help_text import usage_text

        return usage_text(self)

    def help(self) -> str:
        """Return the answer to ``--help``, made from the option table."""
        from slimsched.cli.help_text import help_text

        return help_text(self)


_ANSWERS: dict[str, Callable[[SlurmCommand], str]] = {
    "help": SlurmCommand.help,
    "usage": SlurmCommand.usage,
    "version": lambda _: f"slurm {SLURM_VERSION}",
}

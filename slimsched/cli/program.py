"""The class `Program`: one of Slurm's commands as a table of options and a function.

A command file, ``slimsched/cli/FAMILY/NAME.py``, reads like this; its attribute is named in `subcommands.COMMANDS`::

    OPTIONS = (
        Option("noheader", "h", help="no header line"),
        Option("format", "o", "format", "fields to print"),
        Option("clusters", "M", "names", "clusters", RECORDED, "there is one cluster only"),
        *STANDARD,  # --help --usage --version --verbose --quiet
    )

    def run(app: Application, given: Given, args: list[str]) -> int | None:
        with app.session() as ctl:
            app.out(render.table(ctl.cluster, given.last("format") or DEFAULT, header=not given.has("noheader")))

    command = Program("squeue", OPTIONS, run, summary="List jobs", arguments="")

The options are read by `getopt` with Slurm's abbreviations, texts and exit code; the function returns an exit
code or None for 0 and raises the errors of `slimsched.errors`. `main.main` runs a program without importing Click;
`slurm_command.SlurmCommand` is the same program as a Click command. Both read and run it by the two methods here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from slimsched import SLURM_VERSION
from slimsched.errors import UserError
from slimsched.slurm.getopt import HONOURED, OURS, RECORDED, REFUSED, Option, Scanner
from slimsched.state import layout

if TYPE_CHECKING:
    from slimsched.cli.app import Application

__all__ = ["HONOURED", "OURS", "RECORDED", "REFUSED", "STANDARD", "Given", "Option", "Program"]

STANDARD = (
    Option("help", help="show this help"),
    Option("usage", help="show every option in brief"),
    Option("version", "V", help="show the version of Slurm that is reproduced"),
)
"""Options that every command has and `Program` answers by itself."""

STANDARD_H = (Option("help", "h", help="show this help"), *STANDARD[1:])
"""The same for commands whose ``-h`` is help."""

STATE = Option("state", "", "dir", "state directory (default: SLIMSCHED_STATE or your own)", OURS)


PLAIN = Option("plain", help="print on a terminal what a pipe would get (or set SLIMSCHED_PLAIN=1)", status=OURS)
"""An option of the commands that draw tables on a terminal."""


class Given:
    """The content of a command line: the options in order (``pairs``), the plain arguments, and the line as typed.

    ``answer``: what the command says by itself in place of running, None if it runs. Names are long names without
    dashes.
    """

    def __init__(
        self,
        pairs: list[tuple[Option, str | None]],
        line: str = "",
        rest: Sequence[str] = (),
        answer: str | None = None,
    ) -> None:
        self.pairs, self.line, self.rest, self.answer = pairs, line, list(rest), answer

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


class Program:
    """A command of Slurm's: name, option table, function, and how it words refusals.

    ``posix``: options end at the first plain argument. ``usage_exit``: exit code for a wrong option.
    ``hint``: a wrong option is answered with how to get help, too.
    ``refusal``: what stands ahead of a `SlurmError`'s text. ``arguments``: the plain arguments, for the help text;
    ``keywords``: for the same, under a heading each, the commands or reports within this one, and what they do.
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
        keywords: Callable[[], Mapping[str, Iterable[tuple[str, str]]]] | None = None,
    ) -> None:
        self.name, self.run, self.summary, self.arguments = name, run, summary, arguments
        self.posix, self.usage_exit, self.hint, self.refusal = posix, usage_exit, hint, refusal
        self.keywords = keywords
        clash = any((option.long or option.short).startswith("state") for option in options)
        self.options = tuple(options) if clash else (*options, STATE)

    def main(self, app: Application, argv: Sequence[str]) -> int:
        """Read the command line and run; return the exit code."""
        return self.start(app, self.receive(app, argv))

    def receive(self, app: Application, argv: Sequence[str]) -> Given:
        """Read a command line that is to be run, and note it if the cluster keeps a list of them."""
        try:
            return self.read(app, argv)
        finally:
            if app.state_holds(layout.calls):
                from slimsched.state import calls

                calls.note(layout.locate(app.state), self.name, argv)

    def read(self, app: Application, argv: Sequence[str]) -> Given:
        """Return what a command line holds; raise `UserError`."""
        app.command, app.argv, app.refusal = self.name, argv, self.refusal
        pairs: list[tuple[Option, str | None]] = []
        scanned, rest = self.scan(argv)
        for option, value in scanned:
            if option.name in _ANSWERS:
                return Given(pairs, answer=_ANSWERS[option.name](self, app))
            if option.status == REFUSED:
                raise UserError(f"--{option.long} is not supported: {option.note}", exit_code=self.usage_exit)
            if option.status == OURS and option.name == "state":
                app.state = value
            app.plain |= option is PLAIN
            pairs.append((option, value))
        return Given(pairs, " ".join((self.name, *argv)), rest)

    def scan(self, argv: Sequence[str]) -> tuple[Iterable[tuple[Option, str | None]], list[str]]:
        """Return the options with their values, and the list that holds the plain arguments once they are read."""
        scanner = Scanner(self.name, self.options, argv, posix=self.posix, exit_code=self.usage_exit)
        scanner.hint = self.hint
        return scanner, scanner.rest

    def start(self, app: Application, given: Given) -> int:
        """Run with what was read; return the exit code."""
        if given.answer is not None:
            app.out(given.answer)
            return 0

        def work() -> int:
            return self.run(app, given, given.rest) or 0

        if app.state_holds(layout.faults):
            from slimsched.cli import faults

            return faults.apply(app, given.rest, work)
        return work()

    def spellings(self, option: Option) -> list[str]:
        """Return how an option may be written on the line."""
        return [f"-{option.short}"] * bool(option.short) + [f"--{option.long}"] * bool(option.long)

    def usage(self) -> str:
        """Return the answer to ``--usage``, made from the option table."""
        from slimsched.cli.help_text import usage_text

        return usage_text(self)

    def help(self) -> str:
        """Return the answer to ``--help``, made from the option table."""
        from slimsched.cli.help_text import help_text

        return help_text(self)


def version(app: Application) -> str:
    """Return the version of Slurm that the cluster passes for, if there is one."""
    if not app.state_holds(layout.config):
        return SLURM_VERSION
    from slimsched.state import config

    return config.load(layout.locate(app.state))[0].version.release


_ANSWERS: dict[str, Callable[[Program, Application], str]] = {
    "help": lambda program, _: program.help(),
    "usage": lambda program, _: program.usage(),
    "version": lambda _, app: f"slurm {version(app)}",
}
"""Option of `STANDARD` -> the method that answers it."""

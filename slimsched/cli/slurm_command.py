"""The Click commands of Slurm and Grid Engine: the same tables of options, read by the same scanner.

Click sees each option of a `Program` as a parameter with its spellings, its metavar and what completes it; the
command line itself is read by the program, since Click's parser knows neither getopt_long's abbreviations nor its
texts (docs/adr/0007). Another program takes one into a group of its own like this::

    from slimsched.cli.subcommands import load
    from slimsched.cli.slurm_command import SlurmCommand

    group.add_command(SlurmCommand(load("squeue")))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from slimsched.cli.app import Application
from slimsched.cli.completion import plain_words, values
from slimsched.cli.help_text import primary, said
from slimsched.cli.program import Given, Program
from slimsched.errors import SimError
from slimsched.slurm.getopt import NONE, OPTIONAL, Option

GIVEN = "slimsched.given"
"""Key of ``Context.meta`` under which a command line lies between reading and running."""


class SlurmOption(click.Option):
    """An option of a program: the row of its table, and those of its further names (``rows``)."""

    def __init__(self, program: Program, row: Option) -> None:
        self.rows = [row, *(other for other in program.options if other.name == row.name and other is not row)]
        spellings = dict.fromkeys(text for each in self.rows for text in program.spellings(each))
        kind: dict[str, Any] = {"is_flag": True}
        if row.kind != NONE:
            kind = {"metavar": row.arg, "type": values.of_option(program.name, row)}
        if row.kind == OPTIONAL:
            kind |= {"is_flag": False, "flag_value": ""}
        super().__init__([row.name.replace("-", "_"), *spellings], help=said(row, program.options), **kind)

    def value(self, given: Given) -> object:
        """Return what a line gives: whether it is there, or the last value, "" for one left out, None without it."""
        name = self.rows[0].name
        if self.is_flag:
            return given.has(name)
        return given.last(name, "") if given.has(name) else None


class SlurmCommand(click.Command):
    """A `Program` as a Click command: parameters, help, reader and function are those of the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        params: list[click.Parameter] = [SlurmOption(program, row) for row in primary(program.options)]
        if program.arguments:
            kind = plain_words.of_words(program.name)
            params.append(click.Argument(["words"], nargs=-1, required=False, metavar=program.arguments, type=kind))
        super().__init__(program.name, params=params, help=f"{program.summary}.", add_help_option=False)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line as the program does; a wrong one ends with its text and exit code."""
        app = ctx.ensure_object(Application)
        try:
            given = (self.program.read if ctx.resilient_parsing else self.program.receive)(app, args)
        except SimError as error:
            if not ctx.resilient_parsing:
                ctx.exit(app.report(error))
            given = Given([])
        ctx.meta[GIVEN] = given
        for param in self.params:
            value = param.value(given) if isinstance(param, SlurmOption) else tuple(given.rest)
            ctx.params[str(param.name)] = value
            typed = value not in (None, False, ())
            ctx.set_parameter_source(str(param.name), ParameterSource.COMMANDLINE if typed else ParameterSource.DEFAULT)
        ctx.args = []
        return ctx.args

    def invoke(self, ctx: click.Context) -> int:
        """Run the program on the line that was read; return the exit code, or end with it."""
        app = ctx.ensure_object(Application)
        return bounded(ctx, lambda: self.program.start(app, ctx.meta[GIVEN]))

    def get_help(self, ctx: click.Context) -> str:
        """Return the text of ``--help``, which is the program's own."""
        return self.program.help()


def bounded(ctx: click.Context, run: Callable[[], int]) -> int:
    """Run with errors turned into text; return 0, or end Click's run with another exit code."""
    code = ctx.ensure_object(Application).guard(run)
    if code:
        ctx.exit(code)
    return code

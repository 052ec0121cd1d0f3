"""``sim help``: the help of a command, or the list of commands."""

from __future__ import annotations

import click

from slimsched.cli.completion.values import Words
from slimsched.cli.subcommands import COMMANDS


@click.command("help")
@click.argument("words", metavar="[COMMAND]", nargs=-1, type=Words(tuple(COMMANDS)))
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Show the help of a command, as its --help does; without COMMAND list the commands."""
    from slimsched.cli.group import run

    return run(ctx.obj, [*words, "--help"])

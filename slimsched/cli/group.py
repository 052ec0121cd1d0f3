"""The Click side of ``sim``: help from the static table, completion, and the toolkit's own commands."""

from __future__ import annotations

from typing import Any

import click

from slimsched import SLURM_VERSION, __version__
from slimsched.cli.app import Application
from slimsched.cli.command import SlurmCommand, spelled
from slimsched.cli.getopt import NONE, Option
from slimsched.cli.main import COMMANDS, load


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        command = load(cmd_name)
        return as_click(command) if isinstance(command, SlurmCommand) else with_state(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the table's help lines, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _set_state(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Application).state = value


def _state_option() -> click.Option:
    return click.Option(
        ["--state"],
        metavar="DIR",
        expose_value=False,
        callback=_set_state,
        help="State directory; else SLIMSCHED_STATE, else the user's own.",
    )


def with_state(command: click.Command) -> click.Command:
    """Give one of our own commands, and its subcommands, the option ``--state DIR``."""
    if not any("--state" in param.opts for param in command.params):
        command.params.append(_state_option())
    for sub in getattr(command, "commands", {}).values():
        with_state(sub)
    return command


def as_click(command: SlurmCommand) -> click.Command:
    """Return a Slurm command as Click sees it, for completion and listings."""

    def run(**_: Any) -> None:
        raise SystemExit(command.main(click.get_current_context().find_object(Application) or Application(), []))

    params: list[click.Parameter] = [_click_option(option) for option in command.options if option.long]
    return click.Command(command.name, params=params, callback=run, help=f"{command.summary}.", add_help_option=False)


def _click_option(option: Option) -> click.Option:
    names = [f"--{option.long}", *([f"-{option.short}"] if option.short else [])]
    return click.Option(
        names, is_flag=option.kind == NONE, help=f"{spelled(option)}  {option.help}", expose_value=False
    )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "obj": None})
@click.version_option(__version__, "-V", "--version", message=f"slimsched %(version)s (Slurm {SLURM_VERSION})")
def group() -> None:
    """Slurm's commands over a plain directory, with no daemon.

    Each subcommand takes the options of the real command of that name. The state lies in the directory given by
    --state, else by the variable SLIMSCHED_STATE, else in the user's own state directory.
    """


with_state(group)


def run(app: Application, args: list[str]) -> int:
    """Run a command line through Click; Click's own complaints exit 2."""
    try:
        result = group.main(args, prog_name="sim", obj=app, standalone_mode=False, complete_var="_SIM_COMPLETE")
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return result if isinstance(result, int) else 0

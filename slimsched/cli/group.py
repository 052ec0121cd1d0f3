"""The Click side of ``sim``: help from the static table, and the toolkit's own commands."""

from __future__ import annotations

import click

from slimsched import SLURM_VERSION, __version__
from slimsched.cli.app import Application
from slimsched.cli.command import SlurmCommand
from slimsched.cli.main import COMMANDS, load

OWN = (
    *("init", "shims", "advance", "wait", "explain", "events", "constraint", "plugins", "wiki", "doctor"),
    "completion",
)
GRID_ENGINE = ("qsub", "qstat", "qhost", "qselect", "qdel", "qconf")
SECTIONS = {"This program's own": OWN, "Grid Engine's": GRID_ENGINE}
"""Heading in the list of commands -> commands under it; all others are Slurm's."""


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with those that are spelled alike."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            alike = ", ".join(get_close_matches(args[0], COMMANDS, cutoff=0.7))
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean: {alike}?" if alike else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the table's help lines, importing none of them."""
        listed = {name for names in SECTIONS.values() for name in names}
        sections = {"Slurm's commands": tuple(name for name in COMMANDS if name not in listed), **SECTIONS}
        width = max(map(len, COMMANDS))
        for title, names in sections.items():
            rows = [(name.ljust(width), COMMANDS[name][1]) for name in names if name in COMMANDS]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


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
    """Return a Slurm command as Click sees it: one that takes every argument as it is."""

    def run(words: tuple[str, ...]) -> int:
        return command.main(click.get_current_context().find_object(Application) or Application(), words)

    return click.Command(
        command.name,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)],
        callback=run,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )


EPILOG = """\
\b
Examples:
  sim scontrol update nodename=node01 extra='{"load": 0.3}'
  sim sbatch --extra 'load<0.5' --wrap 'sleep 60'
  sim squeue
  sim advance 10m

sim COMMAND --help tells more of each command, and so does man sim-COMMAND.
"""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "obj": None}, epilog=EPILOG)
@click.version_option(__version__, "-V", "--version", message=f"slimsched %(version)s (Slurm {SLURM_VERSION})")
def group() -> None:
    """Slurm's commands over a plain directory, with no daemon.

    The state lies in the directory given by --state, else by the variable SLIMSCHED_STATE, else in the user's own
    state directory; the first command makes a cluster of three nodes there. Time stands still until it is moved by
    advance, wait or a command that waits for a job.
    """


with_state(group)


def run(app: Application, args: list[str]) -> int:
    """Run a command line through Click; Click's own complaints exit 2."""
    try:
        result = group.main(args, prog_name="sim", obj=app, standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return 130
    except click.ClickException as error:
        return _refuse(app, error)
    return result if isinstance(result, int) else 0


def _refuse(app: Application, error: click.ClickException) -> int:
    """Print how the command is used and what is wrong; return the exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":  # of Click 8.2; before, it shows the help by itself
        error.show()
        return error.exit_code
    context = getattr(error, "ctx", None)
    if context is not None:
        app.err(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n")
    app.err(f"sim: error: {error.format_message()}")
    return error.exit_code

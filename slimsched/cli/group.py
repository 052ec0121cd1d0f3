"""The Click side of ``sim``: help from the static table, and the toolkit's own commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from slimsched import ASKER, SLURM_VERSION, __version__
from slimsched.cli.app import Application, asker_restored
from slimsched.cli.slurm_command import SlurmCommand, bounded
from slimsched.cli.subcommands import COMMANDS, GRID_ENGINE, OWN, SHELL, SLURM, WITHOUT_CLICK, load


@contextmanager
def refusing(ctx: click.Context) -> Iterator[None]:
    """Print Click's complaints about a line in our own words, and end Click's run with its exit code."""
    try:
        yield
    except click.ClickException as error:
        app = ctx.ensure_object(Application)
        if type(error).__name__ == "NoArgsIsHelpError":  # of Click 8.2; before, it shows the help by itself
            error.show()
        else:
            at = getattr(error, "ctx", None) or ctx
            app.err(f"{at.get_usage()}\nTry '{at.command_path} --help' for help.\n")
            app.err(f"sim: error: {error.format_message()}")
        ctx.exit(error.exit_code)


MEANT = {"now": "date or status", "time": "date", "version": "--version", "reset": "init --force", "list": "squeue"}
"""Words that are not commands, and what is meant by them."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        if COMMANDS[cmd_name].kind in WITHOUT_CLICK:
            return SlurmCommand(load(cmd_name))
        command: click.Command = load(cmd_name)
        return with_state(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with those that are spelled alike."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            alike = MEANT.get(args[0]) or ", ".join(get_close_matches(args[0], COMMANDS, cutoff=0.7))
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean: {alike}?" if alike else ""))
        ctx.ensure_object(Application).subcommand = args[0]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the table's help lines, importing none of them."""
        width = max(map(len, COMMANDS))
        for kind in (SLURM, OWN, SHELL, GRID_ENGINE):
            with formatter.section(kind):
                formatter.write_dl([(name.ljust(width), e.help) for name, e in COMMANDS.items() if e.kind == kind])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options ahead of the command."""
        with refusing(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> int:
        """Run the command that the line names, its errors turned into text; return the exit code, or end with it."""
        with refusing(ctx):
            return bounded(ctx, lambda: super(LazyGroup, self).invoke(ctx) or 0)


def _set_state(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Application).state = value


def _set_asker(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    """Let this command line ask as another user."""
    if value is not None:
        ctx.with_resource(asker_restored())
        os.environ[ASKER] = value


def _state_option() -> click.Option:
    return click.Option(
        ["--state"],
        metavar="DIR",
        expose_value=False,
        callback=_set_state,
        help="State directory (default: SLIMSCHED_STATE or your own).",
    )


def with_state(command: click.Command) -> click.Command:
    """Give one of our own commands, and its subcommands, the option ``--state DIR``."""
    if not any("--state" in param.opts for param in command.params):
        command.params.append(_state_option())
    for sub in getattr(command, "commands", {}).values():
        with_state(sub)
    return command


EPILOG = """\
\b
Examples:
  sim init --nodes 'node[01-04]' --cpus 16
  sim sbatch -n 8 -t 30 --wrap 'sleep 600'
  sim squeue
  sim explain 1
  sim advance 10m

Lines that begin "COMMAND: note: " are not Slurm's; SLIMSCHED_NOTES=0 silences
them.

sim COMMAND --help and man sim-COMMAND describe each command.
"""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "obj": None}, epilog=EPILOG)
@click.option(
    "--as",
    metavar="USER",
    expose_value=False,
    callback=_set_asker,
    help="Ask as this user, with this user's rights (or SLIMSCHED_USER).",
)
@click.version_option(__version__, "-V", "--version", message=f"slimsched %(version)s (Slurm {SLURM_VERSION})")
def group() -> None:
    """Slurm's commands over a plain directory, with no daemon.

    Jobs are simulated: they take time and nodes, but no process runs and no output file is written. On a cluster made
    by sim init --live they really run.

    --state or SLIMSCHED_STATE names the state directory, which must exist: sim init makes it. Otherwise it is your own;
    the first command makes it, with a cluster of three nodes. Time stands still until advance, wait or another
    command that waits for a job moves it.
    """


with_state(group)


def run(app: Application, args: list[str]) -> int:
    """Run a command line through Click; Click's own complaints exit 2."""
    return int(group.main(args, prog_name="sim", obj=app, standalone_mode=False) or 0)

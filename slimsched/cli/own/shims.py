"""`sim shims`: Slurm's command names as files, for programs that call them by name."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from slimsched.cli.app import Application
from slimsched.errors import UserError

RUN = "import sys; from slimsched.cli.start import main; sys.exit(main())"
MARK = "# Made by `sim shims`."
TEXT = """\
#!/bin/sh
{mark}
[ -n "$SLIMSCHED_STATE" ] || SLIMSCHED_STATE={state}
export SLIMSCHED_STATE
exec {sim} {name} "$@"
"""


@click.command(name="shims")
@click.argument("folder", metavar="DIR")
@click.pass_obj
def command(app: Application, folder: str) -> None:
    """Write small scripts named sbatch, squeue and so on into DIR; put DIR first on PATH.

    The scripts use the state directory of SLIMSCHED_STATE, or else the one that is in use now, so they also work for
    programs that clean the environment of their children. The output is for the shell:

    eval "$(sim shims DIR)"
    """
    from slimsched.state.layout import locate

    place = Path(folder).absolute()
    names = write(place, locate(app.state))
    app.out(f"# {len(names)} commands: {' '.join(names)}")
    app.out(ahead(place))


def write(place: Path, state: str, *, clock: bool = False) -> list[str]:
    """Write the scripts for a state directory into a folder; return their names; ``clock``: ``sleep`` and ``date`` too.

    Raises `UserError` if something else has one of the names.
    """
    from slimsched.cli.subcommands import COMMANDS, SHELL, SLURM

    names = [name for name, entry in COMMANDS.items() if entry.kind == SLURM or (clock and entry.kind == SHELL)]
    for name in names:
        if not _ours(place / name):
            raise UserError(f"{place / name} exists, and was not made by sim shims")
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        text = TEXT.format(mark=MARK, state=shlex.quote(state), sim=_program(), name=name)
        fresh = place / f".{name}.{os.getpid()}"  # a script that a job is about to call is replaced at once
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        fresh.replace(place / name)
    return names


def ahead(place: Path) -> str:
    """Return the shell's command that puts a folder ahead of all others on PATH."""
    return f'export PATH={shlex.quote(str(place))}:"$PATH"'


def target(path: Path) -> tuple[str, str] | None:
    """Return the program and the state directory that one of our scripts calls, None for any other file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    if MARK not in lines:
        return None
    state = next((line.partition("SLIMSCHED_STATE=")[2] for line in lines if line.startswith("[ -n")), "''")
    program = next((line for line in lines if line.startswith("exec ")), "exec ''")
    return shlex.split(program)[1], "".join(shlex.split(state))


def _ours(path: Path) -> bool:
    """Whether a path is free, or holds one of our scripts."""
    if not os.path.lexists(path):
        return True
    return path.is_file() and MARK in path.read_text(encoding="utf-8", errors="replace")


def _program() -> str:
    """Return the words that run this program. The script that pip makes imports what we may not need."""
    return shlex.join([sys.executable, "-P", "-c", RUN])

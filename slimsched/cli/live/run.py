"""`sim run`: a command among Slurm's commands, over a cluster of its own."""

from __future__ import annotations

import os
import signal
import sys

import click

from slimsched.cli.app import Application

EXAMPLES = """\
\b
Examples:
  sim run --live -- pytest
  sim run -- ./polls-squeue.sh
"""


@click.command(
    name="run", epilog=EXAMPLES, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--live", is_flag=True, help="Jobs really run, on the system's clock.")
@click.option("--nodes", metavar="HOSTLIST", help="Names of the nodes of a new cluster.")
@click.option("--cpus", metavar="N", help="CPUs of each node of a new cluster.")
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_obj
def command(app: Application, live: bool, nodes: str | None, cpus: str | None, words: tuple[str, ...]) -> int:
    """Run COMMAND with sbatch, squeue and so on first on PATH.

    They use the named state directory. Without --state and SLIMSCHED_STATE a temporary one is made. Afterwards it is
    removed, and its remaining jobs are cancelled. The exit status is that of COMMAND.
    """
    from slimsched.cli.live import place
    from slimsched.state.layout import locate

    ours = not place.named(app)
    folder = place.temporary() if ours else locate(app.state)
    node = {key: value for key, value in (("NodeName", nodes), ("CPUs", cpus)) if value is not None}
    try:
        names = place.prepared(folder, node, live=live)
        environment = {**os.environ, "SLIMSCHED_STATE": folder}
        environment["PATH"] = f"{names}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return _called(app, words, environment)
    finally:
        if ours:
            place.remove(folder)


def _called(app: Application, words: tuple[str, ...], environment: dict[str, str]) -> int:
    """Run the command and return its exit status, 128 and the number for a signal; Control-C is the command's."""
    import subprocess

    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = subprocess.run(words, env=environment, check=False, preexec_fn=_interruptible).returncode
    except OSError as fault:
        app.err(f"sim: error: {words[0]}: {fault.strerror}")
        return 126 if isinstance(fault, PermissionError) else 127
    finally:
        signal.signal(signal.SIGINT, before)
    return 128 - code if code < 0 else code


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

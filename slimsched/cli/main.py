"""The command ``sim``: finds the subcommand in a static table, imports that one alone, and runs it.

Two lanes lead from the table. A program of Slurm's or Grid Engine's is run from here without Click, whose import
would cost a fifth of its time; everything else goes through the group in `group`, where every entry is a Click
command. Both lanes read and run a program by the same methods (`program.Program`).
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from slimsched.cli.app import Application, release

SLURM = "Slurm's commands"
GRID_ENGINE = "Grid Engine's"
OWN = "This program's own"
"""Kinds of subcommands; each is a heading of ``sim --help``."""

WITHOUT_CLICK = frozenset({SLURM, GRID_ENGINE})
"""Kinds that the fast lane runs: their modules hold a `program.Program`, those of the others a `click.Command`."""


class Entry(NamedTuple):
    """A subcommand: its kind, where it is ("module:attribute"), and its line of help."""

    kind: str
    target: str
    help: str


COMMANDS: dict[str, Entry] = {
    "sbatch": Entry(SLURM, "slimsched.cli.submit.sbatch:command", "Submit a batch script."),
    "srun": Entry(SLURM, "slimsched.cli.submit.srun:command", "Run a parallel job."),
    "salloc": Entry(SLURM, "slimsched.cli.submit.salloc:command", "Obtain an allocation and run a command in it."),
    "squeue": Entry(SLURM, "slimsched.cli.squeue.squeue:command", "List jobs."),
    "sinfo": Entry(SLURM, "slimsched.cli.sinfo.sinfo:command", "List partitions and nodes."),
    "scontrol": Entry(
        SLURM, "slimsched.cli.scontrol:command", "Show and change jobs, nodes, partitions and reservations."
    ),
    "sacct": Entry(SLURM, "slimsched.cli.sacct.sacct:command", "List the jobs of the past and the present."),
    "scancel": Entry(SLURM, "slimsched.cli.scancel.scancel:command", "Cancel or signal jobs."),
    "sacctmgr": Entry(
        SLURM, "slimsched.cli.sacctmgr:command", "Show and change accounts, users, associations and QOS."
    ),
    "sattach": Entry(
        SLURM, "slimsched.cli.submit.sattach:command", "Attach to a running step; there is none to attach to."
    ),
    "sstat": Entry(SLURM, "slimsched.cli.sacct.sstat:command", "Show what running steps use."),
    "sshare": Entry(SLURM, "slimsched.cli.sacct.sshare:command", "Show shares, usage and fair-share factors."),
    "sreport": Entry(SLURM, "slimsched.cli.sacct.sreport:command", "Report how the cluster was used."),
    "sprio": Entry(SLURM, "slimsched.cli.sacct.sprio:command", "Show the parts of the priorities of pending jobs."),
    "sdiag": Entry(SLURM, "slimsched.cli.daemons.sdiag:command", "Show what the scheduler has done so far."),
    "slurmd": Entry(SLURM, "slimsched.cli.daemons.slurmd:command", "Register a node, as its slurmd would."),
    "init": Entry(OWN, "slimsched.cli.own.init:command", "Make a cluster: nodes, partitions, plugins, clock."),
    "shims": Entry(OWN, "slimsched.cli.own.shims:command", "Put Slurm's command names into a directory for PATH."),
    "advance": Entry(OWN, "slimsched.cli.own.advance:command", "Move the virtual clock forward."),
    "wait": Entry(OWN, "slimsched.cli.own.wait:command", "Advance until jobs have ended."),
    "explain": Entry(
        OWN, "slimsched.cli.own.explain:command", "Say why a job does not start, or why it runs where it does."
    ),
    "events": Entry(OWN, "slimsched.cli.own.history:command", "Print what happened, as a readable history."),
    "constraint": Entry(OWN, "slimsched.cli.constraint:command", "Match and check node constraints."),
    "plugins": Entry(OWN, "slimsched.cli.own.plugins:command", "List and check plugins."),
    "wiki": Entry(OWN, "slimsched.cli.own.wiki:command", "Let an external scheduler start jobs."),
    "doctor": Entry(OWN, "slimsched.cli.own.doctor:command", "Check and repair the state directory."),
    "completion": Entry(
        OWN, "slimsched.cli.completion.command:command", "Print a script that completes command lines in a shell."
    ),
    "qsub": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qsub:command", "Grid Engine: submit a job."),
    "qstat": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qstat:command", "Grid Engine: show jobs and queues."),
    "qhost": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qhost:command", "Grid Engine: show hosts."),
    "qselect": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qselect:command", "Grid Engine: select queues."),
    "qdel": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qdel:command", "Grid Engine: delete jobs."),
    "qconf": Entry(
        GRID_ENGINE, "slimsched.cli.gridengine.qconf:command", "Grid Engine: show and change complex attributes."
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without ``argv`` run the process's own and end the process."""
    if sys.platform == "win32":
        sys.stderr.write("sim: error: slimsched runs on Linux and macOS; on Windows use it inside WSL.\n")
        return 1
    app = Application()
    if argv is not None:
        code = app.guard(lambda: _dispatch(app, list(argv)))
        release()
        return code
    # A command lives for milliseconds: collecting garbage and taking the interpreter down would be a fifth of it.
    gc.set_threshold(500_000, 50, 50)  # more objects than the records of 10,000 jobs
    code = app.guard(lambda: _dispatch(app, sys.argv[1:]))
    sys.stderr.flush()
    os._exit(code)


def load(name: str) -> Any:
    """Import subcommand ``name`` and return what its entry points to: a `program.Program` or a `click.Command`."""
    module, _, attribute = COMMANDS[name].target.partition(":")
    return getattr(import_module(module), attribute)


def _dispatch(app: Application, args: list[str]) -> int:
    """Take our own leading options, then run a program directly and everything else through Click."""
    start = _leading_state(app, args)
    entry = COMMANDS.get(args[start]) if start < len(args) else None
    if entry is not None and entry.kind in WITHOUT_CLICK:
        app.subcommand = args[start]
        return int(load(args[start]).main(app, args[start + 1 :]))
    from slimsched.cli.group import run

    return run(app, args[start:])


def _leading_state(app: Application, args: list[str]) -> int:
    """Note ``--state DIR`` ahead of the subcommand; return where the rest begins."""
    place = 0
    while place < len(args):
        word, equals, value = args[place].partition("=")
        if word != "--state" or (not equals and place + 1 >= len(args)):
            break
        app.state = value if equals else args[place + 1]
        place += 1 if equals else 2
    return place


if __name__ == "__main__":
    sys.exit(main())

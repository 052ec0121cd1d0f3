"""The command ``sim``: finds the subcommand in a static table, imports that one alone, and runs it.

Slurm's own commands (`command.SlurmCommand`) run from here without Click, whose import would cost a fifth of
their time; the toolkit's own commands and ``--help`` go through the group in `group`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from slimsched.cli.app import Application

COMMANDS: dict[str, tuple[str, str]] = {
    "sbatch": ("slimsched.cli.sbatch:command", "Submit a batch script."),
    "srun": ("slimsched.cli.srun:command", "Run a parallel job."),
    "salloc": ("slimsched.cli.salloc:command", "Obtain an allocation and run a command in it."),
    "squeue": ("slimsched.cli.squeue:command", "List jobs."),
    "sinfo": ("slimsched.cli.sinfo:command", "List partitions and nodes."),
    "scontrol": ("slimsched.cli.scontrol:command", "Show and change jobs, nodes, partitions and reservations."),
    "sacct": ("slimsched.cli.sacct:command", "List the jobs of the past and the present."),
    "scancel": ("slimsched.cli.scancel:command", "Cancel or signal jobs."),
    "sacctmgr": ("slimsched.cli.sacctmgr:command", "Show and change accounts, users, associations and QOS."),
    "sattach": ("slimsched.cli.sattach:command", "Attach to a running step; there is none to attach to."),
    "sstat": ("slimsched.cli.sstat:command", "Show what running steps use."),
    "sshare": ("slimsched.cli.sshare:command", "Show shares, usage and fair-share factors."),
    "sreport": ("slimsched.cli.sreport:command", "Report how the cluster was used."),
    "sprio": ("slimsched.cli.sprio:command", "Show the parts of the priorities of pending jobs."),
    "sdiag": ("slimsched.cli.sdiag:command", "Show what the scheduler has done so far."),
    "init": ("slimsched.cli.init:command", "Make a cluster: nodes, partitions, plugins, clock."),
    "advance": ("slimsched.cli.advance:command", "Move the virtual clock forward."),
    "wait": ("slimsched.cli.wait:command", "Advance until jobs have ended."),
    "doctor": ("slimsched.cli.doctor:command", "Check and repair the state directory."),
    "completion": ("slimsched.cli.completion:command", "Print a script that completes command lines in a shell."),
    "shims": ("slimsched.cli.shims:command", "Put Slurm's command names into a directory for PATH."),
    "slurmd": ("slimsched.cli.slurmd:command", "Register a node, as its slurmd would."),
    "events": ("slimsched.cli.events:command", "Print what happened, as a readable history."),
    "explain": ("slimsched.cli.explain:command", "Say why a job does not start, or why it runs where it does."),
    "plugins": ("slimsched.cli.plugins:command", "List and check plugins."),
    "wiki": ("slimsched.cli.wiki:command", "Let an external scheduler start jobs."),
    "constraint": ("slimsched.cli.constraint:command", "Match and check node constraints."),
    "qsub": ("slimsched.cli.gridengine.qsub:command", "Grid Engine: submit a job."),
    "qstat": ("slimsched.cli.gridengine.qstat:command", "Grid Engine: show jobs and queues."),
    "qhost": ("slimsched.cli.gridengine.qhost:command", "Grid Engine: show hosts."),
    "qselect": ("slimsched.cli.gridengine.qselect:command", "Grid Engine: select queues."),
    "qdel": ("slimsched.cli.gridengine.qdel:command", "Grid Engine: delete jobs."),
    "qconf": ("slimsched.cli.gridengine.qconf:command", "Grid Engine: show and change complex attributes."),
}
"""Subcommand -> where it is ("module:attribute") and its line of help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without ``argv`` run the process's own and end the process."""
    if sys.platform == "win32":
        sys.stderr.write("sim: error: slimsched runs on Linux and macOS; on Windows use it inside WSL.\n")
        return 1
    app = Application()
    if argv is not None:
        return app.guard(lambda: _dispatch(app, list(argv)))
    # A command lives for milliseconds: collecting garbage and taking the interpreter down would be a fifth of it.
    gc.set_threshold(100_000, 50, 50)
    code = app.guard(lambda: _dispatch(app, sys.argv[1:]))
    sys.stderr.flush()
    os._exit(code)


def load(name: str) -> Any:
    """Import subcommand ``name`` and return its command object."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    return getattr(import_module(module), attribute)


def _dispatch(app: Application, args: list[str]) -> int:
    """Take our own leading options, then run a Slurm command directly and everything else through Click."""
    start = _leading_state(app, args)
    if start < len(args) and args[start] in COMMANDS:
        app.subcommand = args[start]
        command = load(args[start])
        if hasattr(command, "usage_exit"):
            return int(command.main(app, args[start + 1 :]))
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

"""The subcommands of ``sim``: one static table, from which a command's module is imported when it is run."""

from __future__ import annotations

from typing import Any

from slimsched.slurm.rows import Row

SLURM = "Slurm's commands"
GRID_ENGINE = "Grid Engine's"
OWN = "This program's own"
SHELL = "The shell's, on the virtual clock"
"""Kinds of subcommands; each is a heading of ``sim --help``."""

WITHOUT_CLICK = frozenset({SLURM, GRID_ENGINE, SHELL})
"""Kinds that the fast lane runs: their modules hold a `program.Program`, those of the others a `click.Command`."""


class Entry(Row):
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
    "sacct": Entry(SLURM, "slimsched.cli.sacct.sacct:command", "List past and present jobs."),
    "scancel": Entry(SLURM, "slimsched.cli.scancel.scancel:command", "Cancel or signal jobs."),
    "sacctmgr": Entry(
        SLURM, "slimsched.cli.sacctmgr:command", "Show and change accounts, users, associations and QOS."
    ),
    "sattach": Entry(
        SLURM,
        "slimsched.cli.submit.sattach:command",
        "Attach to a running step; simulated steps cannot be attached to.",
    ),
    "sbcast": Entry(SLURM, "slimsched.cli.submit.sbcast:command", "Copy a file to the nodes of a job."),
    "seff": Entry(SLURM, "slimsched.cli.sacct.seff:command", "Show how well a job used what it had."),
    "sstat": Entry(SLURM, "slimsched.cli.sacct.sstat:command", "Show the resources that running steps use."),
    "sshare": Entry(SLURM, "slimsched.cli.sacct.sshare:command", "Show shares, usage and fair-share factors."),
    "sreport": Entry(SLURM, "slimsched.cli.sacct.sreport:command", "Report how the cluster was used."),
    "sprio": Entry(SLURM, "slimsched.cli.sacct.sprio:command", "Show the parts of the priorities of pending jobs."),
    "sdiag": Entry(SLURM, "slimsched.cli.daemons.sdiag:command", "Show what the scheduler has done so far."),
    "scrontab": Entry(
        SLURM, "slimsched.cli.daemons.scrontab:command", "Keep the crontab of a user: jobs that run again and again."
    ),
    "strigger": Entry(SLURM, "slimsched.cli.daemons.strigger:command", "Run programs once something has happened."),
    "slurmd": Entry(SLURM, "slimsched.cli.daemons.slurmd:command", "Register a node, as its slurmd would."),
    "init": Entry(OWN, "slimsched.cli.own.init:command", "Make a cluster: nodes, partitions, plugins, clock."),
    "run": Entry(OWN, "slimsched.cli.live.run:command", "Run a command with Slurm's commands first on PATH."),
    "env": Entry(OWN, "slimsched.cli.live.env:command", "Print shell commands that put Slurm's commands on PATH."),
    "shims": Entry(OWN, "slimsched.cli.own.shims:command", "Put Slurm's command names into a directory for PATH."),
    "advance": Entry(OWN, "slimsched.cli.own.advance:command", "Move the virtual clock forward."),
    "wait": Entry(OWN, "slimsched.cli.own.wait:command", "Advance until jobs have ended."),
    "explain": Entry(
        OWN, "slimsched.cli.own.explain:command", "Explain why a job does not start, or why it runs where it does."
    ),
    "replay": Entry(OWN, "slimsched.cli.replay.replay:command", "Replay a recorded workload under a policy."),
    "generate": Entry(OWN, "slimsched.cli.replay.generate:command", "Make a synthetic workload."),
    "compare": Entry(OWN, "slimsched.cli.replay.compare:command", "Show the metrics of replays side by side."),
    "gantt": Entry(OWN, "slimsched.cli.replay.gantt:command", "Draw who ran where: nodes by time."),
    "report": Entry(OWN, "slimsched.cli.replay.report:command", "Write a page about a replay, or about a cluster."),
    "sweep": Entry(OWN, "slimsched.cli.replay.sweep:command", "Replay every combination of a grid's values."),
    "status": Entry(OWN, "slimsched.cli.own.status:command", "Show clock, nodes, jobs and what they wait for."),
    "events": Entry(OWN, "slimsched.cli.own.history:command", "Print the history of the cluster."),
    "fault": Entry(OWN, "slimsched.cli.own.fault:command", "Make Slurm's commands fail, for tests of error handling."),
    "calls": Entry(OWN, "slimsched.cli.own.calls:command", "List the commands that the cluster received."),
    "snapshot": Entry(OWN, "slimsched.cli.own.snapshot:command", "Save the cluster under a name, and restore it."),
    "constraint": Entry(OWN, "slimsched.cli.constraint:command", "Match and check node constraints."),
    "plugins": Entry(OWN, "slimsched.cli.own.plugins:command", "List and check plugins."),
    "wiki": Entry(OWN, "slimsched.cli.own.wiki:command", "Let an external scheduler start jobs."),
    "doctor": Entry(OWN, "slimsched.cli.own.doctor:command", "Check and repair the state directory."),
    "help": Entry(OWN, "slimsched.cli.own.help:command", "Show the help of a command."),
    "completion": Entry(
        OWN, "slimsched.cli.completion.command:command", "Print a script that completes command lines in a shell."
    ),
    "sleep": Entry(SHELL, "slimsched.cli.own.shell_clock:sleep", "Move the virtual clock, as sleep(1) lets time pass."),
    "date": Entry(SHELL, "slimsched.cli.own.shell_clock:date", "Show the virtual clock, as date(1) shows the time."),
    "qsub": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qsub:command", "Grid Engine: submit a job."),
    "qstat": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qstat:command", "Grid Engine: show jobs and queues."),
    "qhost": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qhost:command", "Grid Engine: show hosts."),
    "qselect": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qselect:command", "Grid Engine: select queues."),
    "qdel": Entry(GRID_ENGINE, "slimsched.cli.gridengine.qdel:command", "Grid Engine: delete jobs."),
    "qconf": Entry(
        GRID_ENGINE, "slimsched.cli.gridengine.qconf:command", "Grid Engine: show and change complex attributes."
    ),
}


def load(name: str) -> Any:
    """Import subcommand ``name`` and return what its entry points to: a `program.Program` or a `click.Command`."""
    module, _, attribute = COMMANDS[name].target.partition(":")
    return getattr(__import__(module, fromlist=[attribute]), attribute)  # importlib takes a quarter of a millisecond

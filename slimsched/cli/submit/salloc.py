"""``salloc``: obtain an allocation and run a command here while it lasts."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H, Given, Program
from slimsched.cli.submit import allocation, drafts
from slimsched.cli.submit.options.request import read
from slimsched.slurm.options import options_of

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.job import Job

OPTIONS = options_of("a")
USAGE_EXIT = 255


@drafts.with_exit_codes
def run(app: Application, given: Given, args: list[str]) -> int:
    """Obtain the allocation, run the command (else a shell), give the allocation back."""
    lines = [read(given.pairs)]
    if args[:1] == [":"]:
        from slimsched.cli.submit import components

        more, args = components.of_line("salloc", OPTIONS, args, USAGE_EXIT)
        every = components.merged(app, "SALLOC", OPTIONS, lines + more, [])
    else:
        every = [drafts.draft(app, "SALLOC", OPTIONS, lines[0])]
    made, others = every[-1], every[1:]  # what counts for the whole job has been carried on to the last
    argv = args or [os.environ.get("SHELL") or "/bin/sh"]
    name = "no-shell" if "no-shell" in made.other else "interactive"
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, every[0], given, name=name, batch=False, others=others)
    job = allocation.obtain(app, every[0], given, None, name=name, others=others)
    say = _silent if "quiet" in made.other else app.err
    say(f"salloc: Granted job allocation {job.job_id}")
    for nodes in _nodes(app, job):
        say(f"salloc: Nodes {nodes} are ready for job")
    if "no-shell" in made.other:
        return 0
    code = 1
    try:
        code = _run(app, argv, job)
    finally:
        held = allocation.give_back(app, job.job_id, code)
        say(f"salloc: Relinquishing job allocation {job.job_id}" if held else allocation.REVOKED.format(job.job_id))
    return code


def _nodes(app: Application, job: Job) -> list[str]:
    """Return the nodes of each component."""
    if not job.het_job_id:
        return [job.nodes]
    with app.session(write=False) as ctl:
        return [one.nodes for one in ctl.cluster.components(job)]


def _silent(text: str) -> None:
    """Say nothing."""


def _run(app: Application, argv: list[str], job: Job) -> int:
    """Run the command with the job's environment; return its exit code, 0 if somebody at the terminal ended it."""
    import subprocess

    with app.session(write=False) as ctl:
        from slimsched.executor.batch_environment import allocation_environment

        environment = {**os.environ, **allocation_environment(ctl.cluster, job)}
    environment["SLIMSCHED_STATE"] = app.store.folder
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command's business, as it is in Slurm
    try:
        code = subprocess.run(argv, env=environment, check=False, restore_signals=True).returncode
    except OSError:
        app.err(f'salloc: error: _fork_command: Unable to find command "{argv[0]}"')
        return 1
    finally:
        signal.signal(signal.SIGINT, before)
    return int(-code not in BY_HAND) if code < 0 else code


BY_HAND = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)


command = Program(
    "salloc",
    (*OPTIONS, *STANDARD_H),
    run,
    summary="Obtain an allocation and run a command in it",
    arguments="[command [arguments...]]",
    posix=True,
    usage_exit=USAGE_EXIT,
    refusal="Job submit/allocate failed: ",
)

"""``salloc``: obtain an allocation and run a command here while it lasts."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.cli.program import STANDARD_H, Given, Program
from slimsched.cli.submit import allocation, drafts
from slimsched.cli.submit.options.request import read
from slimsched.errors import UserError
from slimsched.slurm import states
from slimsched.slurm.options import options_of

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
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
    _enter(made)
    argv = args or [os.environ.get("SHELL") or "/bin/sh"]
    name = "no-shell" if "no-shell" in made.other else "interactive"
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, every[0], given, name=name, batch=False, others=others)
    began = time.monotonic()
    job = allocation.obtain(app, every[0], given, None, name=name, others=others)
    if _rings(made, time.monotonic() - began):
        app.out("\a", end="")
    say = _silent if "quiet" in made.other else app.err
    say(f"salloc: Granted job allocation {job.job_id}")
    for nodes in _nodes(app, job):
        say(f"salloc: Nodes {nodes} are ready for job")
    if "no-shell" in made.other:
        return 0
    code = 1
    revoked: list[str] = []
    try:
        code = _attend(app, made, argv, job, say, revoked) if app.live else _run(app, argv, job)
    finally:
        signal_number = -code if code < 0 else 0
        held = allocation.give_back(app, job.job_id, max(0, code), signal_number)
        if held:
            say(f"salloc: Relinquishing job allocation {job.job_id}")
        elif not revoked:
            say(allocation.REVOKED.format(job.job_id))
    return int(-code not in BY_HAND) if code < 0 else code


def _rings(made: Draft, waited: float) -> bool:
    """Whether the bell of the terminal rings for an allocation that was waited for."""
    wanted = "bell" in made.recorded or ("no-bell" not in made.recorded and waited > LONG)
    return wanted and os.isatty(1)


LONG = 10
"""Seconds of waiting after which the bell rings by itself."""


def _enter(made: Draft) -> None:
    """Go where the command is to run (``--chdir``). Raises `UserError`."""
    folder = made.fields.get("work_dir")
    if folder and made.given("chdir"):
        try:
            os.chdir(str(folder))
        except OSError as fault:
            raise UserError(f"chdir({folder}): {fault.strerror}") from fault


def _nodes(app: Application, job: Job) -> list[str]:
    """Return the nodes of each component."""
    if not job.het_job_id:
        return [job.nodes]
    with app.session(write=False) as ctl:
        return [one.nodes for one in ctl.cluster.components(job)]


def _silent(text: str) -> None:
    """Say nothing."""


def _environment(app: Application, job: Job) -> dict[str, str]:
    """Return the environment of the command: that of ours, and the job's."""
    with app.session(write=False) as ctl:
        from slimsched.executor.batch_environment import allocation_environment

        environment = {**os.environ, **allocation_environment(ctl.cluster, job), "SLIMSCHED_STATE": app.store.folder}
    if app.live:
        from slimsched.executor.batch_environment import FIXED

        environment |= {name: value for name, value in FIXED.items() if not name.startswith("SLURM_")}
        for name in ("ENVIRONMENT", *NOT_HERE):
            environment.pop(name, None)
    return environment


NOT_HERE = ("SLURM_JOB_UID", "SLURM_JOB_GID", "SLURM_JOB_USER", "SLURM_JOB_START_TIME", "SLURM_JOB_END_TIME")
"""Variables of a job that the command of an allocation does not get."""


def _run(app: Application, argv: list[str], job: Job) -> int:
    """Run the command with the job's environment; return its exit code, less than 0 for a signal."""
    import subprocess

    environment = _environment(app, job)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command's business, as it is in Slurm
    try:
        return subprocess.run(argv, env=environment, check=False, restore_signals=True).returncode
    except OSError:
        return _unable(app, argv)
    finally:
        signal.signal(signal.SIGINT, before)


def _attend(
    app: Application, made: Draft, argv: list[str], job: Job, say: Callable[[str], None], revoked: list[str]
) -> int:
    """Run the command while the allocation lasts, and say so when it is taken away."""
    from slimsched.executor.local.attended import Attended
    from slimsched.text import signals

    environment = _environment(app, job)
    if not made.given("mem-per-cpu"):
        environment.pop("SLURM_MEM_PER_CPU", None)

    def told(order: dict[str, Any]) -> None:
        if order["do"] == "notify":
            say(f"salloc: {order['text']}")
        if order["do"] != "stop" or revoked:
            return
        revoked.append(order["why"])
        say((OVER_LIMIT if order["why"] == states.TIMEOUT else allocation.REVOKED).format(job.job_id))
        if "kill-command" in made.recorded:
            attended.send(signals.number(made.recorded["kill-command"] or "TERM"))

    attended = Attended(allocation.folder(app, job), told)
    sys.stderr.flush()
    try:
        return attended.run(argv, environment)
    except OSError:
        return _unable(app, argv)


OVER_LIMIT = "salloc: Job {} has exceeded its time limit and its allocation has been revoked."


def _unable(app: Application, argv: list[str]) -> int:
    app.err(f'salloc: error: _fork_command: Unable to find command "{argv[0]}"')
    return 1


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

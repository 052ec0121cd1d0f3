"""`sim advance`: move the virtual clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.cli.own.job_argument import JobArgument
from slimsched.cli.watching import INTERRUPTED, watching
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.watching import Bar
    from slimsched.controller.core import Controller
    from slimsched.controller.schedule.event_loop import Watcher
    from slimsched.slurm.job_ids import JobId


EXAMPLES = """\
\b
Examples:
  sim advance 10m
  sim advance 1-0
  sim advance --until-idle
"""


@click.command(name="advance", epilog=EXAMPLES)
@click.argument("duration", required=False)
@click.option("--until-idle", is_flag=True, help="Advance until no job runs and none will start.")
@click.option("--until-job", metavar="ID", type=JobArgument(), help="Advance until this job has ended.")
@click.pass_obj
def command(app: Application, duration: str | None, until_idle: bool, until_job: JobId | None) -> int:
    """Move the virtual clock by DURATION and process each event on the way.

    DURATION is a number with a unit (s, m, h, d), or a Slurm time, in which a bare number is minutes.
    The command prints the instant that was reached.
    """
    from slimsched.text import times

    if sum((duration is not None, until_idle, until_job is not None)) != 1:
        raise UserError("give a duration (10m, 5:30, 1-0), or --until-idle, or --until-job ID")
    with app.session() as ctl:
        if ctl.cluster.config.clock == "wall":
            raise UserError("the cluster uses the system's clock, which moves by itself (see clock in cluster.toml)")
        start = ctl.cluster.now
        target = start + times.duration(duration) if duration is not None else None
        with watching(lambda: _bar(start, target)) as shown:

            def watch(now: int) -> bool:
                ctl.commit_much()
                return shown(now)

            if target is not None:
                finished = _until(ctl, target, watch)
            elif until_job is not None:
                finished = _until_job(app, ctl, until_job, watch)
            else:
                finished = _until_idle(ctl, watch)
        app.out(times.instant(ctl.cluster.now))
    return 0 if finished else INTERRUPTED


def _until(ctl: Controller, target: int, watch: Watcher) -> bool:
    from slimsched.controller.schedule import event_loop

    return event_loop.advance(ctl, target, watch=watch)


def _until_idle(ctl: Controller, watch: Watcher) -> bool:
    from slimsched.controller.schedule import event_loop

    return event_loop.advance_until_idle(ctl, watch=watch)


def _until_job(app: Application, ctl: Controller, spec: JobId, watch: Watcher) -> bool:
    from slimsched.cli.submit import blocking
    from slimsched.controller.schedule import event_loop

    stopped = False

    def not_stopped(now: int) -> bool:
        nonlocal stopped
        stopped = not watch(now)
        return not stopped

    def ended() -> bool:
        return all(job.finished for job in blocking.meant(app, ctl, spec))

    if not event_loop.advance_until(ctl, ended, watch=not_stopped) and not stopped:
        job = next(job for job in blocking.meant(app, ctl, spec) if not job.finished)
        fault = UserError(f"job {spec.text} will not end: {blocking.stuck(job)}")
        fault.commits = True
        raise fault
    return not stopped


def _bar(start: int, target: int | None) -> Bar:
    from slimsched.render import progress

    return progress.Bar(start, target)

"""`sim wait`: let time pass until jobs have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.cli.own.job_argument import JobArgument
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.slurm.job_ids import JobId

TIMED_OUT = 124


EXAMPLES = """\
\b
Examples:
  sim wait 7
  sim wait 7 8_[1-3] --timeout 1h
"""


@click.command(name="wait", epilog=EXAMPLES)
@click.argument("specs", metavar="JOBID...", nargs=-1, required=True, type=JobArgument())
@click.option("--timeout", metavar="DURATION", help="Give up after this long (10m, 5:30), with exit status 124.")
@click.pass_obj
def command(app: Application, specs: tuple[JobId, ...], timeout: str | None) -> int:
    """Advance the clock until all of these jobs have ended; exit with the highest of their exit codes.

    A job array counts as all of its tasks; 7_3 and 7_[1-2] name some. Under the wall clock the command sleeps instead.
    """
    from slimsched.cli.submit import blocking
    from slimsched.text import times

    def ended(ctl: Controller) -> bool:
        return all(job.finished for spec in specs for job in blocking.meant(app, ctl, spec))

    def code(ctl: Controller) -> int:
        found = [job for spec in specs for job in blocking.meant(app, ctl, spec)]
        waiting = [job for job in found if not job.finished]
        if not waiting:
            return max(blocking.exit_code(job) for job in found)
        if timeout is not None:
            return TIMED_OUT
        fault = UserError(f"job {waiting[0].job_id} will not end: {blocking.stuck(waiting[0])}")
        fault.commits = True
        raise fault

    return blocking.until(app, ended, code, None if timeout is None else times.duration(timeout))

"""Waiting commands: the virtual clock is advanced to the awaited instant, the wall clock is watched."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.slurm.states import CANCELLED, COMPLETED

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId

POLL = 0.2
"""Seconds between two looks at a simulated cluster under the wall clock."""

LONGEST = 5.0
"""Seconds after which a command looks at a live cluster though nobody rang: a supervisor may have died."""


def until(
    app: Application, done: Callable[[Controller], bool], after: Callable[[Controller], int], limit: int | None = None
) -> int:
    """Wait until ``done``, or until nothing more can happen, or for ``limit`` seconds; return what ``after`` says.

    ``after`` runs in the session in which the wait ended, so that nothing happens in between. Under the wall clock
    a look writes nothing, unless something has happened that is to be kept; on a live cluster it comes when something
    was committed.
    """
    deadline: int | None = None
    writing, pause = True, None
    with ExitStack() as stack:
        while True:
            with app.session(write=writing) as ctl:
                cluster = ctl.cluster
                if deadline is None and limit is not None:
                    deadline = cluster.now + limit
                if cluster.config.clock != "wall":
                    from slimsched.controller.schedule import event_loop

                    event_loop.advance_until(ctl, lambda: done(ctl), deadline)
                    return after(ctl)
                over = done(ctl) or (deadline is not None and cluster.now >= deadline)
                if over and writing:
                    return after(ctl)
                news = bool(cluster.events or cluster.dirty_jobs or cluster.pass_due)
                writing = not writing and (over or news)
            if pause is None:
                left = LONGEST if deadline is None else min(LONGEST, deadline - cluster.now)
                pause = _pause(app, stack, live=cluster.config.live, seconds=left)
            elif not writing:
                pause()


def _pause(app: Application, stack: ExitStack, *, live: bool, seconds: float) -> Callable[[], object]:
    """Return what a command does between two looks."""
    if not live:
        from time import sleep

        return lambda: sleep(POLL)
    from slimsched.executor.local import afterwards

    ear = stack.enter_context(afterwards.listening(app.store.folder))
    return lambda: afterwards.heard(ear, seconds)


def records(app: Application, ctl: Controller, job_id: int) -> list[Job]:
    """Return a job's records, those of all its tasks for an array, also purged and archived ones."""
    cluster = ctl.cluster
    job = cluster.jobs.get(job_id)
    if job is not None and not job.array_job_id:
        return [job]
    here = [*cluster.gone_jobs, *cluster.related({job_id})]  # gone: purged by this command, not yet in the archive
    found = [job for job in here if job_id in (job.job_id, job.array_job_id or job.job_id)]
    found = found or app.store.archive.get(job_id)
    return list({job.job_id: job for job in found}.values())  # the last run of each


def meant(app: Application, ctl: Controller, spec: JobId) -> list[Job]:
    """Return the records that a specification means. Raises UserError if there are none."""
    from slimsched.controller.life import selectors

    found = [job for job in records(app, ctl, spec.job_id) if selectors.means(spec, job)]
    if not found:
        from slimsched.controller.requests import strangers

        notes = strangers.jobs(ctl.cluster, [spec.job_id])
        raise UserError(f"Invalid job id specified: {spec.text}", notes=notes)
    return found


def until_ended(app: Application, job_id: int) -> int:
    """Wait until a job, or every task of an array, has ended; return the highest exit code."""
    _keep_pace(app, job_id)

    def ended(ctl: Controller) -> bool:
        return all(job.finished for job in records(app, ctl, job_id))

    def code(ctl: Controller) -> int:
        found = records(app, ctl, job_id)
        waiting = [job for job in found if not job.finished]
        if waiting:
            app.err(f"{app.command}: error: job {job_id} will not end: {stuck(waiting[0])}")
            return 1
        return max((exit_code(job) for job in found), default=1)

    return until(app, ended, code)


PAUSES = (2, 8, 32, 64)
"""Seconds between the looks of Slurm's ``sbatch --wait``; the last one again and again."""


def _keep_pace(app: Application, job_id: int) -> None:
    """Notice the end of a job no sooner than Slurm's own command, where the pace of a live cluster is Slurm's."""
    from itertools import chain, repeat
    from time import sleep

    for seconds in chain(PAUSES, repeat(PAUSES[-1])):
        with app.session(write=False) as ctl:
            if not (ctl.cluster.config.live and ctl.cluster.config.pace == "slurm"):
                return
            if seconds != PAUSES[0] and all(job.finished for job in records(app, ctl, job_id)):
                return
        sleep(seconds)


def stuck(job: Job) -> str:
    """Say why a job goes no further although nothing else is left to happen."""
    if job.pending:
        return f"it is pending ({job.reason}), and no event is left that could start it"
    return "it has neither a run time nor a time limit"


def exit_code(job: Job) -> int:
    """Return the exit status that a waiting command takes from an ended job."""
    if job.exit_code:
        return job.exit_code
    return 0 if job.state in (COMPLETED, CANCELLED) else 1

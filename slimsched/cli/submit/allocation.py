"""Allocations of ``srun`` and ``salloc``: submission, the wait for the grant, and release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from slimsched.cli.submit import blocking, drafts, site_programs
from slimsched.errors import SlurmError, UserError
from slimsched.slurm import reasons, states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

AT_ONCE = 1
TIMED_OUT = "Connection timed out"


def obtain(
    app: Application, made: Draft, given: Given, script: str | None, *, others: Sequence[Draft] = (), **fields: Any
) -> Job:
    """Submit and wait until the allocation is granted; return the running (or already ended) job.

    ``others``: the further components of a heterogeneous job, of which the first is returned.

    ``script`` tells how long the job runs; without one it lasts until it is given back. Raises `SlurmError` for a
    refusal, `UserError` if it can never be granted; the job is cancelled then.
    """
    from slimsched.controller.submit import submission

    before: list[str] = []
    patience = made.other.get("immediate") or None  # 1: at once, more: for so many seconds, None: for ever
    with app.session() as ctl:
        requests = [drafts.make_request(app, ctl, one, given, batch=False, **fields) for one in (made, *others)]
        user = drafts.user_of(ctl, made)
        with drafts.reasoned(ctl, requests, user):
            if others:
                job = submission.submit_together(ctl, requests, user, script)
            else:
                job = submission.submit(ctl, requests[0], user, script)
        if "no-shell" not in made.other:
            ctl.executor.own(job)
        if others and patience == AT_ONCE:
            ctl.settle()
        if made.count("verbose"):
            app.err(f"{app.command}: JobId={job.job_id} returned by the controller")
        behind = app.live and _behind(ctl, job)
        if app.live and site_programs.configured(ctl.cluster.config, site_programs.BEFORE):
            before = site_programs.at_grant(ctl.cluster.config)
        if (job.pending or behind) and patience == AT_ONCE:
            raise _withdrawn(app, ctl, job, behind=behind)
    if job.pending or behind or (others and patience != AT_ONCE):  # in Slurm components never start at once
        _announce_wait(app, job, quiet="quiet" in made.other)
        with cancelled_by_interrupt(app, job.job_id):
            blocking.until(
                app,
                lambda ctl: not ctl.cluster.jobs[job.job_id].pending,
                lambda ctl: _granted(app, ctl, job, given_time=patience is not None),
                patience,
            )
        job = _reload(app, job.job_id)
        if "quiet" not in made.other:
            app.err(f"{app.command}: job {job.job_id} has been allocated resources")
    if before and not site_programs.granted(app, job.job_id, before):
        give_back(app, job.job_id, 1)
        raise UserError("Job prolog failed")
    return job


@contextmanager
def cancelled_by_interrupt(app: Application, job_id: int) -> Iterator[None]:
    """Cancel the job if the user interrupts the command that waits for it."""
    try:
        yield
    except KeyboardInterrupt:
        from slimsched.controller.life import transitions

        with app.session() as ctl:
            job = ctl.cluster.jobs.get(job_id)
            if job is not None and not job.finished:
                transitions.end_job(ctl, job, states.CANCELLED)
        app.err(f"{app.command}: Force Terminated JobId={job_id}")
        raise


def _announce_wait(app: Application, job: Job, *, quiet: bool) -> None:
    if quiet:
        return
    why = reasons.row(job.reason).told
    if why:
        app.err(f"{app.command}: {why.text}")
    if app.command == "salloc":
        app.err(f"salloc: Pending job allocation {job.job_id}")
    app.err(f"{app.command}: job {job.job_id} queued and waiting for resources")


def _granted(app: Application, ctl: Controller, asked: Job, *, given_time: bool) -> int:
    """Check at the end of the wait that the job has its nodes; ``given_time``: not for ever but in some seconds."""
    from slimsched.controller.life import transitions

    job = ctl.cluster.jobs[asked.job_id]
    if app.live and job.finished:
        raise _cancelled(app, job)
    if not job.pending:
        return 0
    error = UserError(f"{NOT_IN_TIME}{TIMED_OUT}", exit_code=_not_at_once(app)) if given_time else _never(job)
    error.commits = True
    transitions.end_job(ctl, job, states.CANCELLED)
    raise error


def _cancelled(app: Application, job: Job) -> SlurmError:
    """Tell that somebody cancelled a job that waited."""
    app.err(f"{app.command}: Job has been cancelled")
    if app.command == "salloc":
        app.err(REVOKED.format(job.job_id))
    else:
        app.refusal = NOT_IN_TIME
    error = SlurmError(Errno.ALREADY_DONE)
    error.commits = True
    return error


def _never(job: Job) -> UserError:
    return UserError(
        f"job {job.job_id} cannot be granted: {blocking.stuck(job)}", notes=("the job has been cancelled",)
    )


NOT_IN_TIME = "Unable to allocate resources: "


def _behind(ctl: Controller, job: Job) -> bool:
    """Whether others wait for the partition with a higher priority: what is asked for goes through the queue then.

    Those do not count that want more nodes, or time, than the partition gives.
    """
    names = set((job.partition or job.request.partition).split(","))
    return any(
        other.pending
        and other.priority > job.priority
        and not other.dependency
        and other.reason not in (reasons.PARTITION_NODES, reasons.PARTITION_TIME)
        and other.request.begin_time <= ctl.cluster.now
        and not names.isdisjoint((other.partition or other.request.partition).split(","))
        for other in ctl.cluster.jobs.values()
    )


def _withdrawn(app: Application, ctl: Controller, job: Job, *, behind: bool = False) -> SlurmError:
    """Take back a job that could not start at once, or is ``behind`` others; its id stays used."""
    from slimsched.controller.submit import submission

    if job.active:
        ctl.select.job_fini(job)
    for one in ctl.cluster.components(job):
        submission.withdraw(ctl, one)
    error = SlurmError(Errno.NOT_TOP_PRIORITY if behind else reasons.row(job.reason).told or Errno.NODES_BUSY)
    if error.errno in (Errno.NODES_BUSY, Errno.NOT_TOP_PRIORITY):
        app.refusal = NOT_IN_TIME
        error.exit_code = _not_at_once(app)
    error.commits = True
    return error


def _not_at_once(app: Application) -> int:
    return drafts.exit_code(app, "SLURM_EXIT_IMMEDIATE")


def _reload(app: Application, job_id: int) -> Job:
    with app.session(write=False) as ctl:
        return ctl.cluster.jobs[job_id]


REVOKED = "salloc: Job allocation {} has been revoked."


@contextmanager
def kept_for(app: Application, job_id: int) -> Iterator[None]:
    """Keep an allocation for what is done in it; if that fails the allocation is given back."""
    try:
        yield
    except BaseException:
        give_back(app, job_id, 1)
        raise


def folder(app: Application, job: Job) -> str:
    """Return the folder of an allocation of this process."""
    from slimsched.executor.local.owners import folder_of

    return folder_of(app.store.data, job)


def give_back(app: Application, job_id: int, exit_code: int, signal: int = 0, *, cancelled: bool = False) -> bool:
    """End an allocation with its command's exit code; whether it had not ended already."""
    from slimsched.controller.life import transitions

    with app.session() as ctl:
        job = ctl.cluster.jobs.get(job_id)
        if job is None or not job.active:
            if job is not None:
                ctl.executor.disown(job)
            return False
        held = not job.ending
        after = site_programs.after_job(ctl, job) if app.live else []
        state = states.FAILED if exit_code or signal else states.COMPLETED
        if cancelled:
            from slimsched.controller.life import cancel

            cancel.cancel_job(ctl, job)
        elif held:
            transitions.end_job(ctl, job, state, exit_code, signal)
        ctl.executor.disown(job)
    site_programs.run_after(app, after, exit_code, signal)
    return held

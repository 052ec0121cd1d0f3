"""The jobs of ``srun``: the one that a step is made in, and the one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.submit import blocking
from slimsched.errors import UserError
from slimsched.slurm import states
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

TERMINATED = 143  # the exit status of a process that SIGTERM ended


def simulate(ctl: Controller, job: Job, made: Draft, name: str) -> None:
    """Note a step that takes no time."""
    from slimsched.controller.life import job_steps

    fields = made.fields
    tasks = 0 if fields.get("overcommit") else int(fields.get("num_tasks") or 0)
    job_steps.run_step(
        ctl,
        job,
        int(fields.get("min_nodes") or 0),
        str(fields.get("nodelist") or ""),
        str(fields["name"]) if made.given("job-name") else name,
        cpus=tasks * int(fields.get("cpus_per_task") or 1),
    )


def allocation_of(app: Application, ctl: Controller, text: str) -> tuple[Job, int]:
    """Return the job that a step is made in, and its id as typed; raise `UserError` if it does not run."""
    from slimsched.controller.life import selectors
    from slimsched.controller.requests import rights

    job_id = strtol(text)[0]
    if not job_id:
        raise UserError(f"Bad job/step specification: {text}", level="fatal")
    spec = selectors.parse(text.partition(".")[0])
    found = [job for job in blocking.records(app, ctl, job_id) if selectors.means(spec, job)]
    job = next((job for job in found if job.active), found[0] if found else None)
    if job is not None and job.active:
        if not rights.owns(ctl.cluster, job):
            raise UserError(f"Unable to create step for job {job_id}: {Errno.ACCESS_DENIED.text}")
        return job, job_id
    if job is not None and job.finished:
        problem = f"SLURM job {job_id} has expired"
    else:
        error = Errno.INVALID_JOB_ID if job is None else Errno.JOB_PENDING
        problem = f"Unable to confirm allocation for job {job_id}: {error.text}"
    app.err(f"srun: error: {problem}")
    from slimsched.controller.requests import strangers

    text = f"Check SLURM_JOB_ID environment variable. Expired or invalid job {job_id}"
    raise UserError(text, level="bare", notes=strangers.jobs(ctl.cluster, [job_id]))


def ended(app: Application, ctl: Controller, job_id: int) -> int:
    """Say how the job ended, if not well, and return its exit code."""
    job: Job = blocking.records(app, ctl, job_id)[0]
    if not job.finished:
        app.err(f"srun: error: job {job_id} will not end: {blocking.stuck(job)}")
        return 1
    node = hostlist.expand(job.nodes, dialect="slurm")[0] if job.nodes else ""
    if job.exit_code:
        app.err(f"srun: error: {node}: task 0: Exited with exit code {job.exit_code}")
        return job.exit_code
    if job.state != states.COMPLETED:
        app.err(f"srun: error: {node}: task 0: Terminated")
        return TERMINATED
    return 0

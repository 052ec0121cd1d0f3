"""``srun``: run a program as the tasks of a step, in an allocation that there is or in one of its own.

On a simulated cluster the step runs nothing.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H, Given, Program
from slimsched.cli.submit import allocation, blocking, drafts
from slimsched.cli.submit.options.request import read
from slimsched.errors import UserError
from slimsched.slurm import states
from slimsched.slurm.errno import Errno
from slimsched.slurm.options import options_of
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

OPTIONS = options_of("s")
TERMINATED = 143  # the exit status of a process that SIGTERM ended


@drafts.with_exit_codes
def run(app: Application, given: Given, args: list[str]) -> int:
    """Submit the program as a job and wait for its end; inside an allocation make a step of it."""
    drafts.refuse_components(args)
    made = drafts.draft(app, "SLURM", OPTIONS, read(given.pairs))
    if "test-only" in made.other and made.given("jobid"):
        from slimsched.cli.submit import preview

        return preview.report_job(app, made, made.other["jobid"])
    if not args:
        raise UserError("No command given to execute.", level="fatal")
    name = os.path.basename(args[0])
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, made, given, name=name, batch=False)
    if "relative" in made.recorded and not made.other.get("jobid"):
        raise UserError("--relative option invalid for job allocation request", level="fatal")
    if made.other.get("jobid"):
        return _step(app, made.other["jobid"], made, args)
    job = allocation.obtain(app, made, given, shlex.join(args), name=name, command=args[0], script_args=args[1:])
    if app.live:
        return _run(app, made, args, job.job_id)
    app.tell_simulated()
    with allocation.cancelled_by_interrupt(app, job.job_id):
        return blocking.until(
            app,
            lambda ctl: all(record.finished for record in blocking.records(app, ctl, job.job_id)),
            lambda ctl: _ended(app, ctl, job.job_id),
        )


def _run(app: Application, made: Draft, args: list[str], job_id: int) -> int:
    """Run the program in an allocation of our own, and give that back."""
    from slimsched.cli.submit.step import StepCall

    call = StepCall(app, made, args)
    with allocation.kept_for(app, job_id):
        with app.session() as ctl:
            app.refusal = f"Unable to create step for job {job_id}: "
            begun = call.begin(ctl, ctl.cluster.jobs[job_id])
        if not begun:
            call.wait(job_id)
        record = call.launch()
    allocation.give_back(app, job_id, *record["last"], cancelled=bool(record["why"]))
    return int(record["status"])


def _step(app: Application, text: str, made: Draft, args: list[str]) -> int:
    """Make a step on some nodes of an allocation: a simulated one takes no time and prints nothing."""
    name = os.path.basename(args[0])
    with app.session() as ctl:
        job, job_id = _allocation(app, ctl, text)
        app.refusal = f"Unable to create step for job {job_id}: "
        if ctl.cluster.config.live:
            from slimsched.cli.submit.step import StepCall

            call = StepCall(app, made, args)
            begun = call.begin(ctl, job)
            batch = job.has_script
        else:
            _simulate(ctl, job, made, name)
            app.tell_simulated()
            return 0
    if not begun:
        call.wait(job_id)
    record = call.launch()
    if not batch:  # nobody else notices the end of the last step of an allocation that is to end
        with app.session():
            pass
    return int(record["status"])


def _simulate(ctl: Controller, job: Job, made: Draft, name: str) -> None:
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


def _allocation(app: Application, ctl: Controller, text: str) -> tuple[Job, int]:
    """Return the job that a step is made in, and its id as typed; raise `UserError` if it does not run."""
    from slimsched.controller.life import selectors

    job_id = strtol(text)[0]
    if not job_id:
        raise UserError(f"Bad job/step specification: {text}", level="fatal")
    spec = selectors.parse(text.partition(".")[0])
    found = [job for job in blocking.records(app, ctl, job_id) if selectors.means(spec, job)]
    job = next((job for job in found if job.active), found[0] if found else None)
    if job is not None and job.active:
        return job, job_id
    if job is not None and job.finished:
        problem = f"SLURM job {job_id} has expired"
    else:
        error = Errno.INVALID_JOB_ID if job is None else Errno.JOB_PENDING
        problem = f"Unable to confirm allocation for job {job_id}: {error.text}"
    app.err(f"srun: error: {problem}")
    raise UserError(f"Check SLURM_JOB_ID environment variable. Expired or invalid job {job_id}", level="bare")


def _ended(app: Application, ctl: Controller, job_id: int) -> int:
    """Say how the job ended, if not well, and return its exit code."""
    job: Job = blocking.records(app, ctl, job_id)[0]
    if not job.finished:
        app.err(f"srun: error: job {job_id} will not end: {blocking.stuck(job)}")
        return 1
    node = ctl.cluster.bitmap_of(job.nodes) and job.nodes.partition(",")[0]
    if job.exit_code:
        app.err(f"srun: error: {node}: task 0: Exited with exit code {job.exit_code}")
        return job.exit_code
    if job.state != states.COMPLETED:
        app.err(f"srun: error: {node}: task 0: Terminated")
        return TERMINATED
    return 0


command = Program(
    "srun",
    (*OPTIONS, *STANDARD_H),
    run,
    summary="Run a parallel job",
    arguments="executable [arguments...]",
    posix=True,
    usage_exit=255,
    refusal="Unable to allocate resources: ",
)

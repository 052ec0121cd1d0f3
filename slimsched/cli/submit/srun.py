"""``srun``: run a program as the tasks of a step, in an allocation that there is or in one of its own.

On a simulated cluster the step runs nothing.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H, Given, Program
from slimsched.cli.submit import allocation, blocking, drafts, step_jobs
from slimsched.cli.submit.options.request import read
from slimsched.errors import UserError
from slimsched.slurm.options import options_of

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft

OPTIONS = options_of("s")


@drafts.with_exit_codes
def run(app: Application, given: Given, args: list[str]) -> int:
    """Submit the program as a job and wait for its end; inside an allocation make a step of it."""
    if ":" in args or given.has("het-group"):
        from slimsched.cli.submit import het_steps

        return het_steps.run(app, given, args)
    made = drafts.draft(app, "SLURM", OPTIONS, read(given.pairs))
    if "test-only" in made.other and made.given("jobid"):
        from slimsched.cli.submit import preview

        return preview.report_job(app, made, made.other["jobid"])
    if made.recorded.get("mpi"):
        from slimsched.cli.submit import step_programs

        if step_programs.answered_mpi(app, made.recorded["mpi"]):
            return 0
    if not args:
        raise UserError("No command given to execute.", level="fatal")
    if "multi-prog" in made.recorded:
        from slimsched.cli.submit import multi_prog

        made.fields["num_tasks"] = multi_prog.count(args[0], made.fields.get("num_tasks"))
    name = os.path.basename(args[0])
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, made, given, name=name, batch=False)
    if "relative" in made.recorded and not made.other.get("jobid"):
        raise UserError("--relative option invalid for job allocation request", level="fatal")
    if "async" in made.recorded and not made.other.get("jobid"):
        raise UserError("--async option invalid for job allocation request", level="fatal")
    if made.other.get("jobid"):
        return step(app, made.other["jobid"], made, args)
    job = allocation.obtain(app, made, given, shlex.join(args), name=name, command=args[0], script_args=args[1:])
    if app.live:
        return _run(app, made, args, job.job_id)
    app.tell_simulated()
    with allocation.cancelled_by_interrupt(app, job.job_id):
        return blocking.until(
            app,
            lambda ctl: all(record.finished for record in blocking.records(app, ctl, job.job_id)),
            lambda ctl: step_jobs.ended(app, ctl, job.job_id),
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


def step(app: Application, text: str, made: Draft, args: list[str]) -> int:
    """Make a step on some nodes of an allocation: a simulated one takes no time and prints nothing."""
    name = os.path.basename(args[0])
    accept = None
    if "async" in made.recorded:
        from slimsched.cli.submit import async_step

        accept = async_step.detach(made)
    with app.session() as ctl:
        job, job_id = step_jobs.allocation_of(app, ctl, text)
        app.refusal = f"Unable to create step for job {job_id}: "
        if ctl.cluster.config.live:
            from slimsched.cli.submit.step import StepCall

            call = StepCall(app, made, args)
            begun = call.begin(ctl, job)
            batch = job.has_script
        else:
            step_jobs.simulate(ctl, job, made, name)
            app.tell_simulated()
            return 0
    if accept is not None:
        accept()
    if not begun:
        call.wait(job_id)
    record = call.launch()
    if not batch:  # nobody else notices the end of the last step of an allocation that is to end
        with app.session():
            pass
    return int(record["status"])


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

"""The command ``seff``: how well a job used its CPUs and its memory.

Source: seff(1) of Slurm's contributed programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H, Given, Option, Program
from slimsched.cli.sacct.accounting import refuse_disabled
from slimsched.errors import UserError
from slimsched.slurm import states
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.cli.app import Application
    from slimsched.model.job import Ended, Job
    from slimsched.render.jobs.job_view import View

OPTIONS = (Option("debug", "d", help="print what the answer is made of"),)
WAITING = "Efficiency not available for jobs in the PENDING state."
MISLEADING = "WARNING: Efficiency statistics may be misleading for RUNNING jobs."
NOT_FOUND = 2


def run(app: Application, given: Given, args: list[str]) -> None:
    """Print the account of each job."""
    from slimsched.cli.sacct.sacct import DISABLED
    from slimsched.cli.submit import blocking
    from slimsched.controller.life import selectors
    from slimsched.render.jobs.job_view import View

    if not args:
        raise UserError(f"Usage: seff [Options] <Jobid>\n{'':7}Options:\n{'':7}-h    Help menu", level="plain")
    with app.session(write=False) as ctl:
        refuse_disabled(ctl.cluster, DISABLED)
        for text in args:
            try:
                jobs = blocking.meant(app, ctl, selectors.parse(text))
            except UserError as fault:
                raise UserError("Job not found.", exit_code=NOT_FOUND, level="plain", notes=fault.notes) from None
            app.out("\n".join(_lines(View(jobs[0], ctl.cluster))))


def _lines(view: View) -> Iterator[str]:
    job, cluster = view.job, view.cluster
    state = f"{job.state} (exit code {job.exit_code})" if job.finished else job.state
    yield f"Job ID: {job.job_id}"
    if job.array_job_id:
        yield f"Array Job ID: {job.array_job_id}_{job.array_task_id}"
    yield f"Cluster: {cluster.config.get('ClusterName')}"
    yield f"User/Group: {job.user_name}/{job.group_name}"
    yield f"State: {state}"
    cpus, nodes = sum(job.cpus), max(1, len(job.cpus))
    if cpus <= 1:
        yield "Cores: 1"
    else:
        yield f"Nodes: {nodes}"
        yield f"Cores per node: {cpus // nodes}"
    if job.state == states.PENDING:
        yield WAITING
        return
    used = int(sum(each.user + each.system for each in _measured(job)))
    walltime = view.used
    core_time = walltime * max(1, cpus)
    yield f"CPU Utilized: {_clock(used)}"
    yield f"CPU Efficiency: {_share(used, core_time)} of {_clock(core_time)} core-walltime"
    yield f"Job Wall-clock time: {_clock(walltime)}"
    most, given = max((each.rss for each in _measured(job)), default=0), sum(job.memory) << 10
    yield f"Memory Utilized: {_size(most)}"
    yield f"Memory Efficiency: {_share(most, given)} of {_size(given)}"
    if not job.finished:
        yield MISLEADING


def _measured(job: Job) -> list[Ended]:
    """Return what was measured of a job's script and steps; nothing of a simulated one."""
    found = [job.script, *(step.measured for step in job.steps)]
    return [each for each in found if each is not None]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.2f}%"


def _clock(seconds: int) -> str:
    return times.elapsed(seconds, full=True)


def _size(kilobytes: int) -> str:
    """Return an amount of memory in the unit that suits it."""
    amount, units = float(kilobytes), ["KB", "MB", "GB", "TB", "PB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:.2f} {units[0]}"


command = Program(
    "seff", (*OPTIONS, *STANDARD_H), run, summary="Show how well a job used what it had", arguments="JOBID..."
)

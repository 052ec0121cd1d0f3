"""Job steps: ``srun`` inside an allocation, on some of the job's nodes.

A simulated step takes no time; what remains of it is its number and its nodes in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.life import live_steps, selectors
from slimsched.controller.requests import text_checks
from slimsched.errors import SlurmError
from slimsched.model.job import SIGTERM, Step
from slimsched.slurm.errno import Errno
from slimsched.text.times import INFINITE

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId


def run_step(ctl: Controller, job: Job, count: int, names: str = "", name: str = "", *, cpus: int = 0) -> str:
    """Run step ``name`` on ``count`` nodes of a job (0: all of them), among them ``names``; returns its nodes.

    Raises `SlurmError` if the job does not run, has fewer nodes or ``cpus``, or lacks one of those named.
    """
    cluster = ctl.cluster
    if not job.active:
        raise SlurmError(Errno.JOB_PENDING if job.pending else Errno.ALREADY_DONE)
    held = cluster.bitmap_of(job.nodes)
    required = text_checks.node_set(cluster, names) if names else 0
    count = max(count or (0 if names else held.bit_count()), required.bit_count())
    if required & ~held or count > held.bit_count():
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)
    if cpus > sum(job.cpus):
        raise SlurmError(Errno.TOO_MANY_REQUESTED_CPUS)
    step_id = len(job.steps)
    picked = step_calls.begin(ctl, job, step_id, count, required)
    nodes = cluster.hostlist_of(picked)
    ctl.select.step_finish(job, step_id, False)
    instant = cluster.now - job.start_time
    job.steps = [*job.steps, Step(name, instant, instant, picked.bit_count())]
    cluster.touch_job(job)
    cluster.record("step", job=job.job_id, step=step_id, nodes=nodes)
    return nodes


def change_limit(ctl: Controller, named: JobId, limit: int, sign: str = "") -> None:
    """Give a step that runs, or all of a job's, another time limit in minutes; ``sign``: more or less than now.

    A shorter limit ends the step earlier; the script goes on when it would have. Raises `SlurmError`:
    INVALID_JOB_ID for what does not run, INVALID_TIME_LIMIT for less than nothing.
    """
    found = [
        (job, number, run)
        for job in selectors.find(ctl.cluster, named)
        for number, run in enumerate(job.steps)
        if job.active and (named.step or str(number)) == str(number) and _runs(run, ctl.cluster.now - job.start_time)
    ]
    if not found:
        raise SlurmError(Errno.INVALID_JOB_ID)
    for job, number, run in found:
        run.time_limit = _changed(run.time_limit, limit, sign)
        ctl.cluster.touch_job(job)
        if ctl.cluster.config.live:
            live_steps.set_limit(ctl, job, number)
            continue
        end = None if run.time_limit is None else run.begin + run.time_limit * 60
        if end is not None and (run.end is None or end < run.end or run.timed_out):
            run.end, run.signal = max(end, ctl.cluster.now - job.start_time), SIGTERM


def _runs(run: Step, since: int) -> bool:
    return run.begin <= since and (run.end is None or since < run.end)


def _changed(old: int | None, limit: int, sign: str) -> int | None:
    """Return a new limit; what has none keeps none when it is to get more or less."""
    if sign:
        if old is None:
            return None
        limit = old + limit if sign == "+" else old - limit
    if limit < 0:
        raise SlurmError(Errno.INVALID_TIME_LIMIT)
    return None if limit == INFINITE else limit

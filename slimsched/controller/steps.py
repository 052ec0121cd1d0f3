"""Job steps: ``srun`` inside an allocation, on some of the job's nodes.

A simulated step takes no time; what remains of it is its number and its nodes in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import checks
from slimsched.errno import Errno
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.model.job import Step

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


def run_step(ctl: Controller, job: Job, count: int, names: str = "", name: str = "", *, cpus: int = 0) -> str:
    """Run step ``name`` on ``count`` nodes of a job (0: all of them), among them ``names``; returns its nodes.

    Raises `SlurmError` if the job does not run, has fewer nodes or ``cpus``, or lacks one of those named.
    """
    cluster = ctl.cluster
    if not job.active:
        raise SlurmError(Errno.JOB_PENDING if job.pending else Errno.ALREADY_DONE)
    held = cluster.bitmap_of(job.nodes)
    required = checks.node_set(cluster, names) if names else 0
    count = max(count or (0 if names else held.bit_count()), required.bit_count())
    if required & ~held or count > held.bit_count():
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)
    if cpus > sum(job.cpus):
        raise SlurmError(Errno.TOO_MANY_REQUESTED_CPUS)
    step_id = len(job.steps)
    info = ctl.select.jobinfo_alloc()
    info.set("step_id", step_id)
    picked = ctl.select.step_pick_nodes(job, info, count) if not required else None
    if picked is None or picked & ~held or picked.bit_count() != count:
        picked = required | bitmap.lowest(held & ~required, count - required.bit_count())
    nodes = cluster.hostlist_of(picked)
    ctl.select.step_finish(job, step_id, False)
    ctl.select.jobinfo_free(info)
    instant = cluster.now - job.start_time
    job.steps = [*job.steps, Step(name, instant, instant, picked.bit_count())]
    cluster.touch_job(job)
    cluster.record("step", job=job.job_id, step=step_id, nodes=nodes)
    return nodes

"""A running job gives nodes back (``NumNodes``, ``NodeList``), or all that it has to another job."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from slimsched.controller.gridengine import consumables
from slimsched.controller.life import comeback, live_steps
from slimsched.errors import PluginError, SlurmError
from slimsched.model import bitmap
from slimsched.slurm import states
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.model.node import Node


def shrink(ctl: Controller, job: Job, keep: int) -> None:
    """Take all nodes from a job but ``keep``; those behind go first. Raises `SlurmError` if that cannot be."""
    cluster = ctl.cluster
    if "disable_job_shrink" in cluster.config.parameters:
        raise SlurmError(Errno.NOT_SUPPORTED)
    held = cluster.bitmap_of(job.nodes)
    consumables.finish(ctl, job)
    try:
        for index in reversed(list(bitmap.iterate(held & ~keep))):
            ctl.select.job_resized(job, cluster.nodes[index])
            _drop(ctl, job, index)
    except PluginError:
        raise SlurmError(Errno.NOT_SUPPORTED) from None
    finally:
        consumables.begin(ctl, job)
        _note(ctl, job)


def lose(ctl: Controller, job: Job, node: Node) -> None:
    """Let a job go on without a node that has failed; steps there end, unless their srun has ``--no-kill``, too."""
    cluster = ctl.cluster
    cluster.gone_jobs.append(comeback.run_until_now(cluster, job, states.RESIZING))
    live_steps.lose(ctl, job, node.name)
    consumables.finish(ctl, job)
    try:
        with suppress(PluginError):
            ctl.select.job_resized(job, node)
        _drop(ctl, job, node.index)
    finally:
        consumables.begin(ctl, job)
        job.resize_time = cluster.now
        _note(ctl, job)


def expand(ctl: Controller, job: Job) -> None:
    """Give all nodes of a job to the one that it was submitted to expand. Raises `SlurmError` if there is none."""
    cluster = ctl.cluster
    target = cluster.jobs.get(expanded_by(job))
    if target is None or not target.active or target.user_id != job.user_id:
        raise SlurmError(Errno.INVALID_JOB_ID)
    consumables.finish(ctl, job)
    consumables.finish(ctl, target)
    try:
        ctl.select.job_expand(job, target)
    except PluginError:
        raise SlurmError(Errno.NOT_SUPPORTED) from None
    finally:
        for one in (job, target):
            if one.nodes:
                consumables.begin(ctl, one)
            _note(ctl, one)


def expanded_by(job: Job) -> int:
    """Return the id of the job that a job is to expand, 0 for none."""
    for part in job.request.dependency.split(","):
        word, _, text = part.partition(":")
        if word == "expand" and is_number(text):
            return int(text)
    return 0


def permitted(ctl: Controller) -> bool:
    """Whether jobs may expand others: the configuration and the select plugin must allow it."""
    return "permit_job_expansion" in ctl.cluster.config.parameters and ctl.select.job_expand_allow()


def _drop(ctl: Controller, job: Job, index: int) -> None:
    """Take a node out of the record, if the plugin has left that to us."""
    mask = ctl.cluster.bitmap_of(job.nodes)
    if mask >> index & 1:
        place = (mask & ((1 << index) - 1)).bit_count()
        job.nodes = ctl.cluster.hostlist_of(mask & ~(1 << index))
        for column in (job.cpus, job.memory, job.gres, job.cpu_ids):
            del column[place : place + 1]


def _note(ctl: Controller, job: Job) -> None:
    cluster = ctl.cluster
    if job.nodes:
        ctl.select.nodeinfo_set(job)
    cluster.touch_job(job)
    cluster.pass_due = True
    cluster.record("resize", job=job.job_id, nodes=job.nodes)

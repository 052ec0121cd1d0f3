"""The scheduling pass: jobs in order of priority until one blocks its partition, then the scheduler plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.sched.api import Candidates
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


def candidates(ctl: Controller, job: Job, partition: PartitionConf) -> Candidates:
    """Return the nodes of ``partition`` on which a job may be placed, and how many it wants."""
    cluster = ctl.cluster
    request = job.request
    mask = cluster.partition_bitmap(partition.partition_name)
    mask &= bitmap.of(node.index for node in cluster.nodes if node.up)
    mask &= ~cluster.bitmap_of(request.exclude)
    low = request.min_nodes or 1
    return Candidates(mask, low, request.max_nodes or len(cluster.nodes), cluster.bitmap_of(request.nodelist))


def try_now(ctl: Controller, job: Job) -> bool:
    """Try to start a job that was just submitted; other jobs are left alone. True if it started."""
    if "defer" in ctl.cluster.config.scheduler_parameters():
        return False
    for entry in ctl.queue():
        if entry.job is job:
            return _try(ctl, job, entry.partition)
    return False


def run_pass(ctl: Controller) -> None:
    """Start all jobs that can start now, and let the scheduler plugin plan the others."""
    ctl.cluster.pass_due = False
    blocked: set[str] = set()
    for job, part, _ in ctl.queue():
        if not job.pending:
            continue
        if part.partition_name in blocked:
            job.reason = "Priority"
        elif not _try(ctl, job, part):
            blocked.add(part.partition_name)
    ctl.sched.schedule()


def _try(ctl: Controller, job: Job, part: PartitionConf) -> bool:
    """Start a job in a partition if the select plugin finds free nodes for it."""
    where = candidates(ctl, job, part)
    test = JobTest(job, where.bitmap, where.min_nodes, where.max_nodes, where.min_nodes, where.required)
    try:
        selection = ctl.select.job_test(test, Mode.RUN_NOW)
    except (NotNow, Never) as fault:
        job.reason = fault.reason
        return False
    ctl.start(job, part, selection, "Main")
    return True

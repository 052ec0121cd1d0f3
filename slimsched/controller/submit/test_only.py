"""``--test-only``: when and where a job would start, if it were submitted now. The id and priority are used up.

The plan is what the select plugin says of an otherwise empty queue; extra constraints and the partition's time
limit are not looked at (oracle SURPRISES C24, scenario test_only).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import selectors
from slimsched.controller.submit import feasibility
from slimsched.errors import SlurmError
from slimsched.select.questions import answer
from slimsched.select.records import JobTest, Mode
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.records import Selection
    from slimsched.slurm.job_ids import JobId


class PlannedStart(NamedTuple):
    """Where and when a job would start; ``start_time`` in seconds since 1970."""

    job_id: int
    start_time: int
    cpus: int
    nodes: str
    partition: str


def plan(ctl: Controller, job: Job, partitions: list[PartitionConf]) -> PlannedStart:
    """Return the earliest start of a job in one of the partitions. Raises `SlurmError`."""
    best: tuple[int, str, Selection] | None = None
    for part in partitions:
        found = _will_run(ctl, job, part)
        if found is None:
            continue
        start = max(found.start_time, job.request.begin_time, ctl.cluster.now)
        if best is None or start < best[0]:
            best = start, part.partition_name, found
    if best is None:
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)
    start, name, found = best
    return PlannedStart(job.job_id, start, sum(found.cpus), ctl.cluster.hostlist_of(found.bitmap), name)


def of_waiting(ctl: Controller, spec: JobId) -> PlannedStart:
    """Return the plan of a job that waits. Raises `SlurmError`: INVALID_JOB_ID, JOB_NOT_PENDING."""
    from copy import copy

    found = selectors.find(ctl.cluster, spec)
    if not found:
        raise SlurmError(Errno.INVALID_JOB_ID)
    if not found[0].pending:
        raise SlurmError(Errno.JOB_NOT_PENDING)
    names = found[0].request.partition.split(",")
    return plan(ctl, copy(found[0]), [ctl.cluster.partitions[name] for name in names if name in ctl.cluster.partitions])


def _will_run(ctl: Controller, job: Job, part: PartitionConf) -> Selection | None:
    """Ask the select plugin about one partition; ``None`` if the job can never run there as things stand."""
    cluster, request = ctl.cluster, job.request
    nodes = feasibility.asked(ctl, job, part) & ctl.sets.up
    required = cluster.bitmap_of(request.nodelist)
    low = request.min_nodes or 1
    if required & ~nodes or nodes.bit_count() < low:
        return None
    high = max(low, request.max_nodes or len(cluster.nodes))
    job.partition = part.partition_name
    return answer(ctl.select, JobTest.of(job, job.partition, nodes, low, high, required), Mode.WILL_RUN)

"""When a pending job is expected to start, and which jobs have to end, or to run, before that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import arrays, explain_room, limits
from slimsched.controller.explain_records import Start, Wait
from slimsched.controller.explain_steps import size
from slimsched.errors import Never, NotNow
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

PLAN = "as planned by sched/{}"
FORECAST = "as running jobs reach their limits; jobs that wait are not counted"
AT_ONCE = "at the next scheduling pass"


def planned(ctl: Controller, job: Job) -> Start | None:
    """Return the start that the scheduler has planned, None if it has planned none."""
    if not job.sched_nodes or job.start_time <= ctl.cluster.now:
        return None
    nodes = ctl.cluster.bitmap_of(job.sched_nodes)
    endless = _endless(ctl, nodes, job.start_time)
    if endless is not None:
        return endless
    basis = PLAN.format(ctl.sched.plugin_name)
    return Start(job.start_time, basis, job.sched_nodes, _waits(ctl, job, nodes, job.start_time))


def forecast(ctl: Controller, job: Job, part: PartitionConf, nodes: int) -> Start | None:
    """Return the start that the select plugin foresees on some nodes, None if it sees none."""
    wanted = size(ctl, job, part)
    if nodes.bit_count() < wanted.low or wanted.required & ~nodes:
        return None
    wish = wanted.high if job.request.max_nodes else wanted.low
    test = JobTest(job, nodes, wanted.low, wanted.high, wish, wanted.required, partition=part.partition_name)
    try:
        found = ctl.select.job_test(test, Mode.WILL_RUN)
    except (NotNow, Never):
        return None
    start = max(found.start_time, ctl.cluster.now)
    endless = _endless(ctl, found.bitmap, start)
    if endless is not None:
        return endless
    basis = AT_ONCE if start == ctl.cluster.now else FORECAST
    chosen = ctl.cluster.hostlist_of(found.bitmap)
    return Start(start, basis, chosen, _waits(ctl, job, found.bitmap, start))


def _waits(ctl: Controller, job: Job, nodes: int, start: int) -> list[Wait]:
    """Return the jobs on some nodes that end by ``start``, and those planned there before it."""
    cluster = ctl.cluster
    ends = [Wait(arrays.label(j), j.state, j.nodes, j.end_time) for j in _ending(ctl, nodes, start)]
    for other in cluster.jobs.values():
        ahead = other.pending and other.sched_nodes and other is not job and other.start_time < start
        if ahead and cluster.bitmap_of(other.sched_nodes) & nodes:
            ends.append(Wait(arrays.label(other), other.state, other.sched_nodes, other.start_time))
    return ends


def _endless(ctl: Controller, nodes: int, start: int) -> Start | None:
    """Return that nothing is known, if a start rests on the year that a job without limit is planned with."""
    if start - ctl.cluster.now < limits.YEAR:
        return None
    names = [arrays.label(job) for job in explain_room.holders(ctl.cluster, nodes) if not job.end_time]
    who = f"job{'s' * (len(names) > 1)} {', '.join(names[:3])}" if names else "what is in its way"
    return Start(0, f"not known: {who} may run without end", ctl.cluster.hostlist_of(nodes))


def _ending(ctl: Controller, nodes: int, start: int) -> list[Job]:
    if start <= ctl.cluster.now:
        return []
    return [job for job in explain_room.holders(ctl.cluster, nodes) if job.end_time and job.end_time <= start]

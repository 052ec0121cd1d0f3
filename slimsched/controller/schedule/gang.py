"""Gang scheduling: jobs that share CPUs (``OverSubscribe=FORCE:2``) take turns, a time slice each.

With ``PreemptMode=GANG`` the jobs of partitions whose CPUs are shared run in rounds: those that have waited longest
run, each unless a job ahead of it has one of its CPUs, and the others are suspended until the next slice
(``SchedulerTimeSlice``, 30 seconds). Jobs of a higher ``PriorityTier`` go first.
Source: slurm.conf(5), PreemptMode, OverSubscribe and SchedulerTimeSlice; the guide Gang Scheduling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import pauses
from slimsched.errors import PluginError
from slimsched.model import bitmap
from slimsched.model.job import GANG
from slimsched.select import gres
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def take_turns(ctl: Controller, *, next_turn: bool = False) -> None:
    """Run the jobs whose turn it is; ``next_turn``: a slice is over, and suspended jobs come first."""
    taken: dict[int, int] = {}
    turns: list[tuple[Job, bool]] = []
    for job in _in_turn(ctl.cluster, next_turn=next_turn):
        mine = _cpus(ctl.cluster, job)
        free = not any(taken.get(node, 0) & ids for node, ids in mine.items())
        turns.append((job, free))
        if free:
            for node, ids in mine.items():
                taken[node] = taken.get(node, 0) | ids
    for job, runs in sorted(turns, key=lambda turn: turn[1]):  # jobs that stop come before jobs that continue
        _put(ctl, job, runs=runs)
    if ctl.agenda is not None:
        ctl.agenda.note_slice()


def next_slice(cluster: Cluster) -> int:
    """Return when the present slice ends, 0 if nobody waits for a turn."""
    since = [job.suspend_time for job in cluster.jobs.values() if job.suspended_for == GANG]
    return max(since) + cluster.config.number("SchedulerTimeSlice") if since else 0


def _put(ctl: Controller, job: Job, *, runs: bool) -> None:
    try:
        if runs and job.state == states.SUSPENDED:
            pauses.resume_job(ctl, job)
        elif not runs and job.state == states.RUNNING:
            pauses.suspend_job(ctl, job, GANG)
    except PluginError:
        return  # it stays as it is until the next slice


def _in_turn(cluster: Cluster, *, next_turn: bool) -> list[Job]:
    """Return the jobs that take turns, best first, ordered by how long they have run or been suspended."""
    found = [
        job
        for job in cluster.jobs.values()
        if _shares(cluster, job) and (job.state == states.RUNNING or job.suspended_for == GANG)
    ]

    def order(job: Job) -> tuple[int, bool, int, int]:
        waits = job.state == states.SUSPENDED
        tier = cluster.partitions[job.partition].priority_tier
        return -tier, waits != next_turn, job.suspend_time or job.start_time, job.job_id

    return sorted(found, key=order)


def _shares(cluster: Cluster, job: Job) -> bool:
    part = cluster.partitions.get(job.partition)
    word, _, count = part.over_subscribe.upper().partition(":") if part else ("NO", "", "")
    shared = word == "FORCE" or (word == "YES" and job.request.oversubscribe)
    return shared and count != "1"


def _cpus(cluster: Cluster, job: Job) -> dict[int, int]:
    """Return the CPUs of a job as a set of their numbers on each node."""
    nodes = list(bitmap.iterate(cluster.bitmap_of(job.nodes)))
    if len(job.cpu_ids) != len(nodes):
        return dict.fromkeys(nodes, -1)
    return {node: gres.unfold_ids(text) or -1 for node, text in zip(nodes, job.cpu_ids, strict=True)}

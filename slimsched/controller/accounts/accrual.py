"""The limits on how many waiting jobs gain priority by their age: ``MaxJobsAccrue``, ``GrpJobsAccrue``, those of QOS.

A job beyond a limit has no AccrueTime, so that its age does not count, until one of the others has started or ended.
Source: slurmctld, acct_policy, the accrue time of a job; sacctmgr(1).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from slimsched.controller.accounts import limit_levels, usage_tally
from slimsched.controller.accounts.enforcement import limited
from slimsched.controller.life import arrays
from slimsched.model.account import Book

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from slimsched.controller.accounts.limit_levels import Level
    from slimsched.controller.accounts.usage_tally import Place
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def limits(cluster: Cluster) -> bool:
    """Whether some enforced limit says how many waiting jobs gain priority."""
    return limited(cluster) and usage_tally.of(cluster).limits_accrual


def renew(cluster: Cluster, pending: Iterable[Job]) -> None:
    """Let jobs gain priority from now on as far as the limits allow, those first that do so already."""
    if not limits(cluster):
        return
    book = Book(cluster)
    taken: Counter[Place] = Counter()
    eligible = (job for job in pending if job.eligible_time and job.eligible_time <= cluster.now and not job.held)
    for job in sorted(eligible, key=lambda job: (not job.accrue_time, job.accrue_time, job.job_id)):
        levels = list(_limits(cluster, book, job))
        tasks = arrays.count(job.array_tasks) or 1
        since = (job.accrue_time or cluster.now) if all(taken[place] < most for place, most in levels) else 0
        if since:
            taken.update({place: tasks for place, _ in levels})
        if since != job.accrue_time:
            job.accrue_time = since
            cluster.touch_job(job)


def _limits(cluster: Cluster, book: Book, job: Job) -> Iterator[tuple[Place, int]]:
    """Yield where the waiting jobs beside a job are counted, with the limit there."""
    part = cluster.partitions.get(job.request.partition.partition(",")[0])
    for level in limit_levels.of(book, job.request, part, job.user_name) if part is not None else ():
        for name, place in _places(level):
            if name in level.record and name not in level.covered:
                yield place, int(level.record[name])


def _places(level: Level) -> Iterator[tuple[str, Place]]:
    yield "GrpJobsAccrue", level.place
    if level.prefix == "QOS":
        yield "MaxJobsAccruePerUser", ("user", level.place[1], level.user)
        yield "MaxJobsAccruePerAccount", ("account", level.place[1], level.account)
    elif level.own:
        yield "MaxJobsAccrue", ("own", *level.place[1:])

"""Accounting records as a database shows them that is some time behind the controller."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.model.job import Job


def known(jobs: Iterable[Job], instant: int) -> Iterator[Job]:
    """Yield the jobs as they were at an instant: those submitted by then, waiting, running or ended."""
    for job in jobs:
        if job.submit_time > instant:
            continue
        if job.start_time > instant and not job.pending:
            yield _before(job, state=states.PENDING, start_time=0, nodes="", cpus=[], memory=[], gres=[])
        elif job.finished and job.end_time > instant:
            yield _before(job, state=states.RUNNING)
        else:
            yield job


def _before(job: Job, **fields: object) -> Job:
    """Return a job that had not ended."""
    early = copy.copy(job)
    ended: dict[str, object] = dict.fromkeys(("end_time", "exit_code", "exit_signal"), 0)
    ended |= {"script": None, "requid": None, "flags": []}
    for name, value in {**ended, "reason": reasons.NONE, **fields}.items():
        setattr(early, name, value)
    return early

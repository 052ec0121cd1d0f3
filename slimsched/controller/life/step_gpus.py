"""The GPUs of a step: numbers of those that its job has on each node, which no other step has taken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist, idset

if TYPE_CHECKING:
    from slimsched.model.job import Job

NUMBERED = re.compile(r"gpu[^(,]*\(IDX:([^)]*)\)")


def of_job(job: Job, node: int) -> list[int]:
    """Return the numbers of a job's GPUs on a node of it."""
    found = NUMBERED.search(job.gres[node]) if node < len(job.gres) else None
    return idset.decode(found[1]) if found else []


def choose(job: Job, chosen: list[int], counts: list[int | None], *, overlap: bool) -> list[list[int]] | None:
    """Return a step's GPUs on each of its nodes; ``counts``: how many, None for all that the job has there.

    None: it has to wait for others. Raises `SlurmError` for more than the job has.
    """
    taken = {} if overlap else _taken(job)
    names = hostlist.expand(job.nodes, dialect="slurm")
    found = []
    for node, count in zip(chosen, counts, strict=True):
        own = of_job(job, node)
        if count is None:
            found.append(own)
            continue
        if count > len(own):
            raise SlurmError(Errno.INVALID_GRES)
        free = [number for number in own if number not in taken.get(names[node], ())]
        if count > len(free):
            return None
        found.append(free[:count])
    return found


def _taken(job: Job) -> dict[str, set[int]]:
    """Return the GPUs on each node that running steps have asked for."""
    taken: dict[str, set[int]] = {}
    for step in job.steps:
        if step.end is None and step.gpus and not step.overlap:
            for name, text in zip(hostlist.expand(step.nodes, dialect="slurm"), step.gpus, strict=True):
                taken.setdefault(name, set()).update(idset.decode(text))
    return taken

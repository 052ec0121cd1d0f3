"""Job arrays: a pending array is one record, and gives up a task when that task starts or is treated on its own.

    array  = range { "," range }           an empty one counts for nothing
    range  = [ "[" ] number [ "]" ] [ "-" number [ "]" ] [ ":" step [ "]" ] ] ] [ "%" throttle ]

A throttle of 0, or one that is no number, is none: as many tasks run at once as fit. Of several the first counts.
The record keeps its tasks as ranges ("0-99999"); a task that is split off gets the next job id, and the last
one keeps the record and its id (oracle: JobId=4 ArrayJobId=3 for task 0 of array 3).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.model.record import Record, copied
from slimsched.slurm.errno import Errno
from slimsched.text import idset
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Collection

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def parse(text: str, max_size: int) -> tuple[str, int]:
    """Return the tasks as an idset and the throttle (0: none) of ``--array text``.

    Task numbers stay below ``max_size`` (``MaxArraySize``). Raises `SlurmError` (INVALID_ARRAY).
    """
    limit = strtol(text.partition("%")[2])[0]
    tasks = 0
    for item in {item.partition("%")[0] for item in text.split(",") if item}:
        tasks |= _range(item, max_size)
    if not tasks:
        raise SlurmError(Errno.INVALID_ARRAY)
    return idset.encode(bitmap.iterate(tasks)), max(0, limit)


def _range(item: str, max_size: int) -> bitmap.Bitmap:
    """Return the task numbers of one range as a set of bits, so that overlapping ranges cost nothing."""
    first, rest = _number(item.removeprefix("["))
    last, stride = first, 1
    if rest[:1] == "-":
        last, rest = _number(rest[1:])
        if rest[:1] == ":":
            stride, rest = _number(rest[1:])
            if not 0 < stride < max_size:
                raise SlurmError(Errno.INVALID_ARRAY)
    if rest or first < 0 or not first <= last < max_size:
        raise SlurmError(Errno.INVALID_ARRAY)
    return _every(stride, (last - first) // stride + 1) << first


def _every(stride: int, number: int) -> bitmap.Bitmap:
    """Return ``number`` bits, ``stride`` apart."""
    found, have = 1, 1
    while have < number:
        more = min(have, number - have)
        found |= (found & bitmap.full(more * stride)) << have * stride
        have += more
    return found


def _number(text: str) -> tuple[int, str]:
    """Return the number that a text begins with, 0 for none, and what follows it and a closing bracket."""
    number, rest = strtol(text)
    return number, rest.removeprefix("]")


# sets of task numbers; ranges are never expanded


def count(tasks: str) -> int:
    """Return how many tasks an idset holds."""
    return sum(b - a + 1 for a, b in idset.ranges(tasks))


def contains(tasks: str, task: int) -> bool:
    """Whether an idset holds a task."""
    return any(a <= task <= b for a, b in idset.ranges(tasks))


def first(tasks: str) -> int:
    """Return the lowest task of an idset."""
    return int(tasks.partition(",")[0].partition("-")[0])


def without(tasks: str, task: int) -> str:
    """Return an idset less one task; the ranges are not expanded."""
    left: idset.Ranges = []
    for a, b in idset.ranges(tasks):
        pieces = [(a, task - 1), (task + 1, b)] if a <= task <= b else [(a, b)]
        left += [(x, y) for x, y in pieces if x <= y]
    return idset.encode_ranges(left)


# records


def split(ctl: Controller, job: Job, task: int | None = None) -> Job:
    """Take one task, the lowest if none is named, out of a pending array's record and return its own record."""
    cluster = ctl.cluster
    if task is None:
        task = first(job.array_tasks)
    left = without(job.array_tasks, task)
    cluster.touch_job(job)
    if not left:
        job.array_task_id, job.array_tasks = task, ""
        cluster.record("split", job=job.job_id, array=job.array_job_id, task=task)
        return job
    job.array_tasks = left
    alone = copied(job)
    alone.request = copied(job.request)
    alone.flags = list(job.flags)
    alone.job_id = cluster.next_job_id
    alone.array_task_id, alone.array_tasks = task, ""
    cluster.next_job_id += 1
    cluster.jobs[alone.job_id] = alone
    cluster.touch_job(alone)
    job.preempts_since = 0
    if job.array_max_tasks and not job.request.begin_time:  # what is left of a throttled array is not eligible
        job.eligible_time = job.accrue_time = 0
    cluster.record("split", job=alone.job_id, array=job.array_job_id, task=task)
    return alone


def split_some(ctl: Controller, job: Job, tasks: Collection[int]) -> list[Job]:
    """Take several tasks out of a pending array's record; the whole record if they are all that it has."""
    mine = [task for task in sorted(tasks) if contains(job.array_tasks, task)]
    if len(mine) == count(job.array_tasks):
        return [job]
    return [split(ctl, job, task) for task in mine]


def members(cluster: Cluster, array_job_id: int) -> list[Job]:
    """Return all records of an array that are still in memory, by job id; 0 is no array's id."""
    if not array_job_id:
        return []
    return sorted((j for j in cluster.jobs.values() if j.array_job_id == array_job_id), key=lambda j: j.job_id)


class Tables(Record):
    """Jobs by array, by array and task, those that stand for several tasks, and unfinished ones by user and name."""

    members: dict[int, list[Job]]
    tasks: dict[tuple[int, int], Job]
    open: dict[int, list[Job]]
    names: dict[tuple[int, str], list[Job]]


class Index:
    """The jobs by array, by task and by name, as they are at one moment: for asking about many in a row."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def _tables(self) -> Tables:
        """Read the cluster's jobs, at the first question; later changes are not seen."""
        tables = Tables({}, {}, {}, {})
        for job in self._cluster.jobs.values():
            if not job.finished:
                tables.names.setdefault((job.user_id, job.request.name), []).append(job)
            if not job.array_job_id:
                continue
            tables.members.setdefault(job.array_job_id, []).append(job)
            if job.array_task_id is not None:
                tables.tasks[job.array_job_id, job.array_task_id] = job
            if job.array_tasks:
                tables.open.setdefault(job.array_job_id, []).append(job)
        return tables

    def namesakes(self, job: Job) -> list[Job]:
        """Return the unfinished jobs of the same user with the same name, in the order in which they came."""
        return self._tables.names.get((job.user_id, job.request.name), [])

    def members(self, array_job_id: int) -> list[Job]:
        """Return all records of an array."""
        return self._tables.members.get(array_job_id, [])

    def task(self, array_job_id: int, task: int) -> list[Job]:
        """Return the records that a task of an array is in."""
        own = self._tables.tasks.get((array_job_id, task))
        if own is not None:
            return [own]
        return [job for job in self._tables.open.get(array_job_id, ()) if contains(job.array_tasks, task)]


def running_tasks(cluster: Cluster, array_job_id: int) -> int:
    """Return how many tasks of an array hold nodes, which the throttle counts."""
    return sum(j.array_job_id == array_job_id and j.active for j in cluster.jobs.values())


def label(job: Job) -> str:
    """Return a job's id as ``squeue`` and error messages show it: ``7``, ``7_2``, ``7_[0-3%2]`` or ``7+1``."""
    if job.het_job_id:
        return f"{job.het_job_id}+{job.het_job_offset}"
    if job.array_tasks:
        return f"{job.array_job_id}_[{job.array_tasks}{f'%{job.array_max_tasks}' if job.array_max_tasks else ''}]"
    return str(job.job_id) if job.array_task_id is None else f"{job.array_job_id}_{job.array_task_id}"

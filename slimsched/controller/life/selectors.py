"""Selectors of jobs: the records that a job id means.

An array's id means all its records; tasks that still share a record are given records of their own when only
some of them are meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import arrays
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.slurm import job_ids
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.job_ids import JobId
from slimsched.text import idset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

MAX_ID = 0x03FFFFFF  # the largest job id that Slurm gives


class Failure(NamedTuple):
    """What went wrong with one specification.

    ``label`` names tasks ("7_[0-1]") where the error is about tasks; ``detail`` and ``notes`` are as in `SlurmError`.
    """

    text: str
    errno: ErrorCode
    label: str = ""
    detail: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the line that scontrol prints."""
        return f"{self.label}: {self.errno.text}" if self.label else f"{self.errno.text} for job {self.text}"


def parse(text: str) -> JobId:
    """Return what a job id without a step names. Raises `SlurmError` (INVALID_JOB_ID)."""
    try:
        named = job_ids.read(text)
    except SyntaxFault:
        raise SlurmError(Errno.INVALID_JOB_ID) from None
    if named.job_id > MAX_ID or named.step is not None:
        raise SlurmError(Errno.INVALID_JOB_ID)
    return named


def lists(words: Iterable[str]) -> list[str]:
    """Return the job ids of words that may be comma-separated lists."""
    return [piece for word in words for piece in job_ids.split(word) if piece]


def find(cluster: Cluster, spec: JobId) -> list[Job]:
    """Return the records that hold what a specification means, in the order of their ids, without splitting any."""
    job = cluster.jobs.get(spec.job_id)
    if spec.offset is not None:
        return [one for one in cluster.components(job) if _is_part(spec, one)] if job is not None else []
    if spec.tasks:
        return [j for j in arrays.members(cluster, spec.job_id) if means(spec, j)]
    if job is not None and job.array_job_id != job.job_id:
        return cluster.components(job) if job.leads else [job]
    return arrays.members(cluster, spec.job_id)


def _is_part(spec: JobId, job: Job) -> bool:
    """Whether a job is the component that an offset names."""
    return (job.het_job_id, job.het_job_offset) == (spec.job_id, spec.offset)


def is_component(spec: JobId, job: Job) -> bool:
    """Whether a specification means one component of a heterogeneous job and not the whole."""
    return bool(job.het_job_id) and (spec.offset is not None or not job.leads)


def means(spec: JobId, job: Job) -> bool:
    """Whether a record of the specification's job is, or holds, one of the tasks that it names."""
    return not spec.tasks or _holds(job, idset.ranges(spec.tasks))


def _holds(job: Job, wanted: idset.Ranges) -> bool:
    if job.array_task_id is not None:
        return any(a <= job.array_task_id <= b for a, b in wanted)
    return any(a <= y and x <= b for x, y in idset.ranges(job.array_tasks) for a, b in wanted)


def take(ctl: Controller, spec: JobId) -> list[Job]:
    """Return the records of exactly what a specification means. Raises `SlurmError` (INVALID_JOB_ID) for nothing."""
    found: list[Job] = []
    for job in find(ctl.cluster, spec):
        if spec.tasks and job.array_tasks:
            wanted = idset.ranges(spec.tasks)
            meant = [t for t in idset.decode(job.array_tasks) if any(a <= t <= b for a, b in wanted)]
            found += arrays.split_some(ctl, job, meant)
        else:
            found.append(job)
    if not found:
        from slimsched.controller.requests import strangers

        raise SlurmError(Errno.INVALID_JOB_ID, notes=strangers.jobs(ctl.cluster, [spec.job_id]))
    return found


def of(job: Job) -> JobId:
    """Return the id that means just this record, with the throttle of the rest of an array."""
    if not job.array_job_id:
        return JobId(str(job.job_id), job.job_id)
    tasks = job.array_tasks if job.array_task_id is None else str(job.array_task_id)
    throttle = f"%{job.array_max_tasks}" if job.array_max_tasks else ""
    named = f"[{tasks}{throttle}]" if job.array_tasks else tasks
    return JobId(f"{job.array_job_id}_{named}", job.array_job_id, tasks)


def well_formed(text: str) -> bool:
    """Whether a text looks like a list of job specifications: digits, one ``_`` and one ``+`` in each, brackets."""
    depth, seen = 0, ""
    for char in text:
        if char in "_+":
            if char in seen:
                return False
            seen += char
        elif char in "[]":
            depth += 1 if char == "[" else -1
        elif char == "-":
            if not depth and "_" not in seen:
                return False
        elif char in ", ":
            seen = seen if depth else ""
        elif not (char.isascii() and char.isdigit()):
            return False
    return depth == 0


def must_be_single(cluster: Cluster, text: str, many: str) -> None:
    """Refuse, with the words ``many``, an array of several records. Raises `UserError`, also for an unknown job."""
    try:
        named = job_ids.one(text, steps=False)
    except SyntaxFault:
        raise UserError(f"Invalid job ID {text}") from None
    found = find(cluster, named._replace(tasks=""))
    if not found:
        raise UserError(f"Could not load state information for job {text}: {Errno.INVALID_JOB_ID.text}")
    if len(found) > 1 and not named.tasks:
        raise UserError(many)


def by_name(cluster: Cluster, name: str, uid: int | None = None, *, finished: bool = False) -> list[str]:
    """Return the specifications of all jobs with a name; of those that have ended only if ``finished``."""
    jobs = (j for j in cluster.jobs.values() if j.request.name == name and (finished or not j.finished))
    return [of(j).text if finished else str(j.job_id) for j in jobs if uid is None or j.user_id == uid]


def each(ctl: Controller, texts: Iterable[str], act: Callable[[Job], None], *, whole: bool = False) -> list[Failure]:
    """Do something to every job of some specifications; what cannot be done is returned, and does not stop the rest.

    ``whole``: it cannot be done to a single component of a heterogeneous job.
    """
    failures: list[Failure] = []
    for text in texts:
        try:
            spec = parse(text)
            jobs = take(ctl, spec)
            if whole and is_component(spec, jobs[0]):
                raise SlurmError(Errno.NOT_WHOLE_HET_JOB)
            if jobs[0].het_job_id:
                jobs = [job for job in jobs if not job.finished] or jobs
        except SlurmError as error:
            failures.append(Failure(text, error.errno, notes=error.notes))
            continue
        failures += _each_job(spec, jobs, act)
    return failures


def _each_job(spec: JobId, jobs: list[Job], act: Callable[[Job], None]) -> list[Failure]:
    """Do it to the records of one specification; what becomes of an array's tasks is gathered by error.

    Where some fail, Slurm says of the others that there was no error.
    """
    ended: dict[ErrorCode, tuple[SlurmError, list[Job]]] = {}
    for job in jobs:
        outcome = SlurmError(Errno.SUCCESS)
        try:
            act(job)
        except SlurmError as error:
            outcome = error
        ended.setdefault(outcome.errno, (outcome, []))[1].append(job)
    if ended.keys() == {Errno.SUCCESS}:
        return []
    if jobs[0].het_job_id:
        ended.pop(Errno.SUCCESS, None)
    return [
        Failure(spec.text, errno, _label(spec, which), error.detail, error.notes)
        for errno, (error, which) in ended.items()
    ]


def _label(spec: JobId, jobs: list[Job]) -> str:
    """Return how an array's failed tasks are named, "" for a job that is no array."""
    array = jobs[0].array_job_id
    if not array or (not spec.tasks and spec.job_id != array):
        return ""
    tasks = [t for job in jobs for t in _task_ids(job)]
    return f"{array}_[{idset.encode(tasks)}]"


def _task_ids(job: Job) -> list[int]:
    return idset.decode(job.array_tasks) if job.array_task_id is None else [job.array_task_id]

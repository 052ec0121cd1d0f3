"""The commands that change a job, or its like that is not submitted yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain.answer import RESIZE, Remedy
from slimsched.controller.explain.unsubmitted import Unsubmitted
from slimsched.controller.life import arrays

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


def update(job: Job, field: str) -> str:
    """Return the command that sets a field of a pending job, "" for a job that is over.

    A job that was not submitted is submitted with the option in its place; one without a value is left out.
    """
    if isinstance(job, Unsubmitted):
        name, _, value = field.partition("=")
        return f"sim sbatch --{OPTIONS[name]}={value} ..." if value and name in OPTIONS else ""
    return f"sim scontrol update jobid={target(job)} {field}" if job.pending else ""


OPTIONS = {
    "timelimit": "time",
    "numnodes": "nodes",
    "partition": "partition",
    "priority": "priority",
    "starttime": "begin",
    "minmemorynode": "mem",
}
"""Field of ``scontrol update`` -> the option of a submission."""


def resize(ctl: Controller, job: Job, count: int) -> Remedy:
    """Return the change to so many nodes; an array that was split by a start or a change takes no such command."""
    text = f"ask for {count} node{'s' * (count > 1)}"
    if not job.array_tasks:
        return Remedy(text, update(job, f"numnodes={count}"), 5, RESIZE)
    whole = job.pending and len(arrays.members(ctl.cluster, job.array_job_id)) == 1
    return Remedy(text, f"sim scontrol update jobid={job.array_job_id} numnodes={count}" if whole else "", 5, RESIZE)


def target(job: Job) -> str:
    """Return a job's id as commands take it."""
    if job.het_job_id:
        return str(job.job_id)  # the real command takes no offset there
    return arrays.label(job).partition("%")[0] + "]" if "%" in arrays.label(job) else arrays.label(job)

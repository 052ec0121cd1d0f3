"""MODIFYJOB: changes of a job, through the fields of ``scontrol update``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.update import fields
from slimsched.controller.update.job import FIELDS, update_job
from slimsched.errors import SlurmError, UserError
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import Settings, Words, number, status
from slimsched.slurm.errno import Errno
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job


class WikiField(NamedTuple):
    """One option: the field that it sets, since which version, and what may be changed of jobs that have started."""

    field: str
    version: int = 1
    any_time: bool = False
    keyed: str = ""  # how its value is turned into the field's


OPTIONS = {
    "COMMENT": WikiField("Comment", 2, any_time=True),
    "DEPEND": WikiField("Dependency"),
    "VARIABLELIST": WikiField("", 2, keyed="variables"),
    "TIMELIMIT": WikiField("TimeLimit", any_time=True, keyed="positive"),
    "BANK": WikiField("Account"),
    "RFEATURES": WikiField("Features", 2),
    "MINSTARTTIME": WikiField("StartTime", 2, keyed="instant"),
    "JOBNAME": WikiField("JobName", 2),
    "HOSTLIST": WikiField("ReqNodeList", keyed="hosts"),
    "PARTITION": WikiField("Partition"),
    "NODES": WikiField("NumNodes", keyed="positive"),
    "GRES": WikiField("Gres", 2),
    "WCKEY": WikiField("WCKey", 2, any_time=True),
}
"""In the order in which they are applied; earlier ones remain if a later one fails."""


def modify(ctl: Controller, words: Words, settings: Settings) -> str:
    """Change a job. Raises `SlurmError` in Slurm's words."""
    job = ctl.cluster.jobs.get(words.job_id)
    if job is None:
        raise SlurmError(Errno.INVALID_JOB_ID)
    if job.finished:
        raise SlurmError(Errno.DISABLED)
    for name, change in OPTIONS.items():
        if name in words.options and settings.version >= change.version:
            _apply(ctl, job, change, words.options[name])
    return status(0, f"job {job.job_id} modified successfully")


def _apply(ctl: Controller, job: Job, change: WikiField, text: str) -> None:
    if not job.pending and not change.any_time:
        raise SlurmError(Errno.DISABLED)
    if change.keyed == "variables":
        _variables(ctl, job, text)
        return
    value = _value(change.keyed, text)
    if value is not None:
        field = next(field for field in FIELDS if field.name == change.field)
        update_job(ctl, job, [fields.valued(field, value)])


def _value(keyed: str, text: str) -> str | None:
    """Return the value as the field takes it, None if the option asks for nothing."""
    if keyed == "positive":
        count = number(text, "Invalid argument")
        return str(count) if count else None
    if keyed == "instant":
        return times.instant(number(text, "Invalid argument"))
    if keyed == "hosts":
        counts = tasklist.read(text)
        if counts is None:
            raise UserError("Invalid argument")
        return ",".join(counts)
    return text


def _variables(ctl: Controller, job: Job, text: str) -> None:
    """Add to the environment that a batch job exports."""
    if not job.request.batch:
        raise SlurmError(Errno.DISABLED)
    if not all(item.partition("=")[0].isidentifier() and "=" in item for item in text.split(",")):
        raise UserError("Invalid argument")
    job.request.export = ",".join(filter(None, (job.request.export or "ALL", text)))
    ctl.cluster.touch_job(job)

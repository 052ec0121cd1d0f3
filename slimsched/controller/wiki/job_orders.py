"""Orders about one job: CANCELJOB, SUSPENDJOB, RESUMEJOB, REQUEUEJOB, SIGNALJOB, NOTIFYJOB, MODIFYJOB; INITIALIZE."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import cancel as cancelling
from slimsched.controller.life import requeue as requeuing
from slimsched.controller.life import selectors, transitions
from slimsched.controller.life import suspend as suspending
from slimsched.controller.update import fields
from slimsched.controller.update.job import FIELDS, update_job
from slimsched.errors import SlurmError, UserError
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import MALFORMED, UNSUPPORTED, Refused, Settings, Words, number, status
from slimsched.slurm import reasons, states
from slimsched.slurm.errno import Errno
from slimsched.text import signals, times
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.job import Job

SIGNALS = frozenset({"HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "TERM", "CONT", "STOP", "URG"})
"""The signals that may be given by name."""

TYPES = {"ADMIN": False, "TIMEOUT": True, "WALLCLOCK": True}
"""Reason of a cancellation -> whether the job has run out of time."""


def _job(ctl: Controller, words: Words) -> Job:
    """Return the job of a request. Raises `Refused`, or `SlurmError` as Slurm words it."""
    job = ctl.cluster.jobs.get(words.job_id)
    if job is None:
        raise SlurmError(Errno.INVALID_JOB_ID)
    return job


def cancel(ctl: Controller, words: Words, settings: Settings) -> str:
    """End a job, at once or as if its time were over."""
    job_id = words.job_id
    kind = words.options.get("TYPE", "" if settings.version == 2 else "ADMIN")
    if kind not in TYPES:
        raise Refused(MALFORMED, "Invalid TYPE value" if kind else "No TYPE value")
    job = _job(ctl, words)
    if job.finished:
        raise SlurmError(Errno.ALREADY_DONE)
    if settings.version == 2 and "COMMENT" in words.options:
        job.request.comment = words.options["COMMENT"][:511]
    if TYPES[kind] and job.active:
        transitions.end_job(ctl, job, states.TIMEOUT, signal=15)
    else:
        cancelling.cancel_job(ctl, job)
    return status(0, f"job {job_id} cancelled successfully")


def _each(act: Callable[[Controller, Sequence[str]], list[Failure]], done: str) -> Callable[..., str]:
    def handle(ctl: Controller, words: Words, settings: Settings) -> str:
        job = _job(ctl, words)
        for failure in act(ctl, [str(job.job_id)]):
            raise SlurmError(failure.errno)
        return status(0, f"job {job.job_id} {done} successfully")

    return handle


suspend = _each(suspending.suspend, "suspended")
resume = _each(suspending.resume, "resumed")


def requeue(ctl: Controller, words: Words, settings: Settings) -> str:
    """Put a batch job back, held."""
    job = _job(ctl, words)
    requeuing.requeue_one(ctl, job, hold=True)
    job.reason, job.request.nodelist = reasons.HELD_ADMIN, ""
    return status(0, f"job {job.job_id} requeued successfully")


def signal(ctl: Controller, words: Words, settings: Settings) -> str:
    """Send a signal to a running job."""
    job_id = words.job_id
    if "VALUE" not in words.options:
        raise Refused(MALFORMED, "SIGNALJOB lacks VALUE=")
    text = words.options["VALUE"].upper().removeprefix("SIG")
    value = signals.number(text) if text in SIGNALS or is_number(text, 2) else 0
    if not 0 < value < 65:
        raise Refused(MALFORMED, "SIGNALJOB has invalid signal value")
    job = _job(ctl, words)
    if job.finished:
        raise SlurmError(Errno.ALREADY_DONE)
    cancelling.signal(ctl, selectors.of(job), value)
    return status(0, f"job {job_id} signalled")


def notify(ctl: Controller, words: Words, settings: Settings) -> str:
    """Note a message for a job's user in the history."""
    text = words.rest("MSG")
    if text is None:
        raise Refused(MALFORMED, "NOTIFYJOB lacks MSG=")
    job = _job(ctl, words)
    if job.finished:
        raise SlurmError(Errno.INVALID_JOB_ID)
    ctl.cluster.record("notify", job=job.job_id, text=_printable(text))
    return status(0, f"job {job.job_id} notified successfully")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text[:1000])


def initialize(ctl: Controller, words: Words, settings: Settings) -> str:
    """Answer with the settings; only the configuration changes the form of node lists (``HostFormat``)."""
    form = words.options.get("USEHOSTEXP", words.argument.partition("=")[2])
    if form not in {"T", "F", "N", ""}:
        raise Refused(MALFORMED, "INITIALIZE has invalid USEHOSTEXP")
    port = number(words.options.get("EPORT", "0") or "0", "INITIALIZE has invalid EPORT")
    return status(0, f"EPORT={port} USEHOSTEXP={form or 'FTN'[settings.host_format]}")


def unsupported(ctl: Controller, words: Words, settings: Settings) -> str:
    """Refuse a command that was never implemented."""
    raise Refused(UNSUPPORTED, f"{words.command} command not supported")


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
    job = _job(ctl, words)
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

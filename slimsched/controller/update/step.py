"""Steps: ``scontrol update StepId=JOB.STEP TimeLimit=MINUTES``, all that Slurm lets change of a step.

Source: scontrol(1), STEPS - SPECIFICATIONS FOR UPDATE COMMAND.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import job_steps, selectors
from slimsched.controller.requests import rights
from slimsched.controller.update.fields import NO_CHANGES, NOT_SUPPORTED, Field, aborted, bad_limit, read
from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm import job_ids
from slimsched.slurm.errno import Errno
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller
    from slimsched.controller.update.fields import KeyValue
    from slimsched.slurm.job_ids import JobId


class StepLimit(NamedTuple):
    """A step, or a job for all of its steps, and the minutes; with a sign they are relative to the present limit."""

    named: JobId
    sign: str
    minutes: int


def parse(texts: Iterable[str]) -> StepLimit:
    """Return what words ask for. Raises `UserError`."""
    given = {item.field.name: item for item in read(texts, FIELDS, _refuse)}
    if "TimeLimit" not in given:
        raise UserError(NO_CHANGES, level="plain")
    text = given["TimeLimit"].text
    sign = text[0] if text[:1] in {"+", "-"} else ""
    try:
        minutes = times.minutes(text.removeprefix(sign))
    except SyntaxFault:
        raise bad_limit("TimeLimit", text) from None
    named = given["StepId"].text if "StepId" in given else ""
    return StepLimit(_step(named), sign, minutes)


def _step(text: str) -> JobId:
    try:
        return job_ids.one(text)
    except SyntaxFault:
        raise aborted(f"Invalid StepID parameter: StepId={text}") from None


def _refuse(word: KeyValue, field: Field | None) -> UserError:
    said = "Invalid input: {}" if word.text is None else NOT_SUPPORTED
    return aborted(said.format(word.written))


def update(ctl: Controller, limit: StepLimit) -> None:
    """Give a step, or all steps of a job that run, another time limit. Raises `SlurmError`."""
    for job in selectors.find(ctl.cluster, limit.named):
        rights.require_over(ctl.cluster, job, Errno.USER_ID_MISSING)
    job_steps.change_limit(ctl, limit.named, limit.minutes, limit.sign)


FIELDS = (Field("StepId", 4), Field("TimeLimit", 2))

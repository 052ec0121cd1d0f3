"""Steps: ``scontrol update StepId=JOB.STEP TimeLimit=MINUTES``, all that Slurm lets change of a step.

Source: scontrol(1), STEPS - SPECIFICATIONS FOR UPDATE COMMAND.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import job_steps, selectors
from slimsched.controller.update.fields import NO_CHANGES, NOT_SUPPORTED, Field, aborted, read
from slimsched.errors import SyntaxFault, UserError
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller
    from slimsched.controller.update.fields import Word

JOB = re.compile(r"\s*\+?[0-9]{1,10}(_[0-9]{0,9})?")


class Limit(NamedTuple):
    """A step of a job, "" for all of them, and its limit in minutes; with a sign it is relative to the present one."""

    job: str
    step: str
    sign: str
    minutes: int


def parse(texts: Iterable[str]) -> Limit:
    """Return what words ask for. Raises `UserError`."""
    given = {item.field.name: item for item in read(texts, FIELDS, _refuse)}
    if "TimeLimit" not in given:
        raise UserError(NO_CHANGES, level="plain")
    text = given["TimeLimit"].text
    sign = text[0] if text[:1] in {"+", "-"} else ""
    try:
        minutes = times.minutes(text.removeprefix(sign))
    except SyntaxFault:
        raise UserError("Invalid TimeLimit value") from None
    named = given["StepId"].text if "StepId" in given else ""
    job, _, step = named.partition(".")
    if not JOB.fullmatch(job):
        raise aborted(f"Invalid StepID parameter: StepId={named}")
    return Limit(job, step, sign, minutes)


def _refuse(word: Word, field: Field | None) -> UserError:
    said = "Invalid input: {}" if word.text is None else NOT_SUPPORTED
    return aborted(said.format(word.written))


def update(ctl: Controller, limit: Limit) -> None:
    """Give a step, or all steps of a job that run, another time limit. Raises `SlurmError`."""
    job_steps.change_limit(ctl, selectors.parse(limit.job), limit.step, limit.minutes, limit.sign)


FIELDS = (Field("StepId", 4), Field("TimeLimit", 2))

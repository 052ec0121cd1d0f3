"""``scontrol update StepId=JOB.STEP TimeLimit=MINUTES``: all that Slurm lets change of a step.

Source: scontrol(1), STEPS - SPECIFICATIONS FOR UPDATE COMMAND.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.job_ids import NUMBERS
from slimsched.cli.scontrol import keys
from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.keys import Key, Word
    from slimsched.cli.scontrol.settings import Settings

STEP_KEYS = (keys.Key("StepId", 4, "StepId"), keys.Key("TimeLimit", 2, "TimeLimit"))


def update(app: Application, words: list[str], settings: Settings) -> int:
    """Give a step, or all steps of a job that run, another time limit; ``+`` and ``-`` are relative to the old one."""
    from slimsched.cli.scontrol.update import NO_CHANGES, refusals
    from slimsched.controller.life import job_steps, selectors
    from slimsched.text.times import minutes

    given = {item.field: item.value for item in keys.assignments(words, STEP_KEYS, _refuse)}
    if "TimeLimit" not in given:
        raise UserError(NO_CHANGES, level="plain")
    text = given["TimeLimit"]
    sign = text[0] if text[:1] in {"+", "-"} else ""
    try:
        limit = minutes(text.removeprefix(sign))
    except SyntaxFault:
        raise UserError("Invalid TimeLimit value") from None
    job, step = _cut(given.get("StepId", ""))
    with app.session() as ctl, refusals("slurm_update error: "):
        job_steps.change_limit(ctl, selectors.parse(job), step, limit, sign)
    return 0


def _refuse(word: Word, key: Key | None) -> UserError:
    said = "Invalid input: {}" if word.value is None else keys.NOT_SUPPORTED
    return keys.aborted(said.format(word.written))


def _cut(text: str) -> tuple[str, str]:
    """Return the job and the step of ``12.0``; no step means all of them."""
    job, _, step = text.partition(".")
    if not NUMBERS.fullmatch(job):
        raise keys.aborted(f"Invalid StepID parameter: StepId={text}")
    return job, step

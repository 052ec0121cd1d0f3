"""How jobs and their steps are named on a command line: ``12``, ``12_3``, ``12.0``, ``12_3.batch``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.program import Given

LARGEST = 2**31 - 1  # number of a job
NUMBERS = re.compile(r"\s*\+?(?P<job>[0-9]{1,10})(_(?P<task>[0-9]{0,9}))?")
NAMED_STEPS = ("batch", "extern", "interactive")


def named_jobs(given: Given, args: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return what ``--job`` and ``--step`` name, the one that came without a list taking the first plain argument.

    Returns the plain arguments that are left, too.
    """
    rest, found = list(args), {}
    for option in ("job", "step"):
        text = given.last(option)
        if text is not None:
            found[option] = text
    if rest and not found:
        option = next((name for name in ("job", "step") if given.has(name)), "")
        if option:
            found[option] = rest.pop(0)
    return found, rest


def job_keys(word: str, option: str = "job") -> list[tuple[int, int | None]]:
    """Return the (job id, task) that a word names: ``12``, ``12_3``; what follows the numbers does not count.

    Raises `UserError` for a word that does not begin with a job's number.
    """
    found = NUMBERS.match(word)
    number, task = (found["job"], found["task"]) if found else ("0", None)
    if not 0 < int(number) <= LARGEST:
        raise UserError(f"Invalid {option} id: {word}")
    if task is None:
        return [(int(number), None)]
    return [(int(number), int(task or 0))]


def step_key(word: str) -> tuple[int, int | None, str]:
    """Return the job, task and step that a word of ``--step`` names: ``12.0``, ``12_3.batch``."""
    name, _, step = word.partition(".")
    if not step:
        raise UserError(f"Invalid job_step id: {name}.??")
    found = NUMBERS.match(name)
    known = step.isascii() and (step.isdigit() or step in NAMED_STEPS)
    if not found or not 0 < int(found["job"]) <= LARGEST or not known:
        raise UserError(f"Invalid job_step id: {word}")
    task = found["task"]
    return int(found["job"]), None if task is None else int(task or 0), step

"""The jobs and steps that ``--job`` and ``--step`` name, and the errors for invalid ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.slurm.job_ids import JobId


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


def job_key(word: str, option: str = "job") -> tuple[int, int | None]:
    """Return the (job id, task) that a word names: ``12``, ``12_3``; what follows the numbers does not count.

    Raises `UserError` for a word that does not begin with a job's number.
    """
    named = job_name(word, option)
    return named.job_id, named.task


def job_name(word: str, option: str = "job") -> JobId:
    """Return what a word names: a job, a task, a component or a step. Raises `UserError` as `job_key` does."""
    from slimsched.slurm import job_ids

    try:
        return job_ids.leading(word)
    except SyntaxFault:
        raise UserError(f"Invalid {option} id: {word}") from None


def step_key(word: str) -> tuple[int, int | None, str]:
    """Return the job, task and step that a word of ``--step`` names: ``12.0``, ``12_3.batch``."""
    from slimsched.slurm import job_ids

    name, _, step = word.partition(".")
    if not step:
        raise UserError(f"Invalid job_step id: {name}.??")
    number, task = job_key(word, "job_step")
    if not job_ids.is_step(step):
        raise UserError(f"Invalid job_step id: {word}")
    return number, task, step

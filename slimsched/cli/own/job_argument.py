"""The Click types of jobs and numbers, for slimsched's own commands; Slurm's commands use option tables."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import click

from slimsched.cli.completion import values
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.slurm.job_ids import JobId


class JobArgument(values.Names):
    """A job, an array or some of its tasks: ``7``, ``7_3``, ``7_[1-2]``; the command gets a `JobId`.

    ``ended``: jobs that have ended are meant, too.
    """

    name = "job id"

    def __init__(self, *, ended: bool = False) -> None:
        super().__init__(values.all_jobs if ended else values.jobs)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> JobId:
        """Return the specification. Raises UserError, which says what was typed."""
        from slimsched.controller.life import selectors

        try:
            return selectors.parse(str(value))
        except SlurmError as error:
            raise UserError(f"{error.message}: {quote(str(value))}") from None


class Number(values.Kind):
    """A whole number as people write it: ``1_000``, which Python would read, is none."""

    name = "number"

    def __init__(self, low: int, high: int = 999_999_999) -> None:
        self._low, self._high = low, high

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; a wrong one ends the command as a wrong option does."""
        from slimsched.text.sizes import is_number

        text = str(value)
        if not is_number(text) or not self._low <= int(text) <= self._high:
            self.fail(f"{text!r} is not a whole number from {self._low} to {self._high}.", param, ctx)
        return int(text)

"""The rows of a schedule: what became of each job, as ``jobs.csv`` has it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from slimsched.errors import UserError
from slimsched.replay.trace import opened

REFUSED = "REFUSED"
"""The state of a job that the cluster did not take: it asks for more than there is."""


class Row(NamedTuple):
    """A job of a schedule; instants in the trace's own seconds, -1 for none.

    ``run``: how long it ran, which is less than recorded if it was killed; ``limit``: how long it was planned for;
    ``scheduler``: what started it, ``Main`` (in order) or ``Backfill``; ``planned``: the start that it was first
    promised, -1 without ``--plans``.
    """

    job: int
    user: str
    procs: int
    submit: int
    start: int
    end: int
    run: int
    limit: int
    state: str
    scheduler: str
    planned: int
    nodes: str

    @property
    def wait(self) -> int:
        """The seconds from its submission to its start."""
        return self.start - self.submit

    @property
    def ran(self) -> bool:
        """Whether it ever started."""
        return self.start >= 0


_NUMBERS = [name not in ("user", "state", "scheduler", "nodes") for name in Row._fields]


def header() -> str:
    """Return the first line of the file."""
    return ",".join(Row._fields) + "\n"


def write(out: IO[str], rows: Iterable[Row]) -> None:
    """Write rows."""
    csv.writer(out, lineterminator="\n").writerows(rows)


def read(path: str) -> Iterator[Row]:
    """Yield the rows of a file. Raises `UserError` if it is none of ours."""
    with opened(path) as lines:
        reader = csv.reader(lines)
        if next(reader, None) != list(Row._fields):
            raise UserError(f"{path}: line 1: these are not the columns of a schedule ({', '.join(Row._fields)})")
        try:
            for values in reader:
                pairs = zip(values, _NUMBERS, strict=True)
                yield Row(*(int(value) if whole else value for value, whole in pairs))  # type: ignore[arg-type]
        except (ValueError, csv.Error) as fault:
            raise UserError(f"{path}: line {reader.line_num}: {fault}") from None

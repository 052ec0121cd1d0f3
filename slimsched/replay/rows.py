"""The rows of a schedule: what became of each job, as ``jobs.csv`` has it, and of the nodes on the way."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple, TypeVar, get_type_hints

from slimsched.errors import UserError
from slimsched.replay.trace import opened

REFUSED = "REFUSED"
"""The state of a job that the cluster did not take: it asks for more than there is."""


class Row(NamedTuple):
    """A job of a schedule; instants in the trace's own seconds, -1 for none.

    ``run``: how long it ran, which is less than recorded if it was killed; ``limit``: how long it was planned for;
    ``scheduler``: what started it, ``Main`` (in order) or ``Backfill``; ``planned``: the start that it was first
    promised, -1 without ``--plans``; ``extra``: what it asked of the ``Extra`` of its nodes.
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
    extra: str

    @property
    def wait(self) -> int:
        """The seconds from its submission to its start."""
        return self.start - self.submit

    @property
    def ran(self) -> bool:
        """Whether it ever started."""
        return self.start >= 0


class NodeRow(NamedTuple):
    """What a node says from a second of the trace on: its state and its Extra. The rows of ``nodes.csv``."""

    time: int
    node: str
    state: str
    extra: str


Kind = TypeVar("Kind", Row, NodeRow)


def header(kind: type[Row] | type[NodeRow]) -> str:
    """Return the first line of a file of such rows."""
    return ",".join(kind._fields) + "\n"


def write(out: IO[str], rows: Iterable[Row] | Iterable[NodeRow]) -> None:
    """Write rows."""
    csv.writer(out, lineterminator="\n").writerows(rows)


def read(path: str, kind: type[Kind]) -> Iterator[Kind]:
    """Yield the rows of a file. Raises `UserError` if it is none of ours."""
    whole = [hint is int for hint in get_type_hints(kind).values()]
    with opened(path) as lines:
        reader = csv.reader(lines)
        if next(reader, None) != list(kind._fields):
            raise UserError(f"{path}: line 1: these are not the columns of a schedule ({', '.join(kind._fields)})")
        try:
            for values in reader:
                pairs = zip(values, whole, strict=True)
                yield kind._make(int(value) if number else value for value, number in pairs)
        except (ValueError, csv.Error) as fault:
            raise UserError(f"{path}: line {reader.line_num}: {fault}") from None

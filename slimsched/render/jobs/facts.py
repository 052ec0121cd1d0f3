"""The facts of a job that JSON, ``sacct`` and ``scontrol show job`` share with ``squeue``: rows of its table.

Each of those outputs keeps what it alone has, and the order. There the name of a fact stands for its row. A fact that
no order names comes last, so that a new row shows in every output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from slimsched.render.jobs.job_list import JOBS

if TYPE_CHECKING:
    from slimsched.render.columns import Field

T = TypeVar("T")
Make = Callable[[list[str], Callable[[Any], Any]], T]


def rows(output: Callable[[Field], str], make: Make[T]) -> dict[str, T]:
    """Return the facts of an output by their names there, in the order of the table.

    ``output`` gives what a row says of the output: a name and perhaps further words. ``make`` makes a row of the output
    from these words and the getter of the value from a job's view.
    """
    said = ((output(field).split(), field.path) for field in JOBS.all())
    return {words[0]: make(words, attrgetter(path)) for words, path in said if words}


def placed(own: Iterable[T | str], facts: dict[str, T]) -> list[T]:
    """Return an output's own rows with each name (several, separated by blanks) replaced by its fact.

    Raises `KeyError` for a name that no fact has.
    """
    left = dict(facts)
    found: list[T] = []
    for row in own:
        found += [left.pop(name) for name in row.split()] if isinstance(row, str) else [row]
    return [*found, *left.values()]

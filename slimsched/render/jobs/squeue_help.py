"""The lists of ``squeue --helpformat``, ``--helpFormat`` and ``--helpstate``, made from the tables themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slimsched.render.jobs.job_list import JOBS
from slimsched.slurm.states import JOB

UNLISTED = ("gres", "tres-per-node")  # taken, but not listed by the real command either
WIDTH = 20  # of a name in the list of long names


def letters() -> str:
    """Return the specifications of the short format."""
    return in_columns((f"%{field.letter}" for field in JOBS.fields), 6, 8)


def names() -> str:
    """Return the names of the long format."""
    listed = (name for field in JOBS.all() for name in field.names.split(" ") if name not in UNLISTED)
    return in_columns(sorted(listed, key=lambda name: name.lower().replace("-", "")), WIDTH, 4)


def states() -> str:
    """Return the states, in capitals."""
    return in_columns(JOB, WIDTH, 4)


def in_columns(words: Iterable[str], width: int, count: int) -> str:
    """Return words in columns of ``width`` characters, ``count`` to the line."""
    listed = [word.ljust(width) for word in words]
    return "\n".join("".join(listed[i : i + count]) for i in range(0, len(listed), count))


TEXTS: dict[str, Callable[[], str]] = {"helpformat": letters, "helpFormat": names, "helpstate": states}
"""Option -> what it prints."""

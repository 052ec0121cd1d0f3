"""The formats, partitions and states that the options of ``sinfo`` and its variables choose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import first_set

if TYPE_CHECKING:
    from slimsched.cli.program import Given

REASONED = "down,fail,drain"
"""States of nodes that have a reason."""


FORMATS = ("Format", "format")


def format_texts(given: Given) -> tuple[str | None, str | None]:
    """Return the long format that is asked for, or else the short one.

    The last option counts; beside ``-O``, before or after it, what ``-o`` names is read as a long format. The variable
    counts if no option chooses what the lines are.
    """
    texts = [value for option, value in given.pairs if option.name in FORMATS]
    if texts:
        return (texts[-1], None) if given.has("Format") else (None, texts[-1])
    if any(map(given.has, ("summarize", "Node", "list-reasons"))):
        return None, None
    return None, os.environ.get("SINFO_FORMAT")


def format_given(given: Given) -> bool:
    """Whether an option names the columns."""
    return any(map(given.has, FORMATS))


def partition_text(given: Given) -> str | None:
    """Return the partitions that are asked for, None for all."""
    return None if given.has("all") else first_set(given, "partition", "SINFO_PARTITION")


def state_text(given: Given) -> str | None:
    """Return the states that are asked for, those with a reason for ``--list-reasons``."""
    return given.last("states", REASONED if given.has("list-reasons") else None)

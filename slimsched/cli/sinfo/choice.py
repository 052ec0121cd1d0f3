"""The formats, partitions and states that the options of ``sinfo`` and its variables choose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import first_set

if TYPE_CHECKING:
    from slimsched.cli.program import Given

REASONED = "down,fail,drain"
"""States of nodes that have a reason."""


def format_texts(given: Given) -> tuple[str | None, str | None]:
    """Return the long format that is asked for, or else the short one; the last option counts.

    The variable counts if no option chooses what the lines are.
    """
    for option, value in reversed(given.pairs):
        if option.name in ("Format", "format"):
            return (value, None) if option.name == "Format" else (None, value)
    if any(map(given.has, ("summarize", "Node", "list-reasons"))):
        return None, None
    return None, os.environ.get("SINFO_FORMAT")


def partition_text(given: Given) -> str | None:
    """Return the partitions that are asked for, None for all."""
    return None if given.has("all") else first_set(given, "partition", "SINFO_PARTITION")


def state_text(given: Given) -> str | None:
    """Return the states that are asked for, those with a reason for ``--list-reasons``."""
    return given.last("states", REASONED if given.has("list-reasons") else None)

"""The lists of ``sinfo --helpformat``, ``--helpFormat`` and ``--helpstate``, made from the tables themselves."""

from __future__ import annotations

from collections.abc import Callable

from slimsched.render.jobs.squeue_help import WIDTH, in_columns
from slimsched.render.nodes.sinfo_fields import LINES
from slimsched.render.nodes.state_words import TESTS


def letters() -> str:
    """Return the specifications of the short format."""
    return in_columns((f"%{field.letter}" for field in LINES.fields if len(field.letter) == 1), 6, 8)


def names() -> str:
    """Return the names of the long format."""
    return in_columns(sorted(name for field in LINES.fields for name in field.names.split()), WIDTH, 4)


def states() -> str:
    """Return the words for states, in capitals."""
    return in_columns((word.upper() for word in TESTS), WIDTH, 4)


TEXTS: dict[str, Callable[[], str]] = {"helpformat": letters, "helpFormat": names, "helpstate": states}
"""Option -> what it prints."""

"""The lists of ``--helpformat``, ``--helpFormat`` and ``--helpstate``, made from the tables themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.render.columns import Table

WIDTH = 20  # of a name
UNLISTED = "gres tres-per-node"  # a field whose names squeue takes, but does not list


def text(option: str, table: Table, states: Iterable[str]) -> str:
    """Return the letters of the short format, the names of the long one, or the words for states, in capitals."""
    if option == "helpformat":
        return in_columns((f"%{field.letter}" for field in table.fields if len(field.letter) == 1), 6, 8)
    if option == "helpstate":
        return in_columns(map(str.upper, states), WIDTH, 4)
    listed = (name for field in table.all() if field.names != UNLISTED for name in field.names.split())
    return in_columns(sorted(listed, key=lambda name: name.lower().replace("-", "")), WIDTH, 4)


def in_columns(words: Iterable[str], width: int, count: int) -> str:
    """Return words in columns of ``width`` characters, ``count`` to the line."""
    listed = [word.ljust(width) for word in words]
    return "\n".join("".join(listed[i : i + count]) for i in range(0, len(listed), count))

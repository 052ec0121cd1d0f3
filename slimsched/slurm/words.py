"""Words that may be abbreviated: keys, states, kinds of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

QUOTES = "\"'"
"""Signs that may stand around a list of names or fields in words of the accounting commands, and are left out."""


class Word(Protocol):
    """A word of Slurm's and the fewest letters that mean it."""

    @property
    def name(self) -> str:
        """The whole word."""

    @property
    def letters(self) -> int:
        """The number of letters that are enough."""


W = TypeVar("W", bound=Word)


def find(known: Iterable[W], text: str) -> W | None:
    """Return the first word that a text means, in any case, in full or abbreviated."""
    lower = text.lower()
    return next((w for w in known if len(text) >= w.letters and w.name.lower().startswith(lower)), None)

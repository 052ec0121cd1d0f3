"""Hints: how early jobs can start at best, known from jobs that ask for the same.

Within a cycle room only shrinks, so no job can start before the first start that was found for one that asks for the
same nodes for no longer a time. The search for the second goes on from there.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

Bounds = tuple[int, int]
"""The first instant at which promises leave enough nodes, and the first at which running jobs do so too."""


class Hints:
    """The bounds of one timeline, by what is asked for and for how long; a start or an end makes them void."""

    def __init__(self) -> None:
        self._changes = -1
        self._found: defaultdict[Hashable, dict[int, Bounds]] = defaultdict(dict)  # what is asked -> seconds -> bounds

    def of(self, changes: int, asked: Hashable) -> dict[int, Bounds]:
        """Return the bounds by seconds of what is ``asked``, to be added to; ``changes``: of what jobs hold, so far."""
        if changes != self._changes:
            self._changes = changes
            self._found.clear()
        return self._found[asked]


def best(found: dict[int, Bounds], seconds: int) -> Bounds:
    """Return the latest bounds of those for so many seconds or fewer."""
    if not found:
        return 0, 0
    if seconds in found:
        return found[seconds]
    shorter = [bounds for length, bounds in found.items() if length < seconds]
    return (max(first for first, _ in shorter), max(second for _, second in shorter)) if shorter else (0, 0)

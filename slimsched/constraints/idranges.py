"""Sets of ids kept as ranges, so that ``0-2147483647`` costs no more than ``0``."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class IdRanges(tuple[tuple[int, int], ...]):
    """First and last id of each run, ascending."""

    __slots__ = ()

    def pick(self, groups: Mapping[Any, T], /) -> Iterable[T]:
        """Return what ``groups`` holds for those of its keys that lie in a range."""
        ids = sorted(groups)
        found: list[T] = []
        for first, last in self:
            inside = ids[bisect_left(ids, first) : bisect_right(ids, last)]
            found.extend([groups[i] for i in inside])
        return found


def merged(parts: Iterable[tuple[int, int]]) -> IdRanges:
    """Return the set of several runs in any order, overlapping ones joined."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(parts):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return IdRanges(found)

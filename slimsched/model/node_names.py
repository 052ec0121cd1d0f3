"""The names of the nodes in their order: from node sets to hostlists.

Most node tables are numbered from one end to the other. There the hostlist of a set follows from its runs of bits, and
no name is looked at.
"""

from __future__ import annotations

import re

from slimsched.model import bitmap
from slimsched.text import hostlist


class NodeNames:
    """The names of one node table."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._prefix, self._numbers = _numbered(names)

    def hostlist_of(self, mask: int) -> str:
        """Return a node set as a hostlist, in the order of the node table."""
        if not self._numbers or not mask:
            return hostlist.fold([self._names[i] for i in bitmap.indices(mask)], "slurm")
        numbers, runs = self._numbers, []
        for found in re.finditer("1+", bin(mask)[:1:-1]):
            first, end = found.span()
            runs.append(numbers[first] if end - first == 1 else f"{numbers[first]}-{numbers[end - 1]}")
        return self._prefix + (runs[0] if mask & (mask - 1) == 0 else f"[{','.join(runs)}]")


def _numbered(names: list[str]) -> tuple[str, list[str]]:
    """Return the prefix of all names and their numbers as written, none if these do not follow each other."""
    if not names:
        return "", []
    prefix, first = hostlist.split_number(names[0])
    if not first:
        return "", []
    numbers = [f"{number:0{len(first)}}" for number in range(int(first), int(first) + len(names))]
    widened = first[0] != "0" or len(numbers[-1]) == len(first)  # else a zero too few joins no run
    regular = widened and all(name == prefix + number for name, number in zip(names, numbers, strict=True))
    return (prefix, numbers) if regular else ("", [])

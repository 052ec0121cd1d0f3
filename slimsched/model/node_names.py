"""The names of the nodes in their order: from node sets to hostlists.

Most node tables are numbered from one end to the other. There the hostlist of a set follows from its runs of bits, and
no name is looked at.
"""

from __future__ import annotations

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
        numbers = self._numbers
        runs = [
            numbers[first] if end - first == 1 else f"{numbers[first]}-{numbers[end - 1]}"
            for first, end in bitmap.runs(mask)
        ]
        return hostlist.bracketed(self._prefix, runs)


def _numbered(names: list[str]) -> tuple[str, list[str]]:
    """Return the prefix of all names and their numbers as written, none if these do not follow each other."""
    if not names:
        return "", []
    prefix, first = hostlist.split_number(names[0])
    if not first:
        return "", []
    numbers = [f"{number:0{len(first)}}" for number in range(int(first), int(first) + len(names))]
    return (prefix, numbers) if names == [prefix + number for number in numbers] else ("", [])

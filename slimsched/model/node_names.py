"""The names of the nodes in their order: from node sets to hostlists, and back.

Most node tables are numbered from one end to the other. There the hostlist of a set follows from its runs of bits, and
they from it; no name is looked at.
"""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.text import hostlist


class NodeNames:
    """The names of one node table."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._prefix, self._numbers = _numbered(names)
        self._places: dict[str, int] = {}

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

    def runs_of(self, text: str) -> list[tuple[int, int]]:
        """Return the places of a hostlist's names as runs, first and last of each; names of no node are left out."""
        found = self._read(text)
        if found is None:
            if not self._places:
                self._places = {name: place for place, name in enumerate(self._names)}
            known = (self._places[name] for name in hostlist.expand(text) if name in self._places)
            return [(first, end - 1) for first, end in bitmap.runs(bitmap.of(set(known)))]
        return found

    def _read(self, text: str) -> list[tuple[int, int]] | None:
        """Return the runs of a list as `hostlist_of` writes it, None for any other."""
        numbers, body = self._numbers, text.removeprefix(self._prefix)
        if not numbers or not text.startswith(self._prefix):
            return None
        if body[:1] == "[" and body[-1:] == "]":
            body = body[1:-1]
        elif not body.isdecimal():
            return None
        origin, found = int(numbers[0]), list[tuple[int, int]]()
        for word in body.split(","):
            first, _, last = word.partition("-")
            ends = [int(end) - origin if end.isdecimal() else -1 for end in (first, last or first)]
            written = [numbers[place] if 0 <= place < len(numbers) else "" for place in ends]
            if written != [first, last or first] or ends[0] > ends[1] or (found and ends[0] <= found[-1][1]):
                return None
            found.append((ends[0], ends[1]))
        return found


def _numbered(names: list[str]) -> tuple[str, list[str]]:
    """Return the prefix of all names and their numbers as written, none if these do not follow each other."""
    if not names:
        return "", []
    prefix, first = hostlist.split_number(names[0])
    if not first:
        return "", []
    numbers = [f"{number:0{len(first)}}" for number in range(int(first), int(first) + len(names))]
    return (prefix, numbers) if names == [prefix + number for number in numbers] else ("", [])

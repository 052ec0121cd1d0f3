"""A number for each node, kept as the sets of nodes that have the same one.

Most nodes of a cluster are in one of a few states, so that a job of a thousand nodes moves a set or two, not a
thousand entries, and a copy of all costs little. By node the numbers are there on demand.
"""

from __future__ import annotations

from slimsched.model import bitmap

MANY = 16
"""Sets for each node that is asked about, from which on the node is looked up by itself."""


class Column:
    """The numbers of the nodes 0 to ``size - 1``."""

    __slots__ = ("_stale", "_values", "sets", "size")

    def __init__(self, sets: dict[int, int], size: int) -> None:
        """Every node is in one of the ``sets``: number -> the nodes that have it. Only `move` may change it."""
        self.sets = sets
        self.size = size
        self._values: list[int] = []  # by node, once somebody has asked for all of them
        self._stale = 0  # nodes whose entry in it is an old one

    def fork(self) -> Column:
        """Return a copy."""
        return Column(self.sets.copy(), self.size)

    def at(self, index: int) -> int:
        """Return the number of a node."""
        if self._values and not self._stale >> index & 1:
            return self._values[index]
        for number, nodes in self.sets.items():
            if nodes >> index & 1:
                if self._values:
                    self._values[index] = number
                    self._stale ^= 1 << index
                return number
        raise IndexError(index)

    def parts(self, nodes: int) -> list[tuple[int, int]]:
        """Return the numbers of some nodes, each with those of the nodes that have it, in any order."""
        if not nodes & (nodes - 1) and nodes:
            return [(self.at(nodes.bit_length() - 1), nodes)]
        found: dict[int, int] = {}
        if not self._values or len(self.sets) < MANY * nodes.bit_count():
            for number, held in self.sets.items():
                if both := held & nodes:
                    found[number] = both
            return list(found.items())
        for index in bitmap.indices(nodes):
            number = self.at(index)
            found[number] = found.get(number, 0) | 1 << index
        return list(found.items())

    def values(self) -> list[int]:
        """Return the number of every node (not to be changed)."""
        if not self._values:
            self._values, self._stale = [0] * self.size, bitmap.full(self.size)
        if self._stale:
            values, stale = self._values, self._stale
            for number, nodes in self.sets.items():
                for index in bitmap.indices(nodes & stale):
                    values[index] = number
            self._stale = 0
        return self._values

    def move(self, old: int, new: int, nodes: int) -> None:
        """Give a ``new`` number to some of the nodes that have an ``old`` one."""
        if old == new:
            return
        sets = self.sets
        left = sets[old] ^ nodes
        if left:
            sets[old] = left
        else:
            del sets[old]
        sets[new] = sets.get(new, 0) | nodes
        if not self._values:
            return
        if nodes & (nodes - 1):
            self._stale |= nodes
        else:
            self._values[nodes.bit_length() - 1] = new
            if self._stale & nodes:
                self._stale ^= nodes

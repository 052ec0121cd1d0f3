"""The layout of a step: the tasks that run on each of its nodes.

Source: srun(1), ``--distribution``; scenario srun_distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

BLOCK, CYCLIC, PLANE, ARBITRARY = "block", "cyclic", "plane", "arbitrary"


def lay_out(kind: str, room: Sequence[int], tasks: int, plane: int = 1) -> list[list[int]]:
    """Return the ranks of the tasks on each node.

    ``room``: how many tasks each node takes; when all are full, further ones go round. ``plane``: tasks in a row on
    a node, for that kind.
    """
    if kind == BLOCK:
        return _block(room, tasks)
    found: list[list[int]] = [[] for _ in room]
    ranks = iter(range(tasks))
    for node in _turns(plane if kind == PLANE else 1, room):
        rank = next(ranks, None)
        if rank is None:
            break
        found[node].append(rank)
    return found


def arbitrary(nodes: Sequence[str], named: Sequence[str]) -> list[list[int]]:
    """Return the ranks on each node, the tasks following the list of names; nodes may be named more than once."""
    return [[rank for rank, name in enumerate(named) if name == node] for node in nodes]


def _block(room: Sequence[int], tasks: int) -> list[list[int]]:
    """Fill one node after the other, one task on each at least; what is left over goes round."""
    counts = []
    left = tasks
    for place, most in enumerate(room):
        others = len(room) - place - 1
        counts.append(max(0, min(max(most, 1), left - others)) or min(1, left))
        left -= counts[-1]
    for place in range(left):
        counts[place % len(room)] += 1
    found, first = [], 0
    for count in counts:
        found.append(list(range(first, first + count)))
        first += count
    return found


def _turns(several: int, room: Sequence[int]) -> Iterator[int]:
    """Yield the nodes whose turn it is, ``several`` times in a row, without end."""
    left = list(room)
    while any(count > 0 for count in left):
        for node, count in enumerate(left):
            turns = min(several, max(0, count))
            left[node] -= turns
            yield from repeat(node, turns)
    yield from chain.from_iterable(repeat(range(len(room))))

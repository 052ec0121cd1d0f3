"""What the ``Extra`` of the nodes said over time, and which constraints of jobs it blocked."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from slimsched.constraints import slurm_extra
from slimsched.constraints.columns import ExtraData, NodeTable
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.node_extra import lenient, scalar
from slimsched.constraints.predicate import Predicate
from slimsched.errors import SyntaxFault
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.schedule import Schedule
from slimsched.text import hostlist

SHOWN = 8
"""Constraints that are shown: those of the most jobs."""


class Said(NamedTuple):
    """A value of a node's ``Extra`` from an instant on, None if it has it no more; ``node`` is its number."""

    time: int
    node: int
    name: str
    value: str | float | bool | None


class Blocked(NamedTuple):
    """A constraint. ``matching``: instants, and how many nodes satisfied it from then on.

    ``waited``, ``blocked``: seconds that its jobs waited, and those in which fewer nodes satisfied it than the job took
    (one for a job that never started).
    """

    constraint: str
    jobs: int
    matching: list[tuple[int, int]]
    waited: int
    blocked: int


def values(shown: Schedule) -> list[Said]:
    """Return every change of a value, in the order of time."""
    index = {name: place for place, name in enumerate(shown.nodes)}
    before: dict[str, dict[str, str | float | bool]] = {}
    found = []
    for row in shown.said:
        if row.node not in index:
            continue
        old, new = before.get(row.node, {}), _scalars(row.extra)
        found += [
            Said(row.time, index[row.node], name, new.get(name))
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name)
        ]
        before[row.node] = new
    return found


def _scalars(text: str) -> dict[str, str | float | bool]:
    read = {name: scalar(value) for name, value in (lenient(text) or {}).items()}
    return {name: value for name, value in read.items() if value is not None}


def blocked(shown: Schedule) -> list[Blocked]:
    """Return the constraints of the most jobs, with what they waited for."""
    jobs: dict[str, list[Row]] = {}
    for row in shown.rows:
        if row.extra:
            jobs.setdefault(row.extra, []).append(row)
    most = Counter({text: len(rows) for text, rows in jobs.items()}).most_common(SHOWN)
    now = max((max(row.end, row.submit) for row in shown.rows), default=0)
    return [_of(text, jobs[text], shown.said, now) for text, _ in most]


def _of(text: str, rows: Sequence[Row], said: Iterable[NodeRow], now: int) -> Blocked:
    matching = _matching(text, said)
    waited = sum(_end(row, now) - row.submit for row in rows)
    return Blocked(text, len(rows), matching, waited, sum(_without(row, matching, now) for row in rows))


def _end(row: Row, now: int) -> int:
    return row.start if row.ran else max(now, row.submit)


def _matching(text: str, said: Iterable[NodeRow]) -> list[tuple[int, int]]:
    """Return how many nodes satisfy a constraint, from when on."""
    try:
        predicate = slurm_extra.parse(text)
    except SyntaxFault:
        return [(0, 0)]
    known: dict[str, bool] = {}
    fit: set[str] = set()
    found = [(-(1 << 62), 0)]
    for row in said:
        if row.extra not in known:
            known[row.extra] = _fits(predicate, row.extra)
        (fit.add if known[row.extra] else fit.discard)(row.node)
        if found[-1][0] == row.time:
            found[-1] = row.time, len(fit)
        elif found[-1][1] != len(fit):
            found.append((row.time, len(fit)))
    return found


def _fits(predicate: Predicate, text: str) -> bool:
    return bool(evaluate(predicate, NodeTable(1, {"extra": ExtraData([text]).column})))


def _without(row: Row, matching: Sequence[tuple[int, int]], now: int) -> int:
    """Return the seconds of a job's wait in which fewer nodes matched than it took."""
    wanted, end = len(hostlist.expand(row.nodes)) if row.ran else 1, _end(row, now)
    first = bisect_right(matching, (row.submit, 1 << 62)) - 1
    total = 0
    for (begin, count), (until, _) in pairwise((*matching[max(0, first) :], (end, 0))):
        if begin >= end:
            break
        if count < wanted:
            total += max(0, min(end, until) - max(row.submit, begin))
    return total

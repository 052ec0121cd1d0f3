"""Task lists: which nodes a job runs on, and how many of its tasks on each.

Form 1 names a node for every task (``n0:n0:n1``), form 2 has hostlists with counts (``n[0-1]*2:n2``).
"""

from __future__ import annotations

from itertools import groupby

from slimsched.errors import SyntaxFault
from slimsched.text import hostlist

MOST_TASKS = 1_000_000


def read(text: str) -> dict[str, int] | None:
    """Return the tasks of each node in the order of the list; None if it cannot be read."""
    counts: dict[str, int] = {}
    try:
        for name, tasks in _form_2(text) if "*" in text or "[" in text else _form_1(text):
            counts[name] = counts.get(name, 0) + tasks
    except (SyntaxFault, ValueError):
        return None
    return counts if sum(counts.values()) <= MOST_TASKS else None


def _form_1(text: str) -> list[tuple[str, int]]:
    return [(name, 1) for name in text.replace(",", ":").split(":") if name]


def _form_2(text: str) -> list[tuple[str, int]]:
    found = []
    for token in text.split(":"):
        names, star, count = token.partition("*")
        tasks = int(count) if star else 1
        if not (0 < tasks <= MOST_TASKS):
            raise ValueError(count)
        found += [(name, tasks) for name in hostlist.expand(names, dialect="slurm")]
    return found


def write(counts: list[tuple[str, int]], version: int, host_format: int) -> str:
    """Return a task list; version 1 begins it with a colon, as it always did."""
    if version == 1 or not host_format:
        names = [name for name, tasks in counts for _ in range(tasks)]
        return ":" * (version == 1) + ":".join(names)
    groups = [(tasks, [name for name, _ in same]) for tasks, same in groupby(counts, key=lambda pair: pair[1])]
    return ":".join(f"{part}*{tasks}" for tasks, names in groups for part in _parts(names))


def _parts(names: list[str]) -> list[str]:
    """Return names folded, one text for each prefix."""
    folded = hostlist.fold(names, "slurm")
    parts, depth, start = [], 0, 0
    for place, char in enumerate(folded):
        depth += (char == "[") - (char == "]")
        if char == "," and not depth:
            parts.append(folded[start:place])
            start = place + 1
    return [*parts, folded[start:]]

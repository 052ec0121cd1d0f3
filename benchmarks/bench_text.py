"""Time hostlists: expand and fold, against ClusterShell in the same run if it is installed.

    python benchmarks/bench_text.py [REPEATS]

Prints milliseconds, the best of REPEATS (5). ClusterShell's NodeSet is a set, ours an ordered list.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from slimsched.text import hostlist, idset

Work = Callable[[Any], object]


def best(work: Work, given: object, repeats: int) -> float:
    """Return the shortest time of several runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work(given)
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def reference() -> tuple[Work, Work] | None:
    """Return how ClusterShell expands a text and folds a comma-separated one, if it is installed."""
    try:
        from ClusterShell.NodeSet import NodeSet
    except ImportError:
        return None
    return lambda text: list(NodeSet(text)), lambda text: str(NodeSet(text))


def row(what: str, ours: Work, given: object, theirs: Work | None, text: str, repeats: int) -> None:
    """Print one line: ours, theirs, and how many times as long theirs takes."""
    mine = best(ours, given, repeats)
    other = best(theirs, text, 1) if theirs else None
    rest = f"{other:14.1f}{other / mine:8.1f}" if other is not None else f"{'-':>14}{'-':>8}"
    print(f"{what:<38}{mine:8.2f}{rest}")


def main() -> None:
    """Run all cases."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    their_expand, their_fold = reference() or (None, None)
    print(f"{'milliseconds':<38}{'ours':>8}{'ClusterShell':>14}{'times':>8}")
    for count in (10_000, 100_000):
        text = f"node[0-{count - 1}]"
        row(f"expand a range of {count:,}", hostlist.expand, text, their_expand, text, repeats)
        for what, step in (("neighbours", 1), ("names apart", 2)):
            names = hostlist.expand(text)[::step]
            row(f"fold {len(names):,} {what}", hostlist.fold, names, their_fold, ",".join(names), repeats)
    racks = "rack[00-99]node[000-999]"
    row("expand two brackets to 100,000", hostlist.expand, racks, their_expand, racks, repeats)
    row("idset 0-2147483647 as ranges", idset.ranges, "0-2147483647", None, "", repeats)


if __name__ == "__main__":
    main()

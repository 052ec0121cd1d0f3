"""What the benchmarks share: the shortest of several runs, and a line of the report."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of several runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def report(what: str, milliseconds: float, remark: str = "") -> None:
    """Print one line."""
    print(f"{what:<64}{milliseconds:10.3f} ms  {remark}")

"""The best fit among equal nodes: like `best_fit.best_fit`, but with bitmaps instead of node by node."""

from __future__ import annotations

from slimsched.model import bitmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def alike(mask: int, count: int, groups: Sequence[int]) -> int:
    """Return ``count`` nodes of ``mask``; ``groups``: the nodes by weight, lightest first.

    Of the sets of consecutive nodes the smallest that is large enough is taken, else the largest, and so on.
    """
    chosen = 0
    for group in groups:
        if whole := bitmap.tightest_run(mask & group, count):
            return chosen | ((1 << count) - 1) << whole[0]
        spans = bitmap.runs(mask & group)
        while count and spans:
            first, end = spans.pop(_best(spans, count))
            size = min(end - first, count)
            chosen |= ((1 << size) - 1) << first
            count -= size
        if not count:
            break
    return chosen


def first(mask: int, count: int, groups: Sequence[int]) -> int:
    """Return the first ``count`` nodes of ``mask``, by weight and then in table order."""
    chosen = 0
    for group in groups:
        chosen |= bitmap.lowest(mask & group, count - chosen.bit_count())
    return chosen


def _best(spans: Sequence[tuple[int, int]], count: int) -> int:
    best = large = -1
    fit, most = 1 << 62, 0
    for k, (first, end) in enumerate(spans):
        size = end - first
        if size >= count:
            if size < fit:
                best, fit = k, size
        elif size > most:
            large, most = k, size
    return best if best >= 0 else large

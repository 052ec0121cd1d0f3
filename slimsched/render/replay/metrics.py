"""Tables of the metrics of schedules, as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slimsched.replay import summary
from slimsched.replay.summary import Summary

CLASSES = ("jobs", "mean wait, s", "mean slowdown")


def table(found: Summary) -> Iterator[str]:
    """Yield the lines of a summary: the metrics, then the classes by length and by size."""
    rows = [(line.name, summary.shown(line)) for line in found.lines() if line.value is not None]
    yield from aligned(rows)
    for title, groups in (("by run time", found.by_length()), ("by size", found.by_size())):
        if groups:
            yield ""
            yield from aligned([(title, *CLASSES), *summary.rows_of(groups)])


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows with the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()

"""The drawing of a schedule in a terminal: a line for each group of nodes, a sign for each span of time.

A sign stands for the class of jobs that used most of its nodes and time; a dot says that nothing ran there.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from slimsched.render.replay.bars import Drawing, colour, pairs
from slimsched.text import hostlist

if TYPE_CHECKING:
    from rich.text import Text

SIGNS = string.ascii_uppercase + string.ascii_lowercase + string.digits
IDLE, MANY = ".", "*"
LABEL = 16  # the widest name of a line
NAMED = 24  # classes that the legend names


class Grid:
    """The signs: ``cells`` hold the number of a class for each line and column, None where nothing ran."""

    def __init__(self, drawing: Drawing, mode: str, width: int, height: int) -> None:
        """``width``: of the whole, in characters; ``height``: lines for nodes at most."""
        self.drawing, self.mode = drawing, mode
        count = len(drawing.nodes)
        lines = max(1, min(height, count))
        edges = [line * count // lines for line in range(lines + 1)]
        self.labels = [_label(drawing.nodes[a:b]) for a, b in pairwise(edges)]
        self.margin = max(map(len, self.labels)) + 1
        self.columns = max(10, width - self.margin)
        self._line_of = [line for line in range(lines) for _ in range(edges[line], edges[line + 1])]
        self.cells = self._cells(lines)

    def _cells(self, lines: int) -> list[list[int | None]]:
        shares: list[list[dict[int, float]]] = [[{} for _ in range(self.columns)] for _ in range(lines)]
        drawing = self.drawing
        each = (drawing.end - drawing.begin) / self.columns
        for bar in drawing.bars:
            begin = max(0.0, (bar.row.start - drawing.begin) / each)
            end = min(self.columns, max((bar.row.end - drawing.begin) / each, begin + 1e-9))
            number = drawing.category(self.mode, bar)
            for line, nodes in self._lines(bar.places):
                for column in range(int(begin), min(self.columns, int(-(-end // 1)))):
                    cell = shares[line][column]
                    part = min(end, column + 1) - max(begin, column)
                    cell[number] = cell.get(number, 0.0) + part * nodes
        return [[max(cell, key=lambda n: cell[n]) if cell else None for cell in line] for line in shares]

    def _lines(self, places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the lines of some nodes, with how many of these are in each."""
        counts: dict[int, int] = {}
        for first, last in pairs(places):
            for place in range(first, last + 1):
                counts[self._line_of[place]] = counts.get(self._line_of[place], 0) + 1
        yield from counts.items()

    def sign(self, number: int | None) -> str:
        """Return the sign of a class."""
        if number is None:
            return IDLE
        return SIGNS[number] if number < len(SIGNS) else MANY

    def axis(self) -> str:
        """Return the line of the times, which are counted from the first submission."""
        text = [" "] * (self.margin + self.columns)
        free = 0
        for share, name in self.drawing.marks(max(2, self.columns // 10)):
            at = self.margin + int(share * self.columns)
            if at >= free and at + len(name) <= len(text):
                text[at : at + len(name)] = name
                free = at + len(name) + 1
        return "".join(text).rstrip()

    def legend(self) -> list[tuple[int | None, str]]:
        """Return the classes with their names, and what else there is to say of the signs."""
        found = self.drawing.legend(self.mode)
        left = len(found) - NAMED
        return [*found[:NAMED], *([(None, f"and {left} more")] if left > 0 else [])]


def _label(names: Sequence[str]) -> str:
    text = names[0] if len(names) == 1 else hostlist.fold(list(names), "slurm")
    return text if len(text) <= LABEL else f"{names[0]}.."[:LABEL]


def plain(grid: Grid) -> Iterator[str]:
    """Yield the lines for a pipe."""
    for label, cells in zip(grid.labels, grid.cells, strict=True):
        yield f"{label:<{grid.margin}}{''.join(map(grid.sign, cells))}"
    yield grid.axis()
    yield f"{grid.mode}: " + ", ".join(
        name if number is None else f"{grid.sign(number)} {name}" for number, name in grid.legend()
    )


def drawn(grid: Grid) -> Iterator[Text]:
    """Yield the lines for a terminal: the same signs, on their colours."""
    from rich.text import Text

    from slimsched.render.terminal import plain as harmless

    def sign(number: int | None) -> tuple[str, str]:
        return grid.sign(number), "dim" if number is None else f"black on {colour(grid.mode, number)}"

    for label, cells in zip(grid.labels, grid.cells, strict=True):
        yield Text.assemble(f"{harmless(label):<{grid.margin}}", *map(sign, cells))
    yield Text(grid.axis(), style="dim")
    line = Text(f"{grid.mode}: ", style="dim")
    for number, name in grid.legend():
        if number is not None:
            line.append_text(Text.assemble(sign(number), " "))
        line.append(f"{harmless(name)}  ")
    yield line


def show(grid: Grid) -> None:
    """Print the lines on a terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    for line in drawn(grid):
        console.print(line)

"""The drawing of a schedule, nodes x time, which the page, the pictures and the terminal share.

Each job is a bar on the nodes that it had; bars are coloured by one of `MODES`.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from slimsched.model.node_names import NodeNames
from slimsched.replay import summary
from slimsched.replay.rows import Row
from slimsched.replay.schedule import Schedule

MODES = ("user", "size", "wait", "state")
"""What a colour tells."""

WAITS = ((0, "none"), (60, "to 1 min"), (3600, "to 1 h"), (28_800, "to 8 h"), (1 << 62, "longer"))
SCALE = ("#4a90c2", "#5aa469", "#c9a227", "#d2742f", "#b03a48")
"""The colours of ordered classes, from little to much."""

CLASSES = {"size": summary.SIZES, "wait": WAITS}
"""Mode -> its classes, each with the largest value that belongs to it."""

SPANS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
STEPS = (
    *(1, 5, 15, 60, 300, 900, 3600, 7200, 21_600, 86_400, 172_800, 604_800, 1_209_600, 2_592_000, 7_776_000),
    *(31_536_000, 157_680_000),
)
"""Seconds between two marks of a time axis."""


class Bar(NamedTuple):
    """A job on its nodes: ``places`` are the ranges of their numbers, first and last of each; ``user`` is a number."""

    row: Row
    user: int
    state: int
    places: list[int]


class Drawing:
    """The bars of a schedule in the order of their starts, between two instants.

    ``users``, ``states``: the names behind the numbers of the bars.
    """

    def __init__(self, shown: Schedule, begin: int | None = None, end: int | None = None) -> None:
        """``begin``, ``end``: the part to draw; None: the first submission, the last end."""
        self.nodes = shown.nodes
        users: dict[str, int] = {}
        states: dict[str, int] = {}
        known: dict[str, list[int]] = {}
        names = NodeNames(list(shown.nodes))
        self.all: list[Bar] = []
        for row in shown.rows:
            if row.nodes not in known:
                known[row.nodes] = [place for run in names.runs_of(row.nodes) for place in run]
            user, state = users.setdefault(row.user, len(users)), states.setdefault(row.state, len(states))
            self.all.append(Bar(row, user, state, known[row.nodes]))
        self.users, self.states = list(users), list(states)
        first = min((row.submit for row in shown.rows), default=0)
        last = max((max(row.end, row.submit) for row in shown.rows), default=0)
        self.origin = first
        self.begin = first if begin is None else begin
        self.end = max(self.begin + 1, last if end is None else end)
        ran = (bar for bar in self.all if bar.row.ran and bar.row.start < self.end and bar.row.end > self.begin)
        self.bars = sorted(ran, key=lambda bar: bar.row.start)

    def category(self, mode: str, bar: Bar) -> int:
        """Return the number of a bar's class under a mode."""
        if mode in CLASSES:
            value = bar.row.procs if mode == "size" else bar.row.wait
            return next(place for place, (most, _) in enumerate(CLASSES[mode]) if value <= most)
        return bar.user if mode == "user" else bar.state

    def legend(self, mode: str) -> list[tuple[int, str]]:
        """Return the classes that the drawing has, with their names."""
        found = sorted({self.category(mode, bar) for bar in self.bars})
        names = [name for _, name in CLASSES[mode]] if mode in CLASSES else getattr(self, f"{mode}s")
        return [(number, names[number]) for number in found]

    def marks(self, most: int) -> list[tuple[float, str]]:
        """Return at most so many marks of the time axis: the share of the width, and the time since the beginning."""
        long = self.end - self.begin
        step = next((step for step in STEPS if long / step <= most), -(-long // max(1, most)))
        first = -(-(self.begin - self.origin) // step) * step + self.origin
        return [((at - self.begin) / long, span(at - self.origin)) for at in range(first, self.end + 1, step)]


def colour(mode: str, number: int) -> str:
    """Return the colour of a class as ``#rrggbb``; users and states go around the circle of hues."""
    if mode in CLASSES:
        return SCALE[number]
    turn = number if mode == "user" else number * 3 + 1
    red, green, blue = colorsys.hls_to_rgb(turn * 137.508 % 360 / 360, 0.52, 0.55)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def span(seconds: int) -> str:
    """Return a time in its largest unit: ``1.5 h``."""
    size, unit = next((each for each in SPANS if abs(seconds) >= each[0]), SPANS[-1])
    return f"{round(seconds / size, 1):g} {unit}"


def pairs(places: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Return the ranges one by one."""
    return zip(places[::2], places[1::2], strict=True)

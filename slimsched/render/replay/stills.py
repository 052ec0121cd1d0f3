"""Pictures of a schedule: SVG, which needs no library, and PNG by matplotlib (the extra ``png``)."""

from __future__ import annotations

import html
from collections.abc import Iterator

from slimsched.errors import UserError
from slimsched.render.replay.bars import Drawing, colour, pairs

WIDTH, LEFT, TOP, FOOT = 1200, 90, 40, 30
ROW, LOWEST, HIGHEST = 14, 160, 800
NAMED = 24  # classes that the legend names
INK, SOFT, LINE, PAPER = "#1c2126", "#5b6670", "#d5dade", "#ffffff"


class Plot:
    """The measures of a picture, in pixels: ``x`` of an instant, ``row``: the height of a node."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.height = min(HIGHEST, max(LOWEST, len(drawing.nodes) * ROW))
        self.row = self.height / max(1, len(drawing.nodes))
        self.wide = WIDTH - LEFT - 10

    def x(self, instant: int) -> float:
        """Return the place of an instant, kept within the picture."""
        drawing = self.drawing
        inside = min(max(instant, drawing.begin), drawing.end)
        return LEFT + (inside - drawing.begin) / (drawing.end - drawing.begin) * self.wide

    def boxes(self) -> Iterator[tuple[int, float, float, float, float]]:
        """Yield for each bar and each of its ranges: the number of the bar, left, top, width and height."""
        gap = 1 if self.row > 4 else 0
        for number, bar in enumerate(self.drawing.bars):
            left = self.x(bar.row.start)
            wide = self.x(bar.row.end) - left
            wide = wide - 1 if wide > 4 else max(wide, 0.5)
            for first, last in pairs(bar.places):
                yield number, left, TOP + first * self.row, wide, (last - first + 1) * self.row - gap

    def legend(self, mode: str) -> list[tuple[str, str]]:
        """Return colours and names."""
        found = self.drawing.legend(mode)
        named = [(colour(mode, number), name) for number, name in found[:NAMED]]
        return named + ([(PAPER, f"and {len(found) - NAMED} more")] if len(found) > NAMED else [])


def svg(drawing: Drawing, mode: str, title: str) -> Iterator[str]:
    """Yield the lines of an SVG; boxes of one colour are one path, so that 30,000 jobs stay small."""
    plot = Plot(drawing)
    legend = plot.legend(mode)
    lines = _legend_lines(legend)
    whole = TOP + plot.height + FOOT + 18 * len(lines) + 6
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {whole}" width="{WIDTH}" height="{whole}"'
        f' font-family="system-ui, sans-serif" font-size="12" fill="{SOFT}">'
    )
    yield f"<title>{_text(title)}</title>"
    yield f'<rect width="{WIDTH}" height="{whole}" fill="{PAPER}"/>'
    yield f'<text x="{LEFT}" y="24" font-size="16" fill="{INK}">{_text(title)}</text>'
    foot = TOP + plot.height
    for share, name in drawing.marks(12):
        x = LEFT + share * plot.wide
        yield f'<path d="M{x:.1f} {TOP}V{foot}" stroke="{LINE}"/>'
        yield f'<text x="{x:.1f}" y="{foot + 16}" text-anchor="middle">{name}</text>'
    paths: dict[str, list[str]] = {}
    for number, left, top, wide, high in plot.boxes():
        ink = colour(mode, drawing.category(mode, drawing.bars[number]))
        paths.setdefault(ink, []).append(f"M{left:.1f} {top:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z")
    for ink, parts in paths.items():
        yield f'<path fill="{ink}" d="{"".join(parts)}"/>'
    for name, y in _ends(drawing, plot):
        yield f'<text x="{LEFT - 6}" y="{y:.0f}" text-anchor="end">{_text(name)}</text>'
    for line, items in enumerate(lines):
        y = foot + FOOT + 18 * line + 6
        for x, ink, name in items:
            yield f'<rect x="{x}" y="{y}" width="10" height="10" fill="{ink}"/>'
            yield f'<text x="{x + 15}" y="{y + 10}">{_text(name)}</text>'
    yield "</svg>"


def _ends(drawing: Drawing, plot: Plot) -> list[tuple[str, float]]:
    """Return the names of the first and the last node, with their places."""
    if not drawing.nodes:
        return []
    last = [(drawing.nodes[-1], TOP + plot.height - 3.0)] if len(drawing.nodes) > 1 else []
    return [(drawing.nodes[0], TOP + min(plot.row, 12.0)), *last]


def _legend_lines(legend: list[tuple[str, str]]) -> list[list[tuple[int, str, str]]]:
    """Return the legend broken into lines; each item with its place."""
    lines: list[list[tuple[int, str, str]]] = []
    x = WIDTH
    for ink, name in legend:
        wide = 15 + 7 * len(name) + 18
        if x + wide > WIDTH:
            lines.append([])
            x = LEFT
        lines[-1].append((x, ink, name))
        x += wide
    return lines


def _text(text: str) -> str:
    """Return text as XML takes it; other characters than XML's are spelled out."""
    return html.escape("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text))


def png(drawing: Drawing, mode: str, title: str, path: str) -> None:
    """Write a PNG. Raises `UserError` where matplotlib is not installed."""
    try:
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError:
        raise UserError("--png needs matplotlib: pip install 'slimsched[png]'; --svg needs nothing") from None
    plot = Plot(drawing)
    figure = Figure(figsize=(WIDTH / 100, (TOP + plot.height + FOOT + 60) / 100), dpi=100, layout="constrained")
    axes = figure.subplots()
    boxes = list(plot.boxes())
    corners = [((x, y), (x + w, y), (x + w, y + h), (x, y + h)) for _, x, y, w, h in boxes]
    inks = [colour(mode, drawing.category(mode, drawing.bars[number])) for number, *_ in boxes]
    axes.add_collection(PolyCollection(corners, facecolors=inks, linewidths=0))
    axes.set(xlim=(LEFT, LEFT + plot.wide), ylim=(TOP + plot.height, TOP))
    axes.set_title(_literal(title), loc="left")
    marks = drawing.marks(12)
    axes.set_xticks([LEFT + share * plot.wide for share, _ in marks], [name for _, name in marks])
    axes.set_yticks([y for _, y in _ends(drawing, plot)], [_literal(name) for name, _ in _ends(drawing, plot)])
    handles = [Patch(color=ink, label=_literal(name)) for ink, name in plot.legend(mode)]
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=6, frameon=False, fontsize=8)
    figure.savefig(path, format="png", metadata={"Software": None})


def _literal(text: str) -> str:
    """Return text in which matplotlib finds no formulas."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text).replace("$", r"\$")

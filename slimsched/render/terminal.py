"""The tables for a terminal: coloured by state and fitted to its width. Only this file imports Rich."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from slimsched.render.columns import COLUMNS, Style
from slimsched.slurm.states import JOB_STATES, NODE_STATES, NODE_WORDS

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from slimsched.render.columns import Format

STYLES: dict[str, str] = {row.name: row.colour for row in JOB_STATES}
STYLES |= {row.word: row.colour for row in (*NODE_STATES, *NODE_WORDS)}
"""State of a job or of nodes -> the colour of its line."""

YIELDING = (
    "NAME",
    "JOBNAME",
    "COMMAND",
    "SUBMITLINE",
    "WORK_DIR",
    "WORKDIR",
    "COMMENT",
    "EXTRA",
    "REASON",
    "NODELIST(REASON)",
    "NODELIST",
    "AVAIL_FEATURES",
)
"""Columns that give up room first, in this order; then the widest ones."""

LEAST = 4  # characters that a column keeps
READABLE = 8  # characters of its values that a yielding column keeps as long as there are headings to cut


def plain(text: str) -> str:
    """Return ``text`` with control characters spelled out, so that data cannot drive the terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def show(wanted: Format, records: Sequence[object], style: Style = COLUMNS, console: Console | None = None) -> None:
    """Print records as a table; a format with text of its own between the fields is printed as it stands."""
    columns = [(column.field, column.right) for column in wanted.columns if column.field]
    heads = [field.header for field, _ in columns]
    rows = [[field.text(record) for field, _ in columns] for record in records]
    literal = style.delimiter is not None or any(column.suffix.strip() for column in wanted.columns)
    if literal or not _draw(heads, [right for _, right in columns], rows, records, style.header, console):
        _print(wanted.lines(records, style), console)


def _print(lines: Sequence[str], console: Console | None) -> None:
    console = console or Console(highlight=False)
    for line in lines:
        console.out(plain(line), highlight=False)


def _draw(
    heads: Sequence[str],
    rights: Sequence[bool],
    texts: Sequence[Sequence[str]],
    records: Sequence[object],
    header: bool,
    console: Console | None,
) -> bool:
    """Draw a table and return True, unless it has no columns, or more than there is room for.

    ``rights``: whether a column stands to the right.
    """
    console = console or Console(highlight=False)
    rows = [[plain(text.rstrip()) for text in row] for row in texts]
    contents = [max(map(len, cells), default=0) for cells in zip(*rows, strict=True)] if rows else [0] * len(heads)
    widths = fit(contents, heads, console.width)
    if not heads or sum(widths) + len(widths) - 1 > console.width:
        return False
    table = Table(box=None, show_header=header, header_style="bold underline", pad_edge=False, padding=(0, 1, 0, 0))
    for head, right, width in zip(heads, rights, widths, strict=True):
        shown = Text(head, overflow="ellipsis")
        justify: JustifyMethod = "right" if right and head.upper() not in YIELDING else "left"
        table.add_column(shown, justify=justify, width=width, no_wrap=True, overflow="ellipsis")
    for record, cells in zip(records, rows, strict=True):
        state = str(getattr(record, "state", "")).partition(" ")[0].rstrip("*$~#!%@^-+")
        table.add_row(*(Text(cell) for cell in cells), style=STYLES.get(state, ""))
    console.print(table)
    return True


def show_lines(lines: Sequence[tuple[str, str]], console: Console | None = None) -> None:
    """Print lines, each with its style, broken between words where they are too long."""
    console = console or Console(highlight=False)
    for text, style in lines:
        console.print(Text(plain(text), style=style))


def fit(contents: Sequence[int], heads: Sequence[str], room: int) -> list[int]:
    """Return widths with which all columns fit on one line, with a blank between them, if possible.

    ``contents``: the longest value of each column. Yielding columns give up room first, but keep `READABLE`
    characters of their values; then headings that are longer than their values; then all values.
    """
    widths = [max(content, len(head)) for content, head in zip(contents, heads, strict=True)]
    over = sum(widths) + len(widths) - 1 - room
    first = [i for name in YIELDING for i, head in enumerate(heads) if head.upper() == name]
    others = sorted((i for i in range(len(heads)) if i not in first), key=lambda i: -widths[i])
    rounds = ((first, READABLE), (others, room), ([*first, *others], LEAST))
    for indices, kept in rounds:
        for i in indices:
            given = max(0, min(over, widths[i] - max(LEAST, min(kept, contents[i]))))
            widths[i] -= given
            over -= given
    return widths

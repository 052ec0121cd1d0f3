"""Complex attributes as ``qconf -sc`` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.constraints.complexes.builtin import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.complex import ComplexAttribute

END = "# >#< starts a comment but comments are not saved across edits --------"
_HEADS = ("#name", *FIELDS[1:])


def table(attributes: Iterable[ComplexAttribute]) -> str:
    """Return the definitions in the order of their names."""
    rows = [tuple(str(getattr(one, field)) for field in FIELDS) for one in attributes]
    rows.sort(key=lambda row: (row[0].lower(), row[0]))
    columns = list(zip(_HEADS, *rows, strict=True))
    widths = [max(len(head) + 1, *(len(cell) + 4 for cell in cells)) for head, *cells in columns]
    lines = [_line(_HEADS, widths), "#" + "-" * (sum(widths) - 1)]
    lines += [_line(row, [*widths[:-1], 0]) for row in rows]
    return "\n".join([*lines, END])


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))

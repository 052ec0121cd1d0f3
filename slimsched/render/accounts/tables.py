"""Tables as Slurm's accounting commands print them: a line of dashes under the header, ``+`` where a text was cut.

``sacct``, ``sacctmgr``, ``sshare``, ``sstat``, ``sreport`` and ``sprio`` (without dashes) share it. A field is asked
for by any beginning of its name, in any case; ``name%20`` and ``name%-20`` change its width and side.

    format = field { "," field }        field = name [ "%" [ "-" ] digits ]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from slimsched.errors import UserError
from slimsched.render.columns import MAX_WIDTH
from slimsched.text.sizes import strtol

Text = Callable[[Any], str]


class Field:
    """One field: its name, its header, its usual width (negative: to the left), and how to read it from a row.

    ``whole``: a number, which is never cut to the width of its column. ``dated``: a date, which is never cut either:
    a column that is too narrow for it is filled with ``#``.
    """

    __slots__ = ("dated", "header", "name", "text", "whole", "width")

    def __init__(
        self, name: str, width: int, text: Text, *, header: str = "", whole: bool = False, dated: bool = False
    ) -> None:
        self.name, self.width, self.text, self.header = name, width, text, header or name
        self.whole, self.dated = whole, dated

    def resized(self, width: int) -> Field:
        """Return the field with another width."""
        return Field(self.name, width, self.text, header=self.header, whole=self.whole, dated=self.dated)


def choose(fields: Sequence[Field], text: str) -> list[Field]:
    """Return the fields of a format, ``ALL`` being all of them; raises `UserError` for an unknown name."""
    chosen: list[Field] = []
    for item in filter(None, text.split(",")):
        name, _, size = item.strip().partition("%")
        if name.upper() == "ALL":
            chosen += fields
            continue
        found = find(fields, name)
        chosen.append(found.resized(width_of(size) or found.width))
    return chosen


def width_of(size: str) -> int:
    """Return the width that stands behind the ``%`` of a format, 0 for none, which mostly leaves the usual one."""
    return max(-MAX_WIDTH, min(strtol(size)[0], MAX_WIDTH))


def begins(spelled: str, word: str) -> bool:
    """Whether a word is a name (``NAME:LETTERS``) in any case, perhaps cut short to no less than so many letters."""
    name, _, least = spelled.partition(":")
    return name.lower().startswith(word.lower()) and len(word) >= int(least)


def find(fields: Sequence[Field], name: str) -> Field:
    """Return the first field whose name begins with ``name``, in any case."""
    lowered = name.lower()
    for field in fields:
        if lowered and field.name.lower().startswith(lowered):
            return field
    raise UserError(f'Invalid field requested: "{name}"')


class Style:
    """How a table is laid out. ``delimiter``: None for columns, else what stands between the values.

    ``closing``: it stands behind the last value too (``--parsable``). ``dashes``: under the header of columns.
    """

    def __init__(
        self, delimiter: str | None = None, *, closing: bool = False, header: bool = True, dashes: bool = True
    ) -> None:
        self.delimiter, self.closing, self.header, self.dashes = delimiter, closing, header, dashes

    def lines(self, fields: Sequence[Field], rows: Iterable[Any]) -> list[str]:
        """Return the header and a line for each row."""
        found: list[str] = []
        if self.header:
            found.append(self._line([field.header for field in fields], fields, header=True))
            if self.dashes and self.delimiter is None:
                found.append("".join("-" * abs(field.width) + " " for field in fields))
        found += (self._line([field.text(row) for field in fields], fields) for row in rows)
        return found

    def _line(self, texts: Sequence[str], fields: Sequence[Field], *, header: bool = False) -> str:
        if self.delimiter is not None:
            return self.delimiter.join(texts) + (self.delimiter if self.closing else "")
        pairs = zip(texts, fields, strict=True)
        if header:
            return "".join(fit(text, field.width, mark=False) + " " for text, field in pairs)
        cells = (
            _dated(text, field.width) if field.dated else fit(text, field.width, field.whole) for text, field in pairs
        )
        return "".join(f"{cell} " for cell in cells)


def _dated(text: str, width: int) -> str:
    """Return a date in its column, which is filled with ``#`` if it is too narrow; a word is cut."""
    size = abs(width)
    if len(text) > size and text[:1].isdigit():
        return "#" * size
    return fit(text, width, mark=False)


def fit(text: str, width: int, whole: bool = False, *, mark: bool = True) -> str:
    """Return ``text`` padded, or cut with a ``+`` as its last character (``mark``), to a width."""
    size = abs(width)
    if len(text) > size and not whole:
        text = text[: size - 1] + "+" if mark and size else text[:size]
    return text.ljust(size) if width < 0 else text.rjust(size)


def names(fields: Sequence[Field]) -> str:
    """Return the names of all fields, four a line, as ``--helpformat`` prints them."""
    width = max(len(field.name) for field in fields)
    padded = [field.name.ljust(width) for field in fields]
    return "\n".join(" ".join(padded[at : at + 4]) for at in range(0, len(padded), 4))

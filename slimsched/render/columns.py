"""Output formats: ``-o "%.18i %j"`` and ``-O jobid:10,name:.20``, over one table of fields per kind of record.

A `Field` knows its letter, its long names, its header, how to read its text from a record, and how it sorts.
A format becomes a list of `Column`; `lines` prints records through it, to the width that each column asks for.

    short  = literal { "%" [ "." ] [ width ] letter literal }
    long   = field { "," field }            field = name [ ":" [ "." ] [ width ] suffix ]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Getter = Callable[[Any], str]
DEFAULT_WIDTH = 20  # of a field of the long format without a size
MAX_WIDTH = 1 << 16  # larger ones are cut to it: a format must not ask for more memory than that


class Field:
    """One field of a kind of record.

    ``names`` are its names in the long format, separated by blanks; their case does not count. ``key`` gives what
    it sorts by; None: it cannot be sorted by. ``whole``: its text is never cut to the width of its column.
    """

    __slots__ = ("header", "key", "letter", "names", "text", "whole")

    def __init__(
        self,
        letter: str,
        names: str,
        header: str,
        text: Getter,
        key: Callable[[Any], Any] | None = None,
        whole: bool = False,
    ) -> None:
        self.letter, self.names, self.header = letter, names, header
        self.text, self.key, self.whole = text, key, whole


class Column:
    """A field as one format shows it; without a field it is plain text (``suffix``)."""

    __slots__ = ("field", "right", "suffix", "width")

    def __init__(self, field: Field | None, width: int = 0, right: bool = False, suffix: str = "") -> None:
        self.field, self.width, self.right, self.suffix = field, min(width, MAX_WIDTH), right, suffix

    def fit(self, text: str, whole: bool = False) -> str:
        """Return ``text`` cut and padded to the column's width, and what follows it; width 0 leaves it alone."""
        width = self.width
        if not width:
            return text + self.suffix
        if not whole:
            text = text[:width]
        return (text.rjust(width) if self.right else text.ljust(width)) + self.suffix

    @property
    def header(self) -> str:
        """The column's part of the header line."""
        return self.fit(self.field.header) if self.field else self.suffix

    def cell(self, record: object) -> str:
        """Return the column's part of a record's line."""
        field = self.field
        return self.fit(field.text(record), field.whole) if field else self.suffix


class Format:
    """A parsed format: its columns, and the specifications that named no field."""

    def __init__(self, columns: list[Column], invalid: list[str]) -> None:
        self.columns, self.invalid = columns, invalid

    @property
    def fields(self) -> list[Field]:
        """The fields that it shows, in order."""
        return [column.field for column in self.columns if column.field]

    def line(self, record: object) -> str:
        """Return the line of one record."""
        return "".join([column.cell(record) for column in self.columns])

    def lines(self, records: Iterable[object], *, header: bool = True) -> list[str]:
        """Return the header line and a line for each record."""
        head = ["".join([column.header for column in self.columns])] if header else []
        return head + [self.line(record) for record in records]


def parse_short(text: str, by_letter: Callable[[str], Field | None]) -> Format:
    """Read a ``-o`` format. A letter without a field stays in the output as it was written."""
    columns: list[Column] = []
    invalid: list[str] = []
    parts = text.split("%")
    if parts[0]:
        columns.append(Column(None, suffix=parts[0]))
    for token in filter(None, parts[1:]):
        right = token.startswith(".")
        digits = _digits(token, int(right))
        start = int(right) + len(digits)
        letter, suffix = token[start : start + 1], token[start + 1 :]
        field = by_letter(letter)
        if field is None:
            invalid.append(letter)
            columns.append(Column(None, suffix="%" + token))
        else:
            columns.append(Column(field, _width(digits), right, suffix))
    return Format(columns, invalid)


def parse_long(text: str, by_name: Callable[[str], Field | None]) -> Format:
    """Read a ``-O`` format; a name without a field shows nothing."""
    columns: list[Column] = []
    invalid: list[str] = []
    for token in filter(None, text.split(",")):
        name, colon, size = token.partition(":")
        field = by_name(name.lower())
        if field is None:
            invalid.append(name)
            continue
        right = size.startswith(".")
        digits = _digits(size, int(right))
        width = _width(digits) if colon else DEFAULT_WIDTH
        columns.append(Column(field, width, right, size[int(right) + len(digits) :]))
    return Format(columns, invalid)


def _digits(text: str, start: int) -> str:
    """Return the digits at ``start``."""
    end = start
    while end < len(text) and text[end] in "0123456789":
        end += 1
    return text[start:end]


def _width(digits: str) -> int:
    return MAX_WIDTH if len(digits) > 5 else int(digits or 0)


class Table:
    """The fields of one kind of record, found by letter and by name.

    ``load`` gives further fields that only a long format names; they are imported when one is asked for.
    """

    def __init__(self, fields: Sequence[Field], load: Callable[[], Sequence[Field]] | None = None) -> None:
        self.fields, self.load = fields, load

    def by_letter(self, letter: str) -> Field | None:
        """Return the field of a letter of the short format, also of a sort order."""
        return next((field for field in self.fields if field.letter == letter), None) if letter else None

    def by_name(self, name: str) -> Field | None:
        """Return the field of a name of the long format."""
        return next((field for field in self.all() if name in field.names.lower().split(" ")), None) if name else None

    def short(self, text: str) -> Format:
        """Read a short format; ``%all`` is every letter, with bars between."""
        if text.lower() == "%all":
            letters = sorted((field.letter for field in self.fields if len(field.letter) == 1), key=str.swapcase)
            text = "|".join(f"%{letter}" for letter in letters)
        return parse_short(text, self.by_letter)

    def long(self, text: str) -> Format:
        """Read a long format."""
        return parse_long(text, self.by_name)

    def all(self) -> list[Field]:
        """Return every field."""
        return [*self.fields, *(self.load() if self.load else ())]


def sort(records: list[Any], order: str, table: Table) -> list[Any]:
    """Return ``records`` by a sort order such as ``P,t,-p``; equal ones keep their places.

    ``#`` ahead of a letter takes the order of the configuration instead of the text's.

    Raises `KeyError` with the letter that cannot be sorted by.
    """
    keys: list[tuple[Callable[[Any], Any], bool]] = []
    flags = ""
    for letter in order:
        if letter in "+-#,":
            flags = "" if letter == "," else flags + letter
            continue
        field = table.by_letter("#" + letter if "#" in flags else letter)
        if field is None or field.key is None:
            raise KeyError(letter)
        keys.append((field.key, "-" in flags))
        flags = ""
    for key, reverse in reversed(keys):
        records = sorted(records, key=key, reverse=reverse)
    return records

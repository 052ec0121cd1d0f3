"""Output formats: ``-o "%.18i %j"`` and ``-O jobid:10,name:.20``, over one table of fields per kind of record.

A `Field` knows its letter, its long names, its header, how to read its text from a record, and how it sorts.
A format becomes a list of `Column`; `lines` prints records through it, to the width that each column asks for.

    short  = literal { "%" [ "." ] [ width ] letter literal }
    long   = field { "," field }            field = name [ ":" [ "." ] [ width ] suffix ]

A width is a number as C reads one: below zero it pads nothing and leaves a blank behind the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Getter = Callable[[Any], str]
Whole = bool | Callable[[Any], bool]
DEFAULT_WIDTH = 20  # of a field of the long format without a size
MAX_WIDTH = 1 << 16  # larger ones are cut to it: a format must not ask for more memory than that


class Field:
    """One field of a kind of record.

    ``names`` are its names in the long format, separated by blanks; their case does not count. ``key`` gives what
    it sorts by; None: it cannot be sorted by. ``whole``: its text, or that of some records, is not cut to the width
    of a column in which it stands to the right; ``wide``: nor is its header. ``mark``: a last character that stays
    when a text is cut.
    """

    __slots__ = ("header", "key", "letter", "mark", "names", "text", "whole", "wide")

    def __init__(
        self,
        letter: str,
        names: str,
        header: str,
        text: Getter,
        key: Callable[[Any], Any] | None = None,
        whole: Whole = False,
        wide: bool = False,
        mark: str = "",
    ) -> None:
        self.letter, self.names, self.header = letter, names, header
        self.text, self.key, self.whole, self.wide, self.mark = text, key, whole, wide, mark


class Column:
    """A field as one format shows it; without a field it is plain text (``suffix``)."""

    __slots__ = ("field", "right", "suffix", "width")

    def __init__(self, field: Field | None, width: int = 0, right: bool = False, suffix: str = "") -> None:
        self.field, self.width, self.right, self.suffix = field, min(width, MAX_WIDTH), right, suffix

    def fit(self, text: str, whole: bool = False) -> str:
        """Return ``text`` cut and padded to the column's width, and what follows it; width 0 leaves it alone."""
        width = self.width
        if width <= 0:
            return text + " " * (width < 0) + self.suffix
        if not (whole and self.right):
            text = text[:width]
        return (text.rjust(width) if self.right else text.ljust(width)) + self.suffix

    @property
    def header(self) -> str:
        """The column's part of the header line."""
        return self.fit(self.field.header, self.field.wide) if self.field else self.suffix

    def cell(self, record: object) -> str:
        """Return the column's part of a record's line."""
        field = self.field
        if field is None:
            return self.suffix
        text, whole = field.text(record), field.whole
        if field.mark and 0 < self.width < len(text) and text.endswith(field.mark):
            text = text[: self.width - 1] + field.mark
        return self.fit(text, whole if isinstance(whole, bool) else whole(record))


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
    """Read a ``-O`` format; of a name without a field only what follows its width is shown."""
    columns: list[Column] = []
    invalid: list[str] = []
    for token in filter(None, text.split(",")):
        name, colon, size = token.partition(":")
        field = by_name(name.lower())
        right = size.startswith(".")
        number = _number(size[int(right) :])
        width = _width(number) if colon else DEFAULT_WIDTH
        if field is None:
            invalid.append(name)
        columns.append(Column(field, width, right, size[int(right) + len(number) :]))
    return Format(columns, invalid)


def _number(text: str) -> str:
    """Return the beginning of ``text`` that C reads as a number: blanks, a sign, digits; "" if there are no digits."""
    sign = len(text) - len(text.lstrip(" \t"))
    start = sign + (text[sign : sign + 1] in ("+", "-") and bool(text[sign : sign + 1]))
    digits = _digits(text, start)
    return text[: start + len(digits)] if digits else ""


def _digits(text: str, start: int) -> str:
    """Return the digits at ``start``."""
    end = start
    while end < len(text) and text[end] in "0123456789":
        end += 1
    return text[start:end]


def _width(number: str) -> int:
    digits = number.lstrip(" \t+-")
    size = MAX_WIDTH if len(digits) > 5 else int(digits or 0)
    return -size if "-" in number else size


class Table:
    """The fields of one kind of record, found by letter and by name.

    ``load`` gives further fields that only a long format names; they are imported when one is asked for.
    ``unsorted``: letters that may stand in a sort order without an effect; None: all that cannot be sorted by.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        load: Callable[[], Sequence[Field]] | None = None,
        unsorted: str | None = "",
    ) -> None:
        self.fields, self.load, self.unsorted = fields, load, unsorted

    def sorts_by(self, letter: str) -> Field | None:
        """Return the field that a letter of a sort order means, None for one without an effect.

        Raises `KeyError` with the letter that cannot be sorted by.
        """
        field = self.by_letter(letter)
        if field is not None and field.key is not None:
            return field
        if self.unsorted is not None and letter[-1] not in self.unsorted:
            raise KeyError(letter[-1])
        return None

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

    The sign right ahead of a letter turns its order round; ``#`` takes the order of the configuration instead of
    that of the text.

    Raises `KeyError` with the last letter that cannot be sorted by.
    """
    for place in range(len(order) - 1, -1, -1):
        letter = order[place]
        if letter in ",+-#":
            continue
        sign = order[place - 1] if place else ""
        field = table.sorts_by("#" + letter) if sign == "#" and table.by_letter("#" + letter) else None
        field = field or table.sorts_by(letter)
        if field is not None and field.key is not None:
            records = sorted(records, key=field.key, reverse=sign == "-")
    return records

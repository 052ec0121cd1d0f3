"""The column engine of all listings: a table of fields for each kind of record, and the formats that select from it.

A `Field` knows how it is asked for, its header, how to read its text from a record, and how it sorts. A format becomes
a list of `Column`; `Format.lines` prints records through it, to the width that each column asks for.

    short  = literal { "%" [ "." ] [ digits ] letter literal }     squeue -o, sinfo -o, sprio -o
    long   = name [ ":" [ "." ] [ width ] suffix ] { "," ... }     squeue -O, sinfo -O
    named  = name [ "%" [ width ] ] { "," ... }                    sacct, sacctmgr, sreport, sshare, sstat

A width is a number as C reads one. In a long format one below zero pads nothing and leaves a blank behind the text;
in a named one it puts the text to the left.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Getter = Callable[[Any], str]
    Whole = bool | Callable[[Any], bool]

DEFAULT_WIDTH = 20  # of a field of the long format without a size
MAX_WIDTH = 1 << 16  # larger ones are cut to it: a format must not ask for more memory than that


class Field:
    """One field of a kind of record.

    ``names`` are its names in the long and the named format, separated by blanks; their case does not count. A name
    may say how many letters of it are enough: ``Account:3``. ``key`` gives what it sorts by; None: it cannot be sorted
    by. ``whole``: its text, or that of some records, is not cut to the width of a column, in a short or long format of
    one in which it stands to the right; ``wide``: nor is its header. ``mark``: a last character that stays when a text
    is cut. ``width``: the usual one in a named format, below zero to the left. ``dated``: a date; a named column that
    is too narrow for it is filled with ``#``.

    ``path`` is where the value itself stands in a record, ``request.account``, for the outputs that share it: ``json``
    is its key and its type there, ``account text``; ``sacct`` its name and width there, ``Comment 14``, then ``late``
    if only a job that has ended has it, ``number`` if it is not cut; ``show`` its key on a line of ``scontrol show``.
    """

    __slots__ = (
        "dated", "header", "json", "key", "letter", "mark", "names", "path", "sacct", "show", "text", "whole", "wide",
        "width",
    )  # fmt: skip

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
        width: int = DEFAULT_WIDTH,
        dated: bool = False,
        path: str = "",
        json: str = "",
        sacct: str = "",
        show: str = "",
    ) -> None:
        self.letter, self.names, self.header = letter, names, header
        self.text, self.key, self.whole, self.wide, self.mark = text, key, whole, wide, mark
        self.width, self.dated = width, dated
        self.path, self.json, self.sacct, self.show = path, json, sacct, show

    @classmethod
    def at(
        cls,
        letter: str,
        names: str,
        header: str,
        path: str,
        text: Getter | None = None,
        *,
        sorts: bool = False,
        whole: Whole = False,
        wide: bool = False,
        json: str = "",
        sacct: str = "",
        show: str = "",
    ) -> Field:
        """Make the field of a value by its path; ``text`` writes the value, None: it is a text.

        ``sorts``: it can be sorted by.
        """
        value = attrgetter(path)
        shown = value if text is None else lambda record: text(value(record))
        key = value if sorts else None
        return cls(letter, names, header, shown, key, whole, wide, path=path, json=json, sacct=sacct, show=show)

    @classmethod
    def named(
        cls, names: str, width: int, text: Getter, *, header: str = "", whole: bool = False, dated: bool = False
    ) -> Field:
        """Make a field without a letter; its header is its name if none is given."""
        return cls("", names, header or names, text, whole=whole, width=width, dated=dated)


class Column:
    """A field as one format shows it; without a field it is plain text (``suffix``)."""

    __slots__ = ("field", "right", "suffix", "width")

    def __init__(self, field: Field | None, width: int = 0, right: bool = False, suffix: str = "") -> None:
        self.field, self.width, self.right, self.suffix = field, min(width, MAX_WIDTH), right, suffix

    def fit(self, text: str, whole: bool = False) -> str:
        """Return ``text`` cut and padded to the column's width, and what follows it; width 0 leaves it alone."""
        width = self.width
        if width < 0:
            return f"{text} {self.suffix}"
        if width and not (whole and self.right):
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


class NamedColumn(Column):
    """A field in a named format: a ``+`` stands where its text was cut, a blank behind it.

    ``width``: below zero to the left; None: the field's usual one.
    """

    __slots__ = ()

    def __init__(self, field: Field, width: int | None = None) -> None:
        given = field.width if width is None else width
        super().__init__(field, abs(given), given > 0, " ")

    @property
    def header(self) -> str:
        """The column's part of the header line."""
        return self._padded(self.field.header[: self.width] if self.field else "")

    def cell(self, record: object) -> str:
        """Return the column's part of a record's line."""
        field, size = self.field, self.width
        text = field.text(record) if field else ""
        if field and len(text) > size and not field.whole:
            if not field.dated:
                text = text[: size - 1] + "+" if size else ""
            else:
                text = "#" * size if text[0].isdigit() else text[:size]
        return self._padded(text)

    def _padded(self, text: str) -> str:
        return (text.rjust(self.width) if self.right else text.ljust(self.width)) + self.suffix


class Style:
    """The layout of a listing. ``delimiter``: None for columns, else the text between the values.

    ``closing``: it stands behind the last value too (``--parsable``). ``dashes``: under the header of columns.
    """

    __slots__ = ("closing", "dashes", "delimiter", "header")

    def __init__(
        self, *, header: bool = True, dashes: bool = False, delimiter: str | None = None, closing: bool = False
    ) -> None:
        self.header, self.dashes, self.delimiter, self.closing = header, dashes, delimiter, closing


COLUMNS = Style()


class Format:
    """A parsed format: its columns, and the specifications that named no field."""

    def __init__(self, columns: Sequence[Column], invalid: Sequence[str] = ()) -> None:
        self.columns, self.invalid = columns, invalid

    @property
    def fields(self) -> list[Field]:
        """The fields that it shows, in order."""
        return [column.field for column in self.columns if column.field]

    def lines(self, records: Iterable[object], style: Style = COLUMNS) -> list[str]:
        """Return the header and a line for each record."""
        if style.delimiter is not None:
            heads = [[field.header for field in self.fields]] if style.header else []
            rows = heads + [[field.text(record) for field in self.fields] for record in records]
            end = style.delimiter if style.closing else ""
            return [style.delimiter.join(row) + end for row in rows]
        found = ["".join([column.header for column in self.columns])] if style.header else []
        if style.header and style.dashes:
            found.append("".join("-" * column.width + column.suffix for column in self.columns))
        return found + ["".join([column.cell(record) for column in self.columns]) for record in records]


def parse_short(text: str, by_letter: Callable[[str], Field | None]) -> Format:
    """Read a short format. A letter without a field stays in the output as it was written."""
    columns: list[Column] = []
    invalid: list[str] = []
    parts = text.split("%")
    if parts[0]:
        columns.append(Column(None, suffix=parts[0]))
    for token in filter(None, parts[1:]):
        size = token.removeprefix(".")
        width, rest = width_of(size) if "0" <= size[:1] <= "9" else (0, size)
        field = by_letter(rest[:1])
        if field is None:
            invalid.append(rest[:1])
            columns.append(Column(None, suffix="%" + token))
        else:
            columns.append(Column(field, width, token.startswith("."), rest[1:]))
    return Format(columns, invalid)


def parse_long(text: str, by_name: Callable[[str], Field | None]) -> Format:
    """Read a long format; of a name without a field only what follows its width is shown."""
    columns: list[Column] = []
    invalid: list[str] = []
    for token in filter(None, text.split(",")):
        name, colon, size = token.partition(":")
        field = by_name(name)
        width, rest = width_of(size.removeprefix("."))
        if field is None:
            invalid.append(name)
        columns.append(Column(field, width if colon else DEFAULT_WIDTH, size.startswith("."), rest))
    return Format(columns, invalid)


def width_of(text: str) -> tuple[int, str]:
    """Return the width that a text begins with, 0 for none, and what follows it."""
    width, rest = strtol(text)
    return max(-MAX_WIDTH, min(width, MAX_WIDTH)), rest


def begins(spelled: str, word: str) -> bool:
    """Whether a word is a name (``NAME:LETTERS``) in any case, perhaps cut short to no less than so many letters."""
    name, _, least = spelled.partition(":")
    return len(word) >= int(least or 1) and name.lower().startswith(word.lower())


class Table:
    """The fields of one kind of record, found by letter and by name.

    ``load`` gives further fields that only a long format names; they are imported when one is asked for.
    ``unsorted``: letters that may stand in a sort order without an effect; None: all that cannot be sorted by.
    ``shortened``: names may be cut short. ``every``: a name that stands for all fields.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        load: Callable[[], Sequence[Field]] | None = None,
        unsorted: str | None = "",
        *,
        shortened: bool = False,
        every: str = "",
    ) -> None:
        self.fields, self.load, self.unsorted, self.shortened, self.every = fields, load, unsorted, shortened, every

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
        """Return the field of a name; of one that is cut short the first that it may mean."""
        spelled = [(each, field) for field in self.all() for each in field.names.split(" ")] if name else []
        lower = name.lower()
        exact = next((field for each, field in spelled if each.partition(":")[0].lower() == lower), None)
        if exact or not self.shortened:
            return exact
        return next((field for each, field in spelled if begins(each, name)), None)

    def short(self, text: str) -> Format:
        """Read a short format; ``%all`` is every letter, with bars between, and blanks behind capital ones."""
        if text.lower() == "%all":
            letters = sorted((field.letter for field in self.fields if len(field.letter) == 1), key=str.swapcase)
            text = "|".join(f"%{letter} " if letter.isupper() else f"%{letter}" for letter in letters)
        return parse_short(text, self.by_letter)

    def long(self, text: str) -> Format:
        """Read a long format; ``every`` is ``%all``, and complained of all the same, as recorded from sinfo."""
        found = parse_long(text, self.by_name)
        if not self.every or self.every not in map(str.upper, found.invalid):
            return found
        names = [token.partition(":")[0].upper() for token in text.split(",") if token]
        place = names.index(self.every)
        columns = [*found.columns[:place], *self.short("%all").columns, *found.columns[place + 1 :]]
        return Format(columns, found.invalid)

    def named(self, text: str) -> Format:
        """Read a named format; a width of 0 is the usual one."""
        columns: list[Column] = []
        invalid: list[str] = []
        for item in filter(None, map(str.strip, text.split(","))):
            name, _, size = item.partition("%")
            field = self.by_name(name)
            if self.every and name.upper() == self.every:
                columns += map(NamedColumn, self.all())
            elif field is None:
                invalid.append(name)
            else:
                columns.append(NamedColumn(field, width_of(size)[0] or None))
        return Format(columns, invalid)

    def all(self) -> list[Field]:
        """Return every field."""
        return [*self.fields, *(self.load() if self.load else ())]

    def names(self) -> str:
        """Return the names of all fields, four a line, as ``--helpformat`` of the accounting commands prints them."""
        width = max(len(field.names) for field in self.all())
        padded = [field.names.ljust(width) for field in self.all()]
        return "\n".join(" ".join(padded[at : at + 4]) for at in range(0, len(padded), 4))


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

"""Fields: the one engine of changes that are asked for in words ``key=value``.

    Field("Weight", 1, weight, "weight")        # name, fewest letters, reader of its text, attribute that it sets

`read` makes values of words, before any record is looked at: what it refuses is refused whatever the record may be.
`Change.put` writes the values on a trial copy and may refuse each of them; the caller keeps the copy if none was
refused. So a change is made wholly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm import kinds, numbers, words
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

T = TypeVar("T")
Reader = Callable[["Given"], Any]
"""From a field and its text to the value. Raises `UserError`."""

ABORTED = "Request aborted"
NOT_SUPPORTED = "Update of this parameter is not supported: {}"
NO_CHANGES = "No changes specified"


def aborted(said: str) -> UserError:
    """Return what is said of a line that is given up as a whole."""
    return UserError(f"{said}\n{ABORTED}", level="plain")


class KeyValue(NamedTuple):
    """A word cut at its ``=``: the tag, the sign of ``+=`` or ``-=``, and the text behind it (None without ``=``)."""

    written: str
    tag: str
    sign: str
    text: str | None


class Given(NamedTuple):
    """A field with the text and the value that a command gives it; ``written`` is the word as it was typed."""

    field: Field
    text: str
    sign: str = ""
    written: str = ""
    value: Any = None

    def __str__(self) -> str:
        """Return the assignment for the history."""
        return f"{self.field.name}{self.sign}={self.text}"


def as_given(given: Given) -> str:
    """Take any text."""
    return given.text


class Field(NamedTuple):
    """One key: its name, the fewest letters, the reader of its texts, and what a value changes.

    ``put`` is the attribute of the trial copy, or a function of the change. ``when`` refuses a change that comes too
    late, and says by False that there is nothing to change. ``signed``: it knows ``+=`` and ``-=``. A row with
    ``means`` is another word for the field of that name.
    """

    name: str
    letters: int
    read: Reader = as_given
    put: str | Callable[[Any, Given], None] = ""
    when: Callable[[Any, Given], bool] | None = None
    signed: bool = False
    means: str = ""


class Request(NamedTuple):
    """What a command asks for: the record's name, and the fields to change, with their values."""

    name: str
    fields: list[Given]


class Change(Generic[T]):
    """A change in the making: the trial copy, and what is put off until every field was found right."""

    def __init__(self, ctl: Controller, trial: T) -> None:
        self.ctl = ctl
        self.trial = trial
        self.later: list[Callable[[], None]] = []

    def put(self, fields: Iterable[Given]) -> None:
        """Write the values on the trial copy. Raises `SlurmError` or `UserError`."""
        for given in fields:
            field = given.field
            if field.when is not None and not field.when(self, given):
                continue
            if isinstance(field.put, str):
                setattr(self.trial, field.put, given.value)
            else:
                field.put(self, given)

    def finish(self) -> None:
        """Do what was put off."""
        for act in self.later:
            act()


def cut(word: str) -> KeyValue:
    """Cut a word."""
    left, equals, value = word.partition("=")
    sign = left[-1] if equals and len(left) > 1 and left[-1] in "+-" else ""
    return KeyValue(word, left[: len(left) - len(sign)], sign, value if equals else None)


def find(fields: Iterable[Field], tag: str) -> Field | None:
    """Return the first field that a tag means, in any case and perhaps cut short."""
    field = words.find(fields, tag)
    if field is None or not field.means:
        return field
    return next(other for other in fields if other.name == field.means)


def names(fields: Iterable[Field]) -> list[str]:
    """Return the names of the fields that can be changed, each once, in the order of the alphabet."""
    return sorted((field.name for field in fields if field.put), key=str.lower)


Refuse = Callable[[KeyValue, "Field | None"], UserError]


def read(texts: Iterable[str], fields: Iterable[Field], refuse: Refuse) -> list[Given]:
    """Return the fields that words give, with their values; ``refuse`` words what is no ``key=value``."""
    found = []
    for text in texts:
        word = cut(text)
        field = find(fields, word.tag) if word.text is not None else None
        if field is None or word.text is None or (word.sign and not field.signed):
            error = refuse(word, field)
            if field is None and word.text is not None:
                from slimsched.text import alike

                error.notes += (alike.unknown("field", word.tag, names(fields)),)
            raise error
        found.append(valued(field, word.text, word.sign, text))
    return found


def valued(field: Field, text: str, sign: str = "", written: str = "") -> Given:
    """Return a field with the value of a text. Raises `UserError`."""
    given = Given(field, text, sign, written)
    return given._replace(value=field.read(given))


# readers of values that several records share


def refusal(given: Given) -> UserError:
    """Return the usual words about a wrong value."""
    return UserError(f"Invalid {given.field.name} value: {given.text}")


def unsigned(below: int) -> Reader:
    """Return the reader of a number below a bound; nothing at all counts as 0."""

    def reader(given: Given) -> int:
        number = numbers.whole(given.text, below)
        if number is None:
            raise refusal(given)
        return number

    return reader


# sbatch takes no number from NO_VAL16 on, scontrol none from INFINITE16 on: parse_uint16 of Slurm's parse_value.c
u16, u32, u64 = unsigned(numbers.INFINITE16), unsigned((1 << 32) - 1), unsigned((1 << 64) - 1)


def yes_no(given: Given) -> bool:
    """Read a yes or no, perhaps cut short, or a number, of which any but 0 is a yes."""
    answer = kinds.yes_no(given.text)
    return u16(given) != 0 if answer is None else answer


def node_count(given: Given) -> int:
    """Read the least number of nodes, ``2`` or ``2-4``."""
    try:
        return numbers.node_range(given.text)[0]
    except SyntaxFault as fault:
        raise UserError(fault.message) from None


def instant(text: str) -> Callable[[int], int]:
    """Return the instant that a text means as a function of the present. Raises `SyntaxFault`."""
    from slimsched.text import moments

    moments.moment(text, 0)

    def at(now: int) -> int:
        try:
            return moments.moment(text, now)
        except SyntaxFault as fault:  # beyond the calendar
            raise UserError(fault.message, level="plain") from None

    return at


def minutes(given: Given) -> int:
    """Read a time limit."""
    try:
        return times.minutes(given.text)
    except SyntaxFault:
        raise bad_limit(given.field.name, given.text) from None


def bad_limit(name: str, text: str) -> UserError:
    """Return the usual words about a wrong time limit, and how it is written."""
    from slimsched.text import mistyped

    return UserError(f"Invalid {name} value", notes=(mistyped.limit(text),))

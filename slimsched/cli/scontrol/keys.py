"""The words ``key=value`` of ``scontrol update`` and ``create``: tables of keys, and the readers of their values.

A key may be cut down to the letters that its line asks for; the first line that fits is taken. What a reader refuses
is refused before the controller is asked, whatever the job or node may be.
Source: scontrol(1); what the real command says to each wrong value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm import kinds
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.controller.update.job import Assignment

Reader = Callable[[str, str], str]
"""From a key's name and a value to the value that the controller gets. Raises `UserError`."""

LONGEST = 19  # digits of the largest number that is looked at

WRITTEN = "{written}"
"""Stands in a reader's refusal for the whole word as it was typed."""


class Skipped(Exception):
    """A value that is reported, but does not stop the command; ``counts``: the key counts as given all the same."""

    def __init__(self, said: str, *, counts: bool = False) -> None:
        super().__init__(said)
        self.said = said
        self.counts = counts


def as_given(name: str, value: str) -> str:
    """Take any text."""
    return value


class Key(NamedTuple):
    """One key: its name, the fewest letters, the controller's field and the reader of its values.

    ``signed``: it knows ``+=`` and ``-=``.
    """

    name: str
    letters: int
    field: str
    read: Reader = as_given
    signed: bool = False


Keys = tuple[Key, ...]


def find(keys: Keys, tag: str) -> Key | None:
    """Return the first key that a tag means, in any case and perhaps cut short."""
    lower = tag.lower()
    return next((k for k in keys if len(tag) >= k.letters and k.name.lower().startswith(lower)), None)


class Word(NamedTuple):
    """A word cut at its ``=``: the tag, the sign of ``+=`` or ``-=``, and the value (None without ``=``)."""

    written: str
    tag: str
    sign: str
    value: str | None


def cut(word: str) -> Word:
    """Cut a word."""
    left, equals, value = word.partition("=")
    sign = left[-1] if equals and len(left) > 1 and left[-1] in "+-" else ""
    return Word(word, left[: len(left) - len(sign)], sign, value if equals else None)


def assignments(words: Iterable[str], keys: Keys, refuse: Callable[[Word, Key | None], UserError]) -> list[Assignment]:
    """Return the words as assignments to known fields; ``refuse`` words what is no ``key=value``."""
    from slimsched.controller.update.job import Assignment

    found = []
    for text in words:
        word = cut(text)
        key = find(keys, word.tag) if word.value is not None else None
        if key is None or word.value is None or (word.sign and not key.signed):
            raise refuse(word, key)
        found.append(Assignment(key.field, _value(key, word.value, text), word.sign, text))
    return found


def _value(key: Key, value: str, written: str) -> str:
    try:
        return key.read(key.name, value)
    except UserError as error:
        error.message = error.message.replace(WRITTEN, written)
        raise


# readers


ABORTED = "Request aborted"
NOT_SUPPORTED = "Update of this parameter is not supported: {}"


def aborted(said: str) -> UserError:
    """Return what is said of a line that is given up as a whole."""
    return UserError(f"{said}\n{ABORTED}", level="plain")


def refusal(name: str, value: str) -> UserError:
    """Return the usual words about a wrong value."""
    return UserError(f"Invalid {name} value: {value}")


def unsigned(bits: int) -> Reader:
    """Return the reader of a number below the largest of so many bits; nothing at all counts as 0."""

    def read(name: str, value: str) -> str:
        number = whole(value)
        if number is None or not 0 <= number < (1 << bits) - 1:
            raise refusal(name, value)
        return str(number)

    return read


def whole(value: str) -> int | None:
    """Return a text as a number, 0 for nothing, None for anything else; a ``+`` or ``-`` may stand ahead."""
    text = value.lstrip()
    digits = text[1:] if text[:1] in {"+", "-"} else text
    if not text:
        return 0 if not value else None
    if not is_number(digits, LONGEST):
        return None
    return int(text)


u16, u32, u64 = unsigned(16), unsigned(32), unsigned(64)


def yes_no(name: str, value: str) -> str:
    """Read a yes or no, perhaps cut short, or a number."""
    answer = kinds.yes_no(value)
    return u16(name, value) if answer is None else str(int(answer))


def counts(value: str, what: str) -> tuple[int, int | None]:
    """Return the bounds of ``2`` or ``1-4``, each with a suffix (``1k``). Raises `UserError`, which names ``what``."""
    from slimsched.text import sizes

    low, dash, high = value.partition("-")
    try:
        return sizes.count(low), sizes.count(high) if dash else None
    except SyntaxFault:
        raise UserError(f'Invalid numeric value "{value}" for {what}.') from None


def node_count(_name: str, value: str) -> str:
    """Read the least number of nodes, ``2`` or ``2-4``."""
    try:
        return str(counts(value, "")[0])
    except UserError:
        raise UserError(f'"{value}" is not a valid node count') from None


def minutes(name: str, value: str) -> str:
    """Read a time limit."""
    from slimsched.text import times

    try:
        times.minutes(value)
    except SyntaxFault:
        raise UserError(f"Invalid {name} value") from None
    return value


def instant(name: str, value: str) -> str:
    """Read an instant; a wrong one is reported, and the key then counts as not given."""
    from slimsched.text import moments

    try:
        moments.moment(value, 0)
    except SyntaxFault as fault:
        raise Skipped(fault.message) from None
    return value

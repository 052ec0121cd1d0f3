"""Tables of keys: how a record becomes a nested mapping of the data parser.

A line of a table is (path, type, value): ``cpus/load/minimum`` is a key in a mapping in a mapping, the value is found
in the record, and the type turns it into what JSON has. Keys stand in the order of the lines, a mapping where its first
key does, as in Slurm's answers.

Source: Slurm's data_parser v0.0.46 (OpenAPI types).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from slimsched.model.request import INFINITE
from slimsched.text import signals

R = TypeVar("R")
Type = Callable[[Any], Any]
Line = tuple[str, Type, Callable[[R], Any]]


class Table(Generic[R]):
    """The keys of one kind of record."""

    def __init__(self, *lines: Line[R]) -> None:
        self.lines = [(tuple(path.split("/")), kind, value) for path, kind, value in lines]

    def of(self, record: R) -> dict[str, Any]:
        """Return a record as a nested mapping."""
        found: dict[str, Any] = {}
        for path, kind, value in self.lines:
            place = found
            for key in path[:-1]:
                place = place.setdefault(key, {})
            place[path[-1]] = kind(value(record))
        return found

    def every(self, records: Iterable[R]) -> list[dict[str, Any]]:
        """Return records as a list of nested mappings."""
        return [self.of(record) for record in records]

    def paths(self) -> list[str]:
        """Return the paths of all keys, in their order."""
        return ["/".join(path) for path, _, _ in self.lines]


def constant(value: Any) -> Callable[[object], Any]:
    """Return a getter of what is the same for every record."""
    return lambda _record: value


NOTHING = constant("")
ZERO = constant(0)
UNSET = constant(None)
NONE: Callable[[object], list[Any]] = constant([])
WITHOUT_END = constant(INFINITE)


def alike(kind: Type, value: Callable[[object], Any], paths: str) -> list[Line[Any]]:
    """Return the lines of keys, separated by blanks, that have the same type and the same value."""
    return [(path, kind, value) for path in paths.split()]


# types


def text(value: str | None) -> str:
    """Return a text, empty if there is none."""
    return value or ""


def whole(value: int | None) -> int:
    """Return a whole number, 0 if there is none."""
    return int(value or 0)


def truth(value: object) -> bool:
    """Return whether something holds."""
    return bool(value)


def same(value: Any) -> Any:
    """Return what is in its final form already."""
    return value


def words(value: str | Iterable[str] | None) -> list[str]:
    """Return a list of words, from a list or from a text with commas between them."""
    items = value.split(",") if isinstance(value, str) else value or ()
    return [item for item in items if item]


def number(value: float | None, infinite: bool = False) -> dict[str, Any]:
    """Return a number that may be unset (None) or without end: whether it is, and itself."""
    infinite = infinite or value == INFINITE
    known = value is not None and not infinite
    return {"set": known, "infinite": infinite, "number": value if known else 0}


def real(value: float | None) -> dict[str, Any]:
    """Return a number with a fraction that may be unset (None) or without end."""
    found = number(value)
    return {**found, "number": float(found["number"])}


def flags(*names: str) -> Callable[[Mapping[str, Any] | Iterable[str]], list[str]]:
    """Return the type of a set of flags: those that hold, in the order of ``names``; unknown ones come last."""
    rank = {name: place for place, name in enumerate(names)}

    def listed(value: Mapping[str, Any] | Iterable[str]) -> list[str]:
        held = [name for name, holds in value.items() if holds] if isinstance(value, Mapping) else value
        return sorted(held, key=lambda name: rank.get(name, len(rank)))

    return listed


def exit_code(code: int, signal: int = 0) -> dict[str, Any]:
    """Return an exit code with the signal that ended the process, if one did."""
    word = "SIGNALED" if signal else "ERROR" if code else "SUCCESS"
    return {
        "status": [word],
        "return_code": number(None if signal else code),
        "signal": {"id": number(signal or None), "name": signals.name(signal) if signal else ""},
    }


def exits(value: tuple[int, int]) -> dict[str, Any]:
    """Return the `exit_code` of a pair."""
    return exit_code(*value)

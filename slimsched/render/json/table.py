"""Tables of keys: how a record becomes a nested mapping of the data parser.

A line of a table is (path, type, value): ``cpus/load/minimum`` is a key in a mapping in a mapping, the value is found
in the record, and the type turns it into what JSON has. Keys stand in the order of the lines, a mapping where its first
key does, as in Slurm's answers.

Source: Slurm's data_parser v0.0.46 (OpenAPI types).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from slimsched.model.request import INFINITE

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

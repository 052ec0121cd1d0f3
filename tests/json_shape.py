"""The shape of a document: its keys in their order, and the types of its values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TYPES = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}


def shape(value: Any) -> Any:
    """Return the shape; a list has that of its first item."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return TYPES[type(value)]


def differences(want: Any, got: Any, path: str = "") -> Iterator[str]:
    """Yield where a shape differs from the wanted one; an empty list has any shape, and so has null."""
    if "null" in (want, got) and isinstance(want, dict) | isinstance(got, dict):
        return
    if type(want) is not type(got):
        yield f"{path}: {want} became {got}"
    elif isinstance(want, dict):
        if list(want) != list(got):
            yield f"{path}: {list(want)} became {list(got)}"
        for key in want.keys() & got.keys():
            yield from differences(want[key], got[key], f"{path}/{key}")
    elif isinstance(want, list):
        if want and got:
            yield from differences(want[0], got[0], f"{path}/0")
    elif want != got:
        yield f"{path}: {want} became {got}"

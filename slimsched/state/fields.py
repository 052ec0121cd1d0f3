"""The keys of a node, partition or switch line, and how their values are read and written.

One table for ``cluster.toml`` (typed values) and ``slurm.conf`` (texts); it is made from the model's structs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from slimsched.model.request import INFINITE

_ENDLESS = {"INFINITE", "UNLIMITED", "-1", str(INFINITE)}
_FLAGS = {"YES": True, "TRUE": True, "UP": True, "1": True, "NO": False, "FALSE": False, "DOWN": False, "0": False}
_KINDS = {  # fields whose values are more than their Python type says
    "max_time": "minutes",
    "default_time": "minutes",
    "max_nodes": "count",
    "max_cpus_per_node": "count",
    "max_cpus_per_socket": "count",
    "def_mem_per_cpu": "count",
    "def_mem_per_node": "count",
    "max_mem_per_cpu": "count",
    "max_mem_per_node": "count",
    "grace_time": "seconds",
}
_SYNONYMS = {"procs": "cpus", "feature": "features", "shared": "oversubscribe", "maxnodesperjob": "maxnodes"}


class Key(NamedTuple):
    """One key: its spelling, the struct's attribute, and the kind of its value."""

    name: str
    attribute: str
    kind: str


_tables: dict[type[Any], dict[str, Key]] = {}


def keys(struct: type[Any]) -> dict[str, Key]:
    """Return the keys of a line by their lower-case spelling, synonyms included."""
    table = _tables.get(struct)
    if table is None:
        table = _tables[struct] = _table(struct)
    return table


def _table(struct: type[Any]) -> dict[str, Key]:
    table = {}
    for field in msgspec.structs.fields(struct):
        kind = _KINDS.get(field.name) or {int: "whole", bool: "flag", str: "text"}.get(field.type, "whole")
        if field.name != "other":
            table[field.encode_name.lower()] = Key(field.encode_name, field.name, kind)
    table.update({short: table[full] for short, full in _SYNONYMS.items() if full in table})
    return table


def parse(key: Key, value: object) -> object:
    """Return ``value`` as the model has it; a `ValueError` says what it should have been."""
    return _PARSERS[key.kind](value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    if not isinstance(value, (str, int, float)):
        raise ValueError("should be a text")
    return str(value)


def _whole(value: object) -> int:
    text = _text(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(f"should be a whole number, not {text!r}")
    return int(text)


def _flag(value: object) -> bool:
    answer = _FLAGS.get(_text(value).strip().upper())
    if answer is None:
        raise ValueError(f"should be YES or NO, not {_text(value)!r}")
    return answer


def _count(value: object) -> int | None:
    return None if _text(value).strip().upper() in _ENDLESS else _whole(value)


def _minutes(value: object) -> int | None:
    return _count(value)


_PARSERS: dict[str, Callable[[Any], object]] = {
    "text": _text,
    "whole": _whole,
    "flag": _flag,
    "count": _count,
    "minutes": _minutes,
    "seconds": _whole,
}


def build(struct: type[Any], values: Mapping[str, object], *, keep: bool = False) -> Any:
    """Return the struct of one line.

    An unknown key is a `KeyError`, unless ``keep``: then it is kept as text in the struct's ``other``.
    A wrong value is a `ValueError` that begins with the key.
    """
    table = keys(struct)
    found: dict[str, object] = {}
    other: dict[str, str] = {}
    for name, value in values.items():
        key = table.get(name.lower())
        if key is not None:
            try:
                found[key.attribute] = parse(key, value)
            except ValueError as fault:
                raise ValueError(f"{name}: {fault}") from None
        elif keep:
            other[name] = _text(value)
        elif name.lower() == "other" and isinstance(value, dict):
            other.update({str(k): _text(v) for k, v in value.items()})
        else:
            raise KeyError(name)
    return struct(**found, **({"other": other} if other else {}))

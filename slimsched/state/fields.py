"""The keys of a node, partition or switch line, and the reading and writing of their values.

One table, made from the model's structs, for ``cluster.toml`` (typed values) and ``slurm.conf`` (texts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from slimsched.model.request import INFINITE
from slimsched.slurm import kinds
from slimsched.text import sizes, times
from slimsched.text.sizes import is_number

_ENDLESS = {"INFINITE", "UNLIMITED", "-1", str(INFINITE)}
_KINDS = {  # fields whose values are more than their Python type says
    "state": "word",
    "over_subscribe": "word",
    "preempt_mode": "word",
    "max_time": "minutes",
    "default_time": "minutes",
    "max_nodes": "count",
    "max_cpus_per_node": "count",
    "max_cpus_per_socket": "count",
    "real_memory": "memory",
    "tmp_disk": "memory",
    "mem_spec_limit": "memory",
    "def_mem_per_cpu": "memory or none",
    "def_mem_per_gpu": "memory or none",
    "def_mem_per_node": "memory or none",
    "max_mem_per_cpu": "memory or none",
    "max_mem_per_node": "memory or none",
    "suspend_time": "seconds or never",
}
_TYPES = {int: "whole", bool: "flag", str: "text"}
_SYNONYMS = {
    "procs": "cpus",
    "feature": "features",
    "shared": "oversubscribe",
    "allocnodes": "allowallocnodes",
}


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
        kind = _KINDS.get(field.name) or _TYPES.get(field.type, "whole")
        if field.name != "other":
            table[field.encode_name.lower()] = Key(field.encode_name, field.name, kind)
    table.update({short: table[full] for short, full in _SYNONYMS.items() if full in table})
    return table


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
        try:
            if key is not None:
                found[key.attribute] = _PARSERS[key.kind](value)
            elif keep:
                other[name] = as_text(value)
            elif name.lower() == "other" and isinstance(value, dict) and "other" in struct.__struct_fields__:
                other.update({str(inner): as_text(item) for inner, item in value.items()})
            else:
                raise KeyError(name)
        except ValueError as fault:
            raise ValueError(f"{name}: {fault}") from None
    if struct.__struct_fields__[0] not in found:
        raise ValueError(f"{next(iter(table.values())).name} is missing")
    return struct(**found, **({"other": other} if other else {}))


def show(line: Any, *, always: frozenset[str] = frozenset()) -> dict[str, object]:
    """Return a line's values by key, as ``cluster.toml`` has them; defaults are left out but for ``always``."""
    values: dict[str, object] = {}
    for field in msgspec.structs.fields(type(line)):
        value = getattr(line, field.name)
        needed = value not in (None, "") and (value != field.default or field.name in always)
        if field.name != "other" and needed:
            minutes = _KINDS.get(field.name) == "minutes"
            values[field.encode_name] = times.limit(value, full=True) if minutes else value
    return values


def as_text(value: object) -> str:
    """Return a TOML value as ``slurm.conf`` would have it; a `ValueError` for a table or a date."""
    if isinstance(value, bool):
        return kinds.yes_or_no(value)
    if isinstance(value, list):
        return ",".join(map(as_text, value)) if not any(isinstance(v, list) for v in value) else _refuse()
    return str(value) if isinstance(value, (str, int, float)) else _refuse()


def _refuse() -> str:
    raise ValueError("should be a text or a number")


def shorten(text: str) -> str:
    """Return a message with the middle left out if it quotes something very long."""
    return text if len(text) <= 400 else f"{text[:300]}...{text[-80:]}"


def whole(value: object) -> int:
    """Return a whole number, not negative."""
    text = as_text(value).strip()
    if not is_number(text, 18):
        raise ValueError("is too large" if text.isdigit() else f"should be a whole number, not {text!r}")
    return int(text)


def _flag(value: object) -> bool:
    answer = kinds.boolean(as_text(value))
    if answer is None:
        raise ValueError(f"should be YES or NO, not {as_text(value)!r}")
    return answer


def _memory(value: object) -> int:
    text = as_text(value).strip()
    try:
        return sizes.memory(text)
    except ValueError:
        raise ValueError(f"should be an amount of memory in MB, not {text!r}") from None


def _minutes(value: object) -> int | None:
    text = as_text(value).strip()
    try:
        limit = times.minutes(text)
    except ValueError:
        raise ValueError(f"should be a time limit such as 30, 2:00:00 or 1-12:00:00, not {text!r}") from None
    return None if limit == INFINITE else limit


def _or_none(parse: Callable[[Any], int]) -> Callable[[Any], int | None]:
    return lambda value: None if as_text(value).strip().upper() in _ENDLESS else parse(value)


def _or_never(value: object) -> int:
    return -1 if as_text(value).strip().upper() in _ENDLESS else whole(value)


_PARSERS: dict[str, Callable[[Any], object]] = {
    "text": as_text,
    "word": lambda value: as_text(value).strip().upper(),
    "whole": whole,
    "flag": _flag,
    "memory": _memory,
    "count": _or_none(whole),
    "memory or none": _or_none(_memory),
    "minutes": _minutes,
    "seconds or never": _or_never,
}

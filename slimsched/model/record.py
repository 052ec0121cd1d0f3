"""The base of small records that live in memory only: a plan, an attempt, an answer.

A `Record` is what ``dataclass(slots=True)`` would make, at a tenth of the time that defining one costs when a
command starts (and without importing ``dataclasses``, which loads ``inspect``). Fields are given by position or
name; an empty list or dict as default is a new one for each record.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


class Record(msgspec.Struct):
    """Base class; fields are the annotated names of the subclass."""


class Value(msgspec.Struct, frozen=True):
    """Base class of records that do not change, and may be keys."""


def copied(record: S) -> S:
    """Return a shallow copy, as ``copy.copy`` does; importing that would cost a command a millisecond."""
    return msgspec.structs.replace(record)


def replaced(record: S, **changes: Any) -> S:
    """Return a copy with other values in some fields."""
    return msgspec.structs.replace(record, **changes)

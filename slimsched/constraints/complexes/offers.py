"""The offer of one level (global, host or queue) for an attribute.

A configured value may meet a second one on its level: what a load sensor reports (global, host) or the queue's
own limit. Of ordered numbers the more restrictive counts, the configured one if they are equal; otherwise the
configured one replaces the other. Source: Complex Attribute Specification, section 3; oracle/sge SURPRISES C.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from slimsched.constraints.complexes import values
from slimsched.model.complex import ComplexAttribute

Value = float | str
_RESTRICTIVE: dict[str, Callable[[float, float], float]] = {"<=": min, "<": min, ">=": max, ">": max}
_KEPT = 4096


class Offer(NamedTuple):
    """The value that counts, and where it comes from: f (configured), c (... and counted down), l (reported)."""

    value: Value
    origin: str


@lru_cache(maxsize=_KEPT)
def configured(attribute: ComplexAttribute, text: str) -> Value:
    """Return the value of an entry of ``complex_values``. Raises `ValueFault`."""
    values.offer(attribute, text)
    value = values.parse(attribute, "TRUE" if text.upper() == "NONE" else text)
    if attribute.type == "TIME" and attribute.consumable != "NO" and isinstance(value, float) and math.isfinite(value):
        return float(math.trunc(value))  # counted down in whole seconds, though it is stored rounded
    return value


@lru_cache(maxsize=_KEPT)
def reported(attribute: ComplexAttribute, text: str) -> Value | None:
    """Return a load value or a queue's limit; None (no offer) if it does not have the attribute's type."""
    return text if attribute.type in values.STRINGS else values.number(text, attribute.type)


def offer(attribute: ComplexAttribute, fixed: str | None, other: str | None) -> Offer | None:
    """Return what a level offers, None if nothing. Raises `ValueFault` for a bad ``fixed``."""
    second = None if other is None else reported(attribute, other)
    if fixed is None:
        return None if second is None else Offer(second, "l")
    return combined(attribute, configured(attribute, fixed), second)


def combined(attribute: ComplexAttribute, first: Value, second: Value | None) -> Offer:
    """Return what counts of a configured value, or what is left of it, and a reported one."""
    origin = "f" if attribute.consumable == "NO" else "c"
    choose = _RESTRICTIVE.get(attribute.relop)
    if choose is None or not isinstance(first, float) or not isinstance(second, float):
        return Offer(first, origin)
    value = choose(first, second)
    return Offer(value, origin if value == first else "l")

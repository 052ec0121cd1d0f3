"""The values of complex attributes: reading, storing and showing them.

One reader serves every numeric type (Grid Engine 8.1.9: ``1K``, ``0x10``, ``010``, ``1e3``, ``1:0:0`` and
``TRUE`` are numbers for INT as for MEMORY); strings are kept as they are.
Source: oracle/sge SURPRISES A6, B8-B11, D7.
"""

from __future__ import annotations

import math
import re
import sys

from slimsched.errors import SyntaxFault
from slimsched.model.complex import ComplexAttribute

NUMERIC = frozenset({"INT", "DOUBLE", "MEMORY", "TIME", "BOOL"})
STRINGS = frozenset({"STRING", "CSTRING", "RESTRING", "HOST"})
INFINITY = sys.float_info.max
"""The value of "INFINITY": above every other value, but not the infinity of C, which is spelled "inf"."""

KIND = {
    "INT": "integer",
    "DOUBLE": "double",
    "MEMORY": "memory",
    "TIME": "time",
    "BOOL": "boolean",
}
"""Type -> its name in messages: ``attribute "x" is not a memory value``."""

SUFFIX = {
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
}
_NUMBER = re.compile(
    r"""(?P<sign>[+-]?)(?:
        (?P<hex>0[xX][0-9a-fA-F]+)
      | (?P<octal>0[0-7]+)(?![0-9.eE])
      | (?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<word>[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])
    )(?P<suffix>[kKmMgGtT]?)""",
    re.VERBOSE,
)


class ValueFault(SyntaxFault):
    """A value that its attribute cannot take, in Grid Engine's words."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message, text, (0, max(1, len(text))))


def number(text: str, kind: str) -> float | None:
    """Return the number that ``text`` spells for a numeric type, None if it spells none."""
    word = text.upper()
    if word in {"TRUE", "FALSE"}:
        return float(word == "TRUE")
    if ":" in text:
        return _clock(text)
    found = _NUMBER.fullmatch(text)
    if not found or (found["suffix"] and kind == "TIME" and not found["word"]):
        return None
    return _plain(found)


def _plain(found: re.Match[str]) -> float:
    """Return the number of a match: hexadecimal, octal, decimal or a word, times its suffix."""
    if found["hex"]:
        value = _whole(found["hex"], 16)
    elif found["octal"]:
        value = _whole(found["octal"], 8)
    elif found["decimal"]:
        value = float(found["decimal"])
    else:
        value = INFINITY if found["word"].lower() == "infinity" else float(found["word"])
    value *= SUFFIX.get(found["suffix"], 1)
    return -value if found["sign"] == "-" else value


def _whole(digits: str, base: int) -> float:
    """Return a whole number as a double; like a decimal one, it is the infinity of C if it is too large."""
    try:
        return float(int(digits, base))
    except OverflowError:
        return math.inf


def _clock(text: str) -> float | None:
    """Return the seconds of ``h:m:s``; a field may be empty or overflow, and there are exactly three."""
    fields = text.split(":")
    if len(fields) != 3:
        return None
    total = 0.0
    for field in fields:
        found = _NUMBER.fullmatch(field or "0")
        if not found or found["suffix"]:
            return None
        total = total * 60 + _plain(found)
    return total


def parse(attribute: ComplexAttribute, text: str) -> float | str:
    """Return the value of ``text`` for ``attribute``: seconds, bytes, a plain number, or the string itself.

    Raises `ValueFault`.
    """
    if not text:
        raise ValueFault(f'denied: missing value for resource "{attribute.name}"', text)
    if attribute.type not in NUMERIC:
        return text
    value = number(text, attribute.type)
    if value is None or (attribute.type == "TIME" and math.isnan(value)):
        raise ValueFault(f'attribute "{attribute.name}" is not a {KIND[attribute.type]} value', text)
    if attribute.consumable != "NO":
        _check_consumable(attribute, value, text)
    return value


def _check_consumable(attribute: ComplexAttribute, value: float, text: str) -> None:
    """Refuse what cannot be counted down."""
    if value < 0:
        raise ValueFault(f'attribute "{attribute.name}" is consumable but has a negative value', text)
    if value == INFINITY:
        raise ValueFault(f'attribute "{attribute.name}" is not a value that can be set to infinity', text)


def offer(attribute: ComplexAttribute, text: str) -> str:
    """Return how a configured value (``complex_values``) is stored. Raises `ValueFault`.

    "NONE" means no value; only a BOOL accepts it, as TRUE. A time is stored in whole seconds. Brackets are reserved for
    the entries of one host in a list.
    """
    if "[" in text:
        raise ValueFault(f'All list elements must be separated by commas: "{attribute.name}={text}"', text)
    if "]" in text:
        raise ValueFault(f'error parsing value "{text.partition("]")[0]}"', text)
    if text.upper() == "NONE":
        if attribute.type != "BOOL":
            raise ValueFault(f'denied: missing value for resource "{attribute.name}"', text)
        return "TRUE"
    value = parse(attribute, text)
    if attribute.type == "TIME" and isinstance(value, float) and abs(value) < INFINITY:
        return str(math.floor(value + 0.5))
    return text


def show(attribute: ComplexAttribute, value: float | str) -> str:
    """Return how ``qstat -F`` shows a value."""
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "nan"
    if abs(value) >= INFINITY:
        return "infinity" if value == INFINITY else f"{value}"
    shown = {"INT": _show_int, "MEMORY": _show_memory, "TIME": _show_time}.get(attribute.type)
    return shown(value) if shown else f"{value:.6f}"


def _show_int(value: float) -> str:
    return "integer_overflow" if abs(value) > 2**31 - 1 else str(int(value))


def _show_memory(value: float) -> str:
    for unit in "TGMK":
        if abs(value) >= SUFFIX[unit]:
            return f"{value / SUFFIX[unit]:.3f}{unit}"
    return f"{abs(value):.3f}"  # Grid Engine loses the sign of plain bytes


def _show_time(value: float) -> str:
    seconds = int(value) % 2**32
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

"""Slurm's comparison of a node's Extra value with the value of a request.

The node's type decides: a number compares with a number only, a boolean with anything read as a boolean,
a string with the text as it stands. Whatever cannot be compared does not match, for ``!=`` either.
Source: behaviour of Slurm 26.11 (SURPRISES A1-A9), extra_constraints.html of 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from slimsched.constraints.predicate import Comparison, Test

OPERATORS = frozenset({"=", "!=", ">", ">=", "<", "<="})
JOINTS = {"&": "&", ",": "&", "|": "|"}
"""What joins two requests -> its usual form."""

Token = tuple[str, int]
"""A piece of an expression and its place; the text is "" at the end."""

TOLERANCE = 0.00001
"""Numbers closer than this are equal (the document also says 0.0001; the program does not)."""

# C's spelling for scanf's %lf; the first character after the sign must be a digit unless it is a word.
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_HEX = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?")
_WORD = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_FALSE = frozenset({"false", "f", "no", "n", "off", "null"})


def number(text: str) -> float | None:
    """Return the number that ``text`` spells, None if it spells none."""
    if _DECIMAL.fullmatch(text) or _WORD.fullmatch(text):
        return float(text)
    if _HEX.fullmatch(text):
        try:
            return float.fromhex(text)
        except OverflowError:
            return float("-inf" if text[0] == "-" else "inf")
    return None


def boolean(text: str) -> bool:
    """Return what ``text`` means where the node holds a boolean: anything but a zero, "~..." or a "no" is true."""
    return not (number(text) == 0 or text.startswith("~") or text.lower() in _FALSE)


# ">" is "neither less nor equal", so it is true for values without an order: NaN, and infinity beside infinity.
_NUMBERS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: abs(a - b) < TOLERANCE,
    "!=": lambda a, b: not abs(a - b) < TOLERANCE,
    "<": lambda a, b: a < b and not abs(a - b) < TOLERANCE,
    "<=": lambda a, b: a < b or abs(a - b) < TOLERANCE,
    ">": lambda a, b: not a < b and not abs(a - b) < TOLERANCE,
    ">=": lambda a, b: not a < b or abs(a - b) < TOLERANCE,
}
_EXACT: dict[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


def tests(op: str, value: str) -> Mapping[type, Test]:
    """Return the test of ``op value`` for each type of node value: a function and what it compares with."""
    # str order is code point order, which is the byte order of UTF-8
    found: dict[type, Test] = {str: (_EXACT[op], value), bool: (_EXACT[op], boolean(value))}
    limit = number(value)
    if limit is not None:
        found[float] = (_NUMBERS[op], limit)
    return found


EXTRA_RULE = Comparison("slurm-extra", tests)

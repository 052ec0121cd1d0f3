"""Idsets: sets of numbers as ascending lists of ids and ranges.

    idset = [ "[" ] [ item { "," item } ] [ "]" ]     both brackets or none
    item  = id [ "-" id ]                             ascending, no leading zeros, each id once

Ranges stay ranges inside: `ranges` and `encode_ranges` never make one object an id.
Source: RFC 22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ID = 2**31 - 1
MAX_IDS = 1 << 24  # that `decode` writes out

Ranges = list[tuple[int, int]]
"""First and last id of each run, ascending, not touching."""


class IdsetError(SyntaxFault):
    """An idset does not follow its grammar, or an id is too large."""


def ranges(text: str) -> Ranges:
    """Return the runs of ``text``, neighbours joined. Raises IdsetError."""
    body, at = text, 0
    if text.startswith("[") and text.endswith("]"):
        body, at = text[1:-1], 1
    found: Ranges = []
    last = -1
    for item in body.split(",") if body else []:
        low, dash, high = item.partition("-")
        first = _id(low, text, at)
        end = _id(high, text, at + len(low) + 1) if dash else first
        if dash and end <= first:
            raise IdsetError("a range that does not ascend", text, (at, at + len(item)))
        if first <= last:
            raise IdsetError("ids must ascend, each once", text, (at, at + len(item)))
        if found and first == last + 1:
            first = found.pop()[0]
        found.append((first, end))
        last = end
        at += len(item) + 1
    return found


def _id(digits: str, text: str, at: int) -> int:
    span = (at, at + len(digits))
    if not (digits.isascii() and digits.isdigit()):
        raise IdsetError("not a number", text, span)
    if digits[0] == "0" and digits != "0":
        raise IdsetError("a leading zero", text, span)
    if len(digits) > len(str(MAX_ID)) or int(digits) > MAX_ID:
        raise IdsetError(f"larger than {MAX_ID}", text, span)
    return int(digits)


def decode(text: str) -> list[int]:
    """Return the ids, ascending. Raises IdsetError, also for more than 16,777,216 ids, before making any."""
    found = ranges(text)
    if sum(last - first + 1 for first, last in found) > MAX_IDS:
        raise IdsetError(f"more than {MAX_IDS:,} ids", text, (0, len(text)))
    return [i for first, last in found for i in range(first, last + 1)]


def encode(ids: Iterable[int]) -> str:
    """Return the idset of ``ids`` in any order, repeats dropped: ``1-3,5``. Raises ValueError for one out of range."""
    found: Ranges = []
    start = last = -2
    for i in sorted(set(ids)):
        if not 0 <= i <= MAX_ID:
            raise ValueError(f"id {i} is not in 0-{MAX_ID}")
        if i != last + 1:
            if last >= 0:
                found.append((start, last))
            start = i
        last = i
    if last >= 0:
        found.append((start, last))
    return encode_ranges(found)


def encode_ranges(found: Ranges) -> str:
    """Return the idset of runs as `ranges` gives them."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)

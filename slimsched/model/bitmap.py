"""Node sets as Python integers: bit i is node i of the node table (the guide's ``bitstr_t``).

An int is immutable and hashable, so a set can be a cache key and a what-if copy costs nothing.
Iteration goes through bytes: shifting a big int bit by bit would be quadratic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Bitmap = int
_Value = TypeVar("_Value")
_BITS: list[tuple[int, ...]] = [()]
"""The set bits of each byte."""
for _bit in range(8):
    _BITS += [(*bits, _bit) for bits in _BITS]


def iterate(mask: Bitmap) -> Iterator[int]:
    """Yield the indices of the set bits, ascending."""
    base = max((mask & -mask).bit_length() - 1, 0)  # a single node far up the table is found at once
    mask >>= base
    for byte in mask.to_bytes((mask.bit_length() + 7) // 8, "little"):
        if byte:
            for bit in _BITS[byte]:
                yield base + bit
        base += 8


def indices(mask: Bitmap) -> list[int]:
    """Return the indices of the set bits, ascending."""
    base = max((mask & -mask).bit_length() - 1, 0)
    mask >>= base
    found: list[int] = []
    for byte in mask.to_bytes((mask.bit_length() + 7) // 8, "little"):
        if byte:
            found += [base + bit for bit in _BITS[byte]]
        base += 8
    return found


def of(indices: Iterable[int]) -> Bitmap:
    """Return the set of ``indices``."""
    items = list(indices)
    if not items:
        return 0
    buffer = bytearray(max(items) // 8 + 1)
    for i in items:
        buffer[i >> 3] |= 1 << (i & 7)
    return int.from_bytes(buffer, "little")


def runs(mask: int) -> list[tuple[int, int]]:
    """Return the runs of consecutive set bits as the first index and the one after the last."""
    low = mask & -mask
    if not mask & (mask + low):  # one run, or nothing
        return [(low.bit_length() - 1, mask.bit_length())] if mask else []
    found = []
    text = bin(mask)[:1:-1] + "0"
    begin = text.find("1")
    while begin >= 0:
        end = text.find("0", begin)
        found.append((begin, end))
        begin = text.find("1", end)
    return found


def tightest_run(mask: int, count: int) -> tuple[int, int] | None:
    """Return the smallest run of at least ``count`` set bits (1 or more), the first of several, if there is one."""
    long, length = mask, 1  # where runs of so many bits begin
    while length < count:
        step = min(length, count - length)
        long &= long >> step
        length += step
    begins = long & ~(mask << 1)  # those that nothing stands before
    step = 1
    while begins & (begins - 1):
        longer = long & long >> step  # exact, as runs of bits in it are more than `length` apart
        if begins & ~longer == 0:
            long, length = longer, length + step
            step = min(2 * step, length)
        elif step == 1:
            begins &= ~longer
            return _run_at(mask, begins)
        else:
            step //= 2
    return _run_at(mask, begins) if begins else None


def _run_at(mask: int, begins: int) -> tuple[int, int]:
    """Return the run at the lowest of some beginnings of runs."""
    first = (begins & -begins).bit_length() - 1
    rest = ~(mask >> first)
    return first, first + (rest & -rest).bit_length() - 1


def grouped(pairs: Iterable[tuple[int, _Value]]) -> dict[_Value, Bitmap]:
    """Return the set of the indices that each value comes with."""
    places: dict[_Value, list[int]] = {}
    for index, value in pairs:
        places.setdefault(value, []).append(index)
    return {value: of(indices) for value, indices in places.items()}


def full(count: int) -> Bitmap:
    """Return the set of the first ``count`` nodes."""
    return (1 << count) - 1


def lowest(mask: Bitmap, count: int) -> Bitmap:
    """Return the ``count`` lowest set bits of ``mask`` (all of them if there are fewer)."""
    if mask.bit_count() <= count:
        return mask
    low, high = 0, mask.bit_length()
    while low < high:  # smallest width whose low part holds enough bits
        middle = (low + high) // 2
        if (mask & (1 << middle) - 1).bit_count() < count:
            low = middle + 1
        else:
            high = middle
    return mask & (1 << low) - 1

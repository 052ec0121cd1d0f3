"""Generic resources as text and as counts: ``gpu:tesla:2(S:0-1)`` on a node, ``gpu:1`` in a request.

A node's devices of one name are numbered through, whatever their type, in the order of its ``Gres=``.
What is taken of a node is one bit mask per entry of it; ``(IDX:0-1)`` in an allocation shows the numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MAX_DEVICES = 1 << 16
"""More devices than this of one entry are counted, but not numbered one by one."""


class Gres(NamedTuple):
    """So many of a name, and of one type of it unless ``type`` is ""."""

    name: str
    type: str
    amount: int
    devices: int = 0  # mask of device numbers, 0: not given
    first: int = 0  # number of the first device among those of the name


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Gres, ...]:
    """Return the entries of a gres text; a bare name counts one.

    Numbers the devices of each name through. A ValueError tells of a count that is no number.
    """
    found: list[Gres] = []
    numbered: dict[str, int] = {}
    for item in _items(text):
        plain, _, note = item.partition("(")
        words = plain.removeprefix("gres/").replace("=", ":").split(":")
        name, kind, count = words[0], "", 1
        if len(words) > 1 and words[-1][:1].isdigit():
            count = _count(words.pop())
        if len(words) > 1 and words[1] != "no_consume":
            kind = words[1]
        first = numbered.get(name, 0)
        numbered[name] = first + count
        found.append(Gres(name, kind, count, _index(note), first))
    return tuple(found)


def _items(text: str) -> Iterator[str]:
    """Yield the comma-separated items, leaving commas within parentheses alone."""
    if text in {"", "(null)", "none"}:
        return
    depth = start = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth <= 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def _count(text: str) -> int:
    unit = _UNITS.get(text[-1:].upper(), 1)
    return int(text.rstrip("KMGTkmgt")) * unit


def _index(note: str) -> int:
    """Return the mask of ``IDX:0-1,3)``; other notes (``S:0-1)``) are no device numbers."""
    head, _, ranges = note.rstrip(")").partition(":")
    return unfold_ids(ranges) if head == "IDX" else 0


def unfold_ids(text: str) -> int:
    """Return the mask of ``0-1,3``; numbers from `MAX_DEVICES` up are left out."""
    mask = 0
    for piece in text.split(","):
        low, _, high = piece.partition("-")
        if low.isdigit() and (high or low).isdigit() and int(high or low) < MAX_DEVICES:
            mask |= (1 << int(high or low) + 1) - (1 << int(low))
    return mask


def free_of(slots: Sequence[Gres], used: Sequence[int], want: Gres) -> int:
    """Return how many of ``want``'s name and type are free on a node; its amount does not matter."""
    free = 0
    for slot, taken in zip(slots, used, strict=True):
        if slot.name == want.name and want.type in {"", slot.type}:
            free += slot.amount - taken.bit_count()
    return free


def take(slots: Sequence[Gres], used: Sequence[int], want: Gres) -> tuple[int, ...]:
    """Return what is taken of each slot to satisfy ``want``, the lowest free devices first."""
    left = want.amount
    picked = []
    for slot, taken in zip(slots, used, strict=True):
        mask = 0
        if left > 0 and slot.name == want.name and want.type in {"", slot.type}:
            mask = _lowest_free(slot.amount, taken, left)
            left -= mask.bit_count()
        picked.append(mask)
    return tuple(picked)


def _lowest_free(count: int, taken: int, want: int) -> int:
    mask = free = ((1 << count) - 1) & ~taken
    for _ in range(free.bit_count() - want):
        mask ^= 1 << mask.bit_length() - 1
    return mask


def show(slots: Sequence[Gres], taken: Sequence[int]) -> str:
    """Return an allocation on one node as Slurm shows it: ``gpu:tesla:2(IDX:0-1)``, "" for nothing."""
    parts = []
    for slot, mask in zip(slots, taken, strict=True):
        if mask:
            name = f"{slot.name}:{slot.type}" if slot.type else slot.name
            note = f"(IDX:{fold_ids(mask << slot.first)})" if slot.amount <= 1024 else ""
            parts.append(f"{name}:{mask.bit_count()}{note}")
    return ",".join(parts)


def fold_ids(mask: int) -> str:
    """Return a mask as ``0-1,3``."""
    pieces = []
    while mask:
        low = (mask & -mask).bit_length() - 1
        size = (~(mask >> low) & (mask >> low) + 1).bit_length() - 1
        pieces.append(f"{low}-{low + size - 1}" if size > 1 else str(low))
        mask &= ~((1 << low + size) - (1 << low))
    return ",".join(pieces)


def restore(slots: Sequence[Gres], text: str) -> tuple[int, ...]:
    """Return the masks of an allocation that `show` wrote."""
    used = [0] * len(slots)
    for entry in parse(text):
        if entry.devices:
            for k, slot in enumerate(slots):
                if slot.name == entry.name and entry.type in {"", slot.type}:
                    used[k] |= entry.devices >> slot.first & (1 << slot.amount) - 1
        else:
            for k, mask in enumerate(take(slots, used, entry)):
                used[k] |= mask
    return tuple(used)

"""Generic resources as text and as counts: ``gpu:tesla:2(S:0-1)`` on a node, ``gpu:1`` in a request.

A node's devices of one name are numbered through, whatever their type, in the order of its ``Gres=``.
What is taken of a node is one integer per entry of it: a mask of devices, which ``(IDX:0-1)`` in an allocation shows,
or a plain number where an entry counts more than `MAX_DEVICES` (bandwidth, shards).
"""

from __future__ import annotations

from functools import lru_cache

from slimsched.model import bitmap
from slimsched.model.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MAX_DEVICES = 1024
"""More devices than this of one entry are counted, but not numbered one by one."""

MAX_NUMBER = 1 << 16
"""Numbers of devices and CPUs stay below this."""


class Gres(Value, frozen=True):
    """So many of a name, and of one type of it unless ``type`` is ""."""

    name: str
    type: str
    amount: int
    devices: int = 0  # mask of device numbers, 0: not given
    first: int = 0  # number of the first device among those of the name

    @property
    def numbered(self) -> bool:
        """Whether what is taken of it is a mask."""
        return self.amount <= MAX_DEVICES


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Gres, ...]:
    """Return the entries of a gres text; a bare name counts one.

    The devices of each name are numbered across its entries. Raises `ValueError` for a count that is not a number.
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
        numbered[name] = first + (count if count <= MAX_DEVICES else 0)
        found.append(Gres(name, kind, count, _index(note), first))
    return tuple(found)


def of_tasks(text: str) -> tuple[Gres, ...]:
    """Return the generic resources of ``--tres-per-task``, which may name CPUs and licenses, too. Raises ValueError."""
    return tuple(g for g in parse(text) if g.name not in {"cpu", "mem"} and not g.name.startswith("license/"))


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
    """Return the mask of ``0-1,3``; numbers from `MAX_NUMBER` up are left out."""
    mask = 0
    for piece in text.split(","):
        low, _, high = piece.partition("-")
        if not (low.isdigit() and (high or low).isdigit()):
            continue
        if int(low) <= int(high or low) < MAX_NUMBER:
            mask |= (1 << int(high or low) + 1) - (1 << int(low))
    return mask


def used_of(slot: Gres, taken: int) -> int:
    """Return how many of an entry are taken."""
    return taken.bit_count() if slot.numbered else taken


def plus(slots: Sequence[Gres], used: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    """Return ``used`` with ``more`` taken."""
    return tuple(a | b if s.numbered else a + b for s, a, b in zip(slots, used, more, strict=True))


def minus(slots: Sequence[Gres], used: Sequence[int], less: Sequence[int]) -> tuple[int, ...]:
    """Return ``used`` with ``less`` given back."""
    return tuple(a & ~b if s.numbered else max(0, a - b) for s, a, b in zip(slots, used, less, strict=True))


def clash(slots: Sequence[Gres], used: Sequence[int], more: Sequence[int]) -> bool:
    """Whether some of ``more`` is taken already."""
    return any(a & b if s.numbered else a + b > s.amount for s, a, b in zip(slots, used, more, strict=True))


def free_of(slots: Sequence[Gres], used: Sequence[int], want: Gres) -> int:
    """Return how many of ``want``'s name and type are free on a node; its amount does not matter."""
    free = 0
    for slot, taken in zip(slots, used, strict=True):
        if slot.name == want.name and want.type in {"", slot.type}:
            free += slot.amount - used_of(slot, taken)
    return free


def take(slots: Sequence[Gres], used: Sequence[int], want: Gres) -> tuple[int, ...]:
    """Return what is taken of each slot to satisfy ``want``, the lowest free devices first."""
    left = want.amount
    picked = []
    for slot, taken in zip(slots, used, strict=True):
        share = 0
        if left > 0 and slot.name == want.name and want.type in {"", slot.type}:
            share = _share(slot, taken, left)
            left -= used_of(slot, share)
        picked.append(share)
    return tuple(picked)


def _share(slot: Gres, taken: int, want: int) -> int:
    if not slot.numbered:
        return min(want, slot.amount - taken)
    return bitmap.lowest(bitmap.full(slot.amount) & ~taken, want)


def show(slots: Sequence[Gres], taken: Sequence[int]) -> str:
    """Return an allocation on one node as Slurm shows it: ``gpu:tesla:2(IDX:0-1)``, "" for nothing."""
    parts = []
    for slot, share in zip(slots, taken, strict=True):
        if share:
            name = f"{slot.name}:{slot.type}" if slot.type else slot.name
            note = f"(IDX:{fold_ids(share << slot.first)})" if slot.numbered else ""
            parts.append(f"{name}:{used_of(slot, share)}{note}")
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
    """Return what an allocation that `show` wrote takes of each slot."""
    used = (0,) * len(slots)
    for entry in parse(text):
        if entry.devices:
            of_entry = (s.name == entry.name and entry.type in {"", s.type} and s.numbered for s in slots)
            masks = [
                entry.devices >> slot.first & bitmap.full(slot.amount) if same else 0
                for slot, same in zip(slots, of_entry, strict=True)
            ]
            used = plus(slots, used, masks)
        else:
            used = plus(slots, used, take(slots, used, entry))
    return used

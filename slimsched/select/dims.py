"""The dimensions of a system whose node names end in coordinates: ``node000`` to ``node333`` are 4 x 4 x 4.

Each character of the suffix is one coordinate: 0 to 9, then A to Z (36 in all).
"""

from __future__ import annotations

from slimsched.errors import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DIMENSIONS = 5


def dimensions(names: Sequence[str], *, strict: bool) -> list[int]:
    """Return the number of elements in each dimension, [] if the names hold no coordinates.

    ``strict``: raise PluginError if a name's coordinates are of another number than the first name's.
    """
    if not names:
        return []
    prefix = names[0].rstrip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    size = len(names[0]) - len(prefix)
    if not 1 < size <= MAX_DIMENSIONS:
        return []
    dims = [1] * size
    for name in names:
        suffix = name.removeprefix(prefix)
        if len(suffix) != size or not suffix.isalnum() or suffix != suffix.upper():
            if strict:
                raise PluginError(f"node name {name} does not end in {size} coordinates")
            return []
        dims = [max(most, int(digit, 36) + 1) for most, digit in zip(dims, suffix, strict=True)]
    return dims

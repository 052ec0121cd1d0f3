"""Which columns ``squeue`` prints: by its options, its variables, and what it lists."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.cli.program import Given

FORMATS = {
    "": "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R",
    "long": "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R",
    "start": "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R",
}
"""What is shown without ``-o``, by the option that changes it."""


def starts(given: Given) -> bool:
    """Whether expected starts are asked for; steps have none."""
    return given.has("start") and not given.has("step")


def formats(given: Given, usual: str = "") -> tuple[str | None, str | None]:
    """Return the short format that is used, or None and the long one; ``usual`` is a listing's own short format.

    The variables count if no option chooses a format; ``--start`` has its own even beside ``-O``.
    """
    short, long = given.last("format"), given.last("Format")
    if short is None and long is None and not any(map(given.has, ("long", "start", "step"))):
        short = os.environ.get("SQUEUE_FORMAT")
        long = os.environ.get("SQUEUE_FORMAT2") if short is None else None
    if short is None and starts(given):
        return FORMATS["start"], None
    if short is None and long is None:
        short = usual or FORMATS["long" if given.has("long") else ""]
    return short, long

"""Reader of ``--distribution``. See `values` for what a reader is. Source: srun(1)."""

from __future__ import annotations

import os

from slimsched.cli.submit.options.counts import MAX_COUNT
from slimsched.cli.submit.options.values import invalid
from slimsched.text.sizes import strtol

NODE_DISTRIBUTIONS = {"block": "block", "cyclic": "cyclic", "*": "block"}
INNER_DISTRIBUTIONS = {"block", "cyclic", "fcyclic"}
PACKING = ("pack", "nopack")


def distribution(name: str, value: str | None) -> str:
    """Read how tasks are laid out over nodes, sockets and cores: ``block:cyclic,pack``, ``plane=4``, ``arbitrary``."""
    spec = (value or "").lower()
    found = _plane(spec) if spec.startswith("plane") else _layout(spec)
    if not found:
        raise invalid(name)
    return found


def _plane(spec: str) -> str:
    """Return ``plane=SIZE``, the size from the environment if need be, "" if it is none."""
    _, equals, size = spec.partition("=")
    size = size if equals else os.environ.get("SLURM_DIST_PLANESIZE", "")
    number, rest = strtol(size)
    return f"plane={number}" if size and not rest and 0 < number <= MAX_COUNT else ""


def _layout(spec: str) -> str:
    """Return a distribution written out, "" if it is none: what is ``*`` follows from the level above."""
    head, comma, packing = spec.partition(",")
    if head in PACKING and not comma:
        return head
    levels = [level for level in head.split(":") if level]
    if levels in (["arbitrary"], ["hostfile"]):
        levels = ["arbitrary"]
    elif not 1 <= len(levels) <= 3 or levels[0] not in NODE_DISTRIBUTIONS:
        return ""
    else:
        levels[0] = NODE_DISTRIBUTIONS[levels[0]]
        for place, default in enumerate(("cyclic", levels[1] if len(levels) > 1 else ""), 1):
            if levels[place : place + 1] == ["*"]:
                levels[place] = default if default != "*" else "cyclic"
        if not INNER_DISTRIBUTIONS.issuperset(levels[1:]):
            return ""
    if packing and packing not in PACKING:
        return ""
    return ":".join(levels) + (f",{packing}" if packing else "")

"""Instants in the requested style, and the placeholders of missing values."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE
from slimsched.text import zone
from slimsched.text.sizes import megabytes
from slimsched.text.times import styled_instant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.model.config import Config, PartitionConf


def stamp(seconds: int, now: int, unset: str = "N/A") -> str:
    """Return an instant as ``SLURM_TIME_FORMAT`` asks, by default ``2026-01-01T00:00:00``; ``unset`` for 0."""
    return styled_instant(seconds, os.environ.get("SLURM_TIME_FORMAT", ""), now) if seconds else unset


def long_date(seconds: int) -> str:
    """Return an instant as the C library's ``ctime`` writes it: ``Sat Nov 21 07:26:20 2026``."""
    return time.asctime(time.gmtime(zone.civil(seconds)))


def natural(name: str) -> tuple[str, int]:
    """Return what a name sorts by: its letters, then the number at its end."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or -1)


def number(value: int | None, infinite: str = "UNLIMITED") -> str:
    """Return a limit that may be missing or without end."""
    return infinite if value is None or value == INFINITE else str(value)


def null(text: str | None) -> str:
    """Return a text as C prints it: ``(null)`` if there is none."""
    return text or "(null)"


def known(text: str | None) -> str:
    """Return a text that may be empty; ``(null)`` for `None`."""
    return "(null)" if text is None else text


def tres(config: Config, amounts: Mapping[str, int]) -> str:
    """Return the resources that a cluster counts as a text, memory given in MB, leaving out those of which is none."""
    from slimsched.model.resources import shown  # a list of jobs shows none

    parts = shown(config, amounts).items()
    return ",".join(f"{name}={megabytes(amount) if name == 'mem' else amount}" for name, amount in parts)


def job_defaults(config: Config, part: PartitionConf | None = None) -> str:
    """Return what a cluster, or a partition, gives a job for each GPU: ``DefCpuPerGPU=2,DefMemPerGPU=100``."""
    from slimsched.model.resources import gpu_defaults

    return ",".join(f"{name}={value}" for name, value in gpu_defaults(config, part).items())


def classed(gres: str, prefix: str = "gres/") -> str:
    """Return a list of generic resources with its class ahead of each."""
    items = (item for item in gres.split(",") if item)
    return ",".join(item if item.startswith(prefix) else prefix + item for item in items)

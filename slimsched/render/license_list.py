"""Licenses as ``scontrol show licenses`` prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster


def counts(text: str) -> Iterator[tuple[str, int]]:
    """Yield name and number of each license of a list such as ``a:2,b``."""
    for item in filter(None, text.split(",")):
        name, _, count = item.replace("=", ":").partition(":")
        yield name, int(count) if count.isdigit() else 1


def records(cluster: Cluster, name: str | None = None, *, oneliner: bool = False) -> list[str]:
    """Return a record for each license, or for the one named."""
    used: dict[str, int] = {}
    for job in cluster.jobs.values():
        if job.active:
            for held, count in counts(job.licenses_alloc or job.request.licenses):
                used[held] = used.get(held, 0) + count
    between = " " if oneliner else "\n    "
    return [
        f"LicenseName={kind}{between}Total={total} Used={used.get(kind, 0)} Free={total - used.get(kind, 0)}"
        " Reserved=0 Remote=no"
        for kind, total in counts(cluster.config.get("Licenses"))
        if name in (None, kind)
    ]

"""Licenses as ``scontrol show licenses`` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster


def counts(text: str) -> Iterator[tuple[str, int]]:
    """Yield name and number of each license of a list such as ``a:2,b``."""
    for item in filter(None, text.split(",")):
        name, _, count = item.replace("=", ":").partition(":")
        yield name, int(count) if count.isdigit() else 1


class License(NamedTuple):
    """One license: how many there are, are in use by jobs, and are held by reservations."""

    name: str
    total: int
    used: int
    reserved: int


def found(cluster: Cluster, name: str | None = None) -> list[License]:
    """Return all licenses, or the one named."""
    used: dict[str, int] = {}
    held: dict[str, int] = {}
    for job in cluster.jobs.values():
        if job.active:
            _add(used, job.licenses_alloc or job.request.licenses)
    for resv in cluster.reservations.values():
        if resv.start_time <= cluster.now < resv.end_time:
            _add(held, resv.licenses)
    listed = counts(cluster.config.get("Licenses"))
    return [
        License(kind, total, used.get(kind, 0), held.get(kind, 0)) for kind, total in listed if name in (None, kind)
    ]


def _add(sums: dict[str, int], text: str) -> None:
    for kind, count in counts(text):
        sums[kind] = sums.get(kind, 0) + count


def records(licenses: Iterable[License], *, oneliner: bool = False) -> list[str]:
    """Return a record for each license, by name."""
    between = " " if oneliner else "\n    "
    return [
        f"LicenseName={item.name}{between}Total={item.total} Used={item.used} Free={item.total - item.used}"
        f" Reserved={item.reserved} Remote=no"
        for item in sorted(licenses, key=lambda item: item.name)
    ]

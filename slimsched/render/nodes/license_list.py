"""Licenses as ``scontrol show licenses`` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests.licensing import Remote, remote
from slimsched.text.times import instant

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster


def counts(text: str) -> Iterator[tuple[str, int]]:
    """Yield name and number of each license of a list such as ``a:2,b``."""
    for item in filter(None, text.split(",")):
        name, _, count = item.replace("=", ":").partition(":")
        yield name, int(count) if count.isdigit() else 1


class License(NamedTuple):
    """One license: how many there are, are in use by jobs, and are held by reservations; ``remote``: of a database."""

    name: str
    total: int
    used: int
    reserved: int
    remote: Remote | None = None

    @property
    def deficit(self) -> int:
        """How many are in use by others."""
        return self.remote.deficit(self.used) if self.remote else 0

    @property
    def free(self) -> int:
        """How many a job could get."""
        return max(0, self.total - self.used - self.deficit)


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
    shared = remote(cluster)
    listed = [*counts(cluster.config.get("Licenses")), *((kind, each.total) for kind, each in shared.items())]
    return [
        License(kind, total, used.get(kind, 0), held.get(kind, 0), shared.get(kind))
        for kind, total in listed
        if name in (None, kind)
    ]


def _add(sums: dict[str, int], text: str) -> None:
    for kind, count in counts(text):
        sums[kind] = sums.get(kind, 0) + count


def records(licenses: Iterable[License], *, oneliner: bool = False) -> list[str]:
    """Return a record for each license, by name."""
    between = " " if oneliner else "\n    "
    return [
        f"LicenseName={item.name}{between}Total={item.total} Used={item.used} Free={item.free}"
        f" Reserved={item.reserved} Remote={'yes' if item.remote else 'no'}{_of_database(item, between)}"
        for item in sorted(licenses, key=lambda item: item.name)
    ]


def _of_database(item: License, between: str) -> str:
    """Return what is said of a license of a database alone."""
    if item.remote is None:
        return ""
    used = f"LastConsumed={item.remote.consumed} LastDeficit={item.deficit}"
    return f"{between}{used} LastUpdate={instant(item.remote.changed)}"

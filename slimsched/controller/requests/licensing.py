"""Licenses: counted by name over the running jobs; a job that asks for more than is left waits, and holds nobody up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SlurmError
from slimsched.model.resources import asked_licenses, licenses
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class Remote:
    """The own cluster's share of a resource: its number, and who uses the resource.

    ``consumed``: how many are in use everywhere, as the resource's server was last said to count; ``outside``: how many
    are not this cluster's; ``changed``: when the record was, in seconds.
    """

    def __init__(self, total: int, consumed: int, outside: int, changed: int) -> None:
        self.total, self.consumed, self.outside, self.changed = total, consumed, outside, changed

    def deficit(self, used: int) -> int:
        """Return how many of the own ones are in use by others."""
        return max(0, self.consumed - self.outside - used)


def remote(cluster: Cluster) -> dict[str, Remote]:
    """Return the licenses of a database that the cluster has a share of, by ``NAME@SERVER``."""
    from slimsched.model.account import ABSOLUTE, has_flag, shares  # few submissions need it

    found, own = {}, cluster.config.get("ClusterName")
    for place, record in cluster.accounting.items():
        share = shares(record).get(own) if place.startswith("resource ") else None
        if share is not None:
            count, consumed = int(record.get("Count", "0")), int(record.get("LastConsumed", "0"))
            total = share if has_flag(record, ABSOLUTE) else count * share // 100
            found[place.partition(" ")[2]] = Remote(total, consumed, count - total, int(record.get("ModTime", "0")))
    return found


def totals(cluster: Cluster) -> dict[str, int]:
    """Return how many of each license the cluster has. Raises `SlurmError`."""
    configured = cluster.config.get("Licenses")
    own = dict(licenses(configured)) if configured else {}
    return own | {name: each.total for name, each in remote(cluster).items()}


def check(cluster: Cluster, text: str) -> None:
    """Refuse licenses that the cluster does not have, or of which it has too few. Raises `SlurmError`."""
    if not text:
        return
    total = totals(cluster)
    for name, count in licenses(text):
        if count > total.get(name, 0):
            raise SlurmError(Errno.INVALID_LICENSES)


def left(cluster: Cluster) -> dict[str, int]:
    """Return how many of each license are free; reservations hold theirs while they last."""
    free = totals(cluster)
    held = [job.licenses_alloc for job in cluster.begun() if job.active]
    held += [r.licenses for r in cluster.reservations.values() if r.start_time <= cluster.now < r.end_time]
    for text in held:
        for name, count in licenses(text) if text else ():
            free[name] = free.get(name, 0) - count
    for name, each in remote(cluster).items():
        free[name] -= each.deficit(each.total - free[name])
    return free


def grant(cluster: Cluster, job: Job) -> str | None:
    """Return the licenses that a job would get now, for ``a|b`` the first free one; ``None`` if some are missing."""
    request = job.request
    text = asked_licenses(request) if request.tres_per_task else request.licenses
    if not text:
        return ""
    free = left(cluster)
    if request.reservation:
        own = cluster.reservations.get(request.reservation)
        for name, count in licenses(own.licenses) if own and own.licenses else ():
            free[name] = free.get(name, 0) + count
    try:
        if "|" in text:
            return next((item for item in text.split("|") if _enough(free, item)), None)
        return text if _enough(free, text) else None
    except SlurmError:  # a license that the configuration no longer has in this form
        return None


def exchange(cluster: Cluster, job: Job) -> None:
    """Give a running job the licenses of its changed request in place of those that it has, though none be free."""
    job.licenses_alloc = ""
    found = grant(cluster, job)
    job.licenses_alloc = asked_licenses(job.request).split("|")[0] if found is None else found


def _enough(free: dict[str, int], text: str) -> bool:
    return all(count <= free.get(name, 0) for name, count in licenses(text))

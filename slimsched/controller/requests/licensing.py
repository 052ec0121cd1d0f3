"""Licenses: counted by name over the running jobs; a job that asks for more than is left waits, and holds nobody up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests.resource_texts import licenses
from slimsched.errors import SlurmError

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def left(cluster: Cluster) -> dict[str, int]:
    """Return how many of each license are free; reservations hold theirs while they last."""
    configured = cluster.config.get("Licenses")
    free = dict(licenses(configured)) if configured else {}
    held = [job.licenses_alloc for job in cluster.begun() if job.active]
    held += [r.licenses for r in cluster.reservations.values() if r.start_time <= cluster.now < r.end_time]
    for text in held:
        for name, count in licenses(text) if text else ():
            free[name] = free.get(name, 0) - count
    return free


def grant(cluster: Cluster, job: Job) -> str | None:
    """Return the licenses that a job would get now, for ``a|b`` the first free one; ``None`` if some are missing."""
    text = job.request.licenses
    if not text:
        return ""
    free = left(cluster)
    if job.request.reservation:
        own = cluster.reservations.get(job.request.reservation)
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
    job.licenses_alloc = job.request.licenses.split("|")[0] if found is None else found


def _enough(free: dict[str, int], text: str) -> bool:
    return all(count <= free.get(name, 0) for name, count in licenses(text))

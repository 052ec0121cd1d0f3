"""Names that a command gives and the cluster does not have: a note on each, with what was meant or what there is.

Imported by refusals and by empty answers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import licensing, rights
from slimsched.model import bitmap
from slimsched.model.account import Book
from slimsched.text import alike, hostlist

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from slimsched.model.cluster import Cluster

_MOST = 3  # names that are spoken of
_PRIVATE = {
    **{"user": "users", "account": "accounts", "job named": "jobs"},
    **{"reservation": "reservations", "partition": "partitions", "node": "nodes"},
}
"""Kind -> the word of ``PrivateData`` that keeps its names from others."""

_KEPT = frozenset({"QOS", "account"})
"""What only accounting knows: without it any name may be used."""


def _of_jobs(kind: str, field: str) -> Callable[[Cluster], Collection[str]]:
    """Return what is known of a kind: what accounting has, and what jobs in memory say."""

    def known(cluster: Cluster) -> set[str]:
        found = {str(getattr(job.request, field)) for job in cluster.jobs.values()}
        return (found | set(Book(cluster).names(kind))) - {""}

    return known


def _users(cluster: Cluster) -> set[str]:
    """Return the users that the cluster has met; those of the whole system are not looked through."""
    return {*cluster.users, *(job.user_name for job in cluster.jobs.values()), *Book(cluster).names("user")}


_KNOWN: dict[str, Callable[[Cluster], Collection[str]]] = {
    "partition": lambda cluster: cluster.partitions,
    "node": lambda cluster: cluster.node_index,
    "reservation": lambda cluster: cluster.reservations,
    "QOS": _of_jobs("qos", "qos"),
    "account": _of_jobs("account", "account"),
    "user": _users,
    "license": licensing.totals,
    "job named": lambda cluster: {job.request.name for job in cluster.jobs.values()},
}


def notes(cluster: Cluster, kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the notes on those of some names that there is no ``kind`` of."""
    if (kind in _KEPT and not cluster.accounting) or rights.keeps_private(cluster, _PRIVATE.get(kind, "")):
        return ()
    known = _KNOWN[kind](cluster)
    strange = [name for name in names if name not in known][:_MOST]
    if kind == "node":
        every = cluster.hostlist_of(bitmap.full(len(cluster.nodes)))
        return tuple(f"no node {name!r}{alike.meant(name, known) or f'; there are: {every}'}" for name in strange)
    return tuple(alike.unknown(kind, name, known) for name in strange)


def kept(cluster: Cluster, kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the notes on those names that accounting does not have, whatever jobs say."""
    if rights.keeps_private(cluster, _PRIVATE.get(kind, "")):
        return ()
    known = Book(cluster).names(kind.lower())
    return tuple(alike.unknown(kind, name, known) for name in names if name.lower() not in known)[:_MOST]


def slips(cluster: Cluster, kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the notes on those names only that are spelled like a known one, where a new name is no fault."""
    if rights.keeps_private(cluster, _PRIVATE.get(kind, "")):
        return ()
    known = _KNOWN[kind](cluster)
    return tuple(note for name in names if name not in known for note in alike.hint(kind, name, known))


def nodes(cluster: Cluster, text: str) -> tuple[str, ...]:
    """Return the notes on the unknown nodes of a hostlist, or on a text that is none."""
    try:
        return notes(cluster, "node", hostlist.expand(text, dialect="slurm"))
    except ValueError:
        return (f"{text!r} is not a list of nodes; write a,b,c or n[01-04,7]",)


def jobs(cluster: Cluster, ids: Iterable[int]) -> tuple[str, ...]:
    """Return the notes on jobs that never were; those that are over and forgotten were."""
    return tuple(_unborn(cluster, ids))[:_MOST]


def steps(cluster: Cluster, job_id: int) -> tuple[str, ...]:
    """Return the note on a step that does not run: what there is of its job."""
    job = next((job for job in cluster.jobs.values() if job_id in (job.job_id, job.array_job_id)), None)
    if job is None and job_id >= cluster.next_job_id:
        return jobs(cluster, [job_id])
    if job is None or job.finished:
        return (f"job {job_id} is over; sacct -j {job_id} lists its steps",)
    if job.pending:
        return (f"job {job_id} has not started, so it has no steps yet",)
    return (f"squeue -s -j {job_id} lists the steps of job {job_id} that run",)


def _unborn(cluster: Cluster, ids: Iterable[int]) -> Iterator[str]:
    first, following = cluster.config.number("FirstJobId"), cluster.next_job_id
    for job_id in ids:
        if job_id >= following > first:
            yield f"no job {job_id} was ever submitted; the last one is {following - 1}"
        elif job_id >= following:
            yield f"no job {job_id}: none was submitted to this cluster"

"""Access to reservations: the users, partitions and QOS that they admit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests.users import User
from slimsched.errors import SlurmError
from slimsched.model.account import Book
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.reservation import Reservation

DEFAULT_QOS = "normal"
PROBLEM = "Problem using reservation"
"""What is said of a job that a reservation has no place for."""


def check(cluster: Cluster, names: str, user: User, account: str) -> None:
    """Refuse unknown reservations, those that have ended, and those that are for others. Raises `SlurmError`."""
    for name in names.split(","):
        found = cluster.reservations.get(name)
        if found is None or found.end_time <= cluster.now:
            raise SlurmError(Errno.RESERVATION_INVALID)
        if not admits(cluster, found, user, account):
            raise SlurmError(Errno.RESERVATION_ACCESS)


def check_use(cluster: Cluster, names: str, user: User, partitions: Iterable[str], qos: str) -> None:
    """Refuse reservations that none of the partitions, or not this QOS, may use. Raises `SlurmError`."""
    found = [cluster.reservations[name] for name in names.split(",")]
    if not any(usable(cluster, resv, user, name, qos) for resv in found for name in partitions):
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE, detail=PROBLEM)


def admits(cluster: Cluster, resv: Reservation, user: User, account: str) -> bool:
    """Whether a reservation is for a user: both its users and its accounts must let the user in; a manager always is.

    Nobody may use one whose start floats.
    """
    if "TIME_FLOAT" in resv.flags:
        return False
    if _manages(cluster, user):
        return True
    pairs = ((resv.users, user.name), (resv.groups, user.group), (resv.accounts, account))
    return all(not listed or _names(listed, name) for listed, name in pairs)


def seen(cluster: Cluster) -> list[Reservation]:
    """Return the reservations that the user who asks may see: with ``PrivateData=reservations``, may use."""
    from slimsched.controller.requests import rights, users

    every = list(cluster.reservations.values())
    if not rights.keeps_private(cluster, "reservations"):
        return every
    asker = users.invoking(cluster)
    accounts = [account for account, user, _, _ in Book(cluster).associations() if user == asker.name] or [""]
    return [resv for resv in every if any(admits(cluster, resv, asker, account) for account in accounts)]


def usable(cluster: Cluster, resv: Reservation, user: User, partition: str, qos: str) -> bool:
    """Whether jobs of a partition and a QOS may use a reservation."""
    pairs = ((resv.allowed_partitions, partition), (resv.qos, qos or DEFAULT_QOS))
    return _manages(cluster, user) or all(not listed or _names(listed, name) for listed, name in pairs)


def loser(cluster: Cluster, resv: Reservation) -> Job | None:
    """Return a job in a reservation that does not admit it any more."""
    for job in cluster.jobs.values():
        if job.finished or resv.name not in job.request.reservation.split(","):
            continue
        if not admits(cluster, resv, of_job(job), job.request.account):
            return job
    return None


def of_job(job: Job) -> User:
    """Return the user of a job."""
    return User(job.user_id, job.user_name, job.group_id, job.group_name)


def _manages(cluster: Cluster, user: User) -> bool:
    return user.uid == 0 or user.name == cluster.config.get("SlurmUser").partition("(")[0]


def _names(listed: str, name: str) -> bool:
    """Whether a list lets a name in; one that excludes ("-name") lets all others in."""
    names = listed.split(",")
    return f"-{name}" not in names and (name in names or names[0].startswith("-"))

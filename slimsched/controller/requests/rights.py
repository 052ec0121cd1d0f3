"""What the user who asks may do: the rights of operators, of a job's owner, and of those who lead its account.

Whoever asks in their own name may do everything, because the state directory is theirs. Where `ASKER` names
somebody else, that user's rights hold: root and SlurmUser are administrators, all others what ``AdminLevel`` says.
Source: slurmctld, the checks of a request's user id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import users
from slimsched.errors import SlurmError, UserError
from slimsched.model.account import Book
from slimsched.slurm.errno import Errno, ErrorCode

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

USER, OPERATOR, ADMINISTRATOR = range(3)
LEVELS = {"Operator": OPERATOR, "Administrator": ADMINISTRATOR}


def level(cluster: Cluster) -> int:
    """Return what the user who asks is: `USER`, `OPERATOR` or `ADMINISTRATOR`."""
    if trusted(cluster):
        return ADMINISTRATOR
    record = Book(cluster).get("user", users.invoking(cluster).name) or {}
    return LEVELS.get(record.get("AdminLevel", ""), USER)


def trusted(cluster: Cluster) -> bool:
    """Whether daemons on nodes, which know of no ``AdminLevel``, let the user who asks do everything."""
    if not users.speaks_for_another():
        return True
    asker = users.invoking(cluster)
    return not asker.uid or asker.name == cluster.config.get("SlurmUser").partition("(")[0]


def require(cluster: Cluster, least: int, errno: ErrorCode = Errno.USER_ID_MISSING) -> None:
    """Raise `SlurmError` unless the user who asks is at least an `OPERATOR`, or an `ADMINISTRATOR`."""
    if level(cluster) < least:
        raise SlurmError(errno)


def owns(cluster: Cluster, job: Job) -> bool:
    """Whether a job is that of the user who asks, or of the user for whom nobody else asks."""
    return not users.speaks_for_another() or job.user_id == users.invoking(cluster).uid


def over(cluster: Cluster, job: Job) -> bool:
    """Whether the user who asks may end and change a job: its owner, an operator, a coordinator of its account."""
    if owns(cluster, job) or level(cluster) >= OPERATOR:
        return True
    return users.invoking(cluster).name in Book(cluster).coordinators(job.request.account)


def keeps_private(cluster: Cluster, kind: str) -> bool:
    """Whether ``PrivateData`` hides what others have of a kind (``jobs``, ``usage``) from the user who asks."""
    return kind in cluster.config.get("PrivateData").lower().split(",") and level(cluster) < OPERATOR


def require_sight(cluster: Cluster, kind: str, call: str) -> None:
    """Refuse a list of nodes or partitions that ``PrivateData`` hides. Raises `UserError`; ``call`` leads its text."""
    if keeps_private(cluster, kind):
        raise UserError(f"{call}: {Errno.ACCESS_DENIED.text}", level="plain")


def require_over(cluster: Cluster, job: Job, errno: ErrorCode = Errno.ACCESS_DENIED) -> None:
    """Raise `SlurmError` unless the user who asks may end and change a job."""
    if not over(cluster, job):
        raise SlurmError(errno)

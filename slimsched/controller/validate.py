"""What a submission must satisfy, check by check, in the order in which slurmctld complains.

``check_early`` runs before the job gets its id, ``check_late`` after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errno import Errno
from slimsched.errors import SlurmError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest


def resolve_partitions(cluster: Cluster, request: JobRequest) -> list[PartitionConf]:
    """Return the partitions of a request, the default one if it names none, and note it in the request."""
    if not request.partition:
        request.partition = cluster.default_partition
        if not request.partition:
            raise SlurmError(Errno.DEFAULT_PARTITION_NOT_SET)
    found = []
    for name in request.partition.split(","):
        if name not in cluster.partitions:
            raise SlurmError(Errno.INVALID_PARTITION_NAME, detail=f"invalid partition specified: {name}")
        found.append(cluster.partitions[name])
    return found


def check_early(ctl: Controller, request: JobRequest, partitions: list[PartitionConf]) -> None:
    """Refuse what is refused before a job id is taken."""


def check_late(ctl: Controller, request: JobRequest, partitions: list[PartitionConf]) -> None:
    """Refuse what is refused after the job id is taken."""

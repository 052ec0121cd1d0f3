"""Limits of a partition: its state, its size, and what it lets through.

One table of tests serves the submission (``EnforcePartLimits``: the error) and the queue (the reason why a job
that was let in waits).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import defaults
from slimsched.errors import SlurmError
from slimsched.model.record import Record
from slimsched.model.request import INFINITE
from slimsched.slurm import reasons
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest

    Test = Callable[[Cluster, JobRequest, PartitionConf], bool]

CLOSED = frozenset({"DRAIN", "INACTIVE"})  # takes no submissions
STOPPED = {"DOWN": reasons.PARTITION_DOWN, "INACTIVE": reasons.PARTITION_INACTIVE}  # starts nothing


class PartitionLimit(Record):
    """One limit: whether a request breaks it, the reason to wait, and the error if limits are enforced."""

    broken: Test
    reason: Reason
    errno: ErrorCode


def reason(cluster: Cluster, request: JobRequest, part: PartitionConf) -> Reason | None:
    """Return why a job cannot start in a partition whatever is free, None if nothing of the partition forbids it."""
    if part.state in STOPPED:
        return STOPPED[part.state]
    if not open_to(part.allow_accounts, part.deny_accounts, request.account):
        return reasons.ACCOUNT_NOT_ALLOWED
    if not open_to(part.allow_qos, part.deny_qos, request.qos):
        return reasons.QOS_NOT_ALLOWED
    for limit in LIMITS:
        if limit.broken(cluster, request, part):
            return limit.reason
    return None


def open_to(allowed: str, denied: str, name: str) -> bool:
    """Whether a partition's lists (``AllowQos``, ``DenyQos``, ...) let an account or a QOS in."""
    let_in = allowed.upper() == "ALL" or name in allowed.split(",")
    return let_in and not (name and name in denied.split(","))


def enforce(cluster: Cluster, request: JobRequest, partitions: Sequence[PartitionConf]) -> None:
    """Refuse a request as ``EnforcePartLimits`` says: it must fit ANY, or ALL, of its partitions."""
    mode = cluster.config.get("EnforcePartLimits").upper()
    if mode not in {"ALL", "YES", "ANY"}:
        return
    errors = [_error(cluster, request, part) for part in partitions]
    broken = [errno for errno in errors if errno is not None]
    if broken and (mode != "ANY" or len(broken) == len(errors)):
        raise SlurmError(broken[0])


def _error(cluster: Cluster, request: JobRequest, part: PartitionConf) -> ErrorCode | None:
    return next((limit.errno for limit in LIMITS if limit.broken(cluster, request, part)), None)


def _nodes(cluster: Cluster, request: JobRequest, part: PartitionConf) -> bool:
    asked = request.min_nodes or 1
    most = cluster.partition_bitmap(part.partition_name).bit_count()
    if part.max_nodes is not None and not _waived(cluster, request, "PartitionMaxNodes"):
        most = min(most, part.max_nodes)
    too_few = request.max_nodes is not None and request.max_nodes < part.min_nodes
    return asked > most or (too_few and not _waived(cluster, request, "PartitionMinNodes"))


def _waived(cluster: Cluster, request: JobRequest, flag: str) -> bool:
    """Whether a flag of the request's QOS lets it break a limit of the partition."""
    if not cluster.accounting:
        return False
    from slimsched.model.account import Book, has_flag

    return has_flag(Book(cluster).qos(request.qos), flag)


def _time(cluster: Cluster, request: JobRequest, part: PartitionConf) -> bool:
    if part.max_time is None or part.max_time == INFINITE:
        return False
    shortest = request.time_min if request.time_min is not None else request.time_limit
    too_long = shortest is not None and shortest > part.max_time
    return too_long and not _waived(cluster, request, "PartitionTimeLimit")


def _cpus(cluster: Cluster, request: JobRequest, part: PartitionConf) -> bool:
    return defaults.min_cpus(request) > cluster.partition_cpus(part.partition_name)


def _memory(cluster: Cluster, request: JobRequest, part: PartitionConf) -> bool:
    most = part.max_mem_per_node or cluster.config.number("MaxMemPerNode")
    return bool(most) and (request.mem_per_node or 0) > most


LIMITS = (
    PartitionLimit(_nodes, reasons.PARTITION_NODES, Errno.INVALID_NODE_COUNT),
    PartitionLimit(_time, reasons.PARTITION_TIME, Errno.INVALID_TIME_LIMIT),
    PartitionLimit(_cpus, reasons.PARTITION_CONFIG, Errno.TOO_MANY_REQUESTED_CPUS),
    PartitionLimit(_memory, reasons.MEMORY_LIMIT, Errno.INVALID_TASK_MEMORY),
)

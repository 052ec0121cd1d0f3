"""Limits of a partition: its state, its size, and what it lets through.

One table of tests serves the submission (``EnforcePartLimits``: the error) and the queue (the reason why a job
that was let in waits).
"""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.controller.requests import defaults
from slimsched.errors import SlurmError
from slimsched.model.record import Record
from slimsched.model.request import INFINITE
from slimsched.slurm import conf, reasons
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

    Test = Callable[[Cluster, JobRequest, PartitionConf], bool]

CLOSED = frozenset({"DRAIN", "INACTIVE"})  # takes no submissions
STOPPED = {"DOWN": reasons.PARTITION_DOWN, "INACTIVE": reasons.PARTITION_INACTIVE}  # starts nothing


class PartitionLimit(Record):
    """One limit: whether a request breaks it, the reason to wait, and the error if limits are enforced."""

    broken: Test
    reason: Reason
    errno: ErrorCode


class Wait(Record):
    """Why a job waits for a partition: the reason's word, and the text that replaces it ("": none)."""

    reason: Reason
    text: str = ""


_ASKED = attrgetter(
    *("min_nodes", "max_nodes", "time_min", "time_limit", "num_tasks", "cpus_per_task", "overcommit", "mem_per_node"),
    *("account", "qos"),
)
"""What of a request a partition looks at."""

MOST_ADMITTED = 10_000


def reason(cluster: Cluster, job: Job, part: PartitionConf) -> Wait | None:
    """Return why a job cannot start in a partition whatever is free, None if nothing of the partition forbids it.

    What a partition lets in is kept while partitions stay as they are: jobs that wait are asked about again and again.
    """
    if part.state in STOPPED:
        return Wait(STOPPED[part.state])
    asked = part.partition_name, job.user_id, job.group_name, *_ASKED(job.request)
    if asked in cluster.admitted:
        return None
    wait = barred(job, part)
    if wait is not None:
        return wait
    for limit in LIMITS:
        if limit.broken(cluster, job.request, part):
            return Wait(limit.reason)
    if not cluster.accounting:  # a QOS may waive limits, and changes
        if len(cluster.admitted) >= MOST_ADMITTED:
            cluster.admitted.clear()
        cluster.admitted.add(asked)
    return None


def barred(job: Job, part: PartitionConf) -> Wait | None:
    """Return why a partition does not let a job's user, account or QOS in, None if it does.

    Only of a job that it has never let in the lists are told.
    """
    request, name = job.request, part.partition_name
    new = job.reason in (reasons.NONE, reasons.PARTITION_CONFIG)
    if not lets_in_group(part, job.user_id, job.group_name):
        text = f"uid {job.user_id} not in group permitted to use this partition ({name}). groups allowed:"
        return Wait(reasons.PARTITION_CONFIG, f"{text} {part.allow_groups}")
    if not open_to(part.allow_accounts, part.deny_accounts, request.account):
        return Wait(reasons.PARTITION_CONFIG if new else reasons.ACCOUNT_NOT_ALLOWED)
    if open_to(part.allow_qos, part.deny_qos, request.qos):
        return None
    from slimsched.model.account import NORMAL

    qos = request.qos or NORMAL
    lists = f"denies {part.deny_qos} including {qos}" if part.deny_qos else f"allows {part.allow_qos} not {qos}"
    text = f"Job's QOS not permitted to use this partition ({name} {lists})"
    return Wait(reasons.PARTITION_CONFIG, text) if new else Wait(reasons.QOS_NOT_ALLOWED)


def lets_in_group(part: PartitionConf, uid: int, group: str) -> bool:
    """Whether a partition lets a user of a group in (``AllowGroups``); root always."""
    allowed = part.allow_groups.split(",")
    return part.allow_groups.upper() == "ALL" or not uid or group in allowed or _member(uid, allowed)


def _member(uid: int, groups: list[str]) -> bool:
    """Whether the system has a user among the members of one of some groups."""
    import grp
    import pwd

    try:
        name = pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return False  # a user of the cluster alone
    for group in groups:
        with suppress(KeyError):
            if name in grp.getgrnam(group).gr_mem:
                return True
    return False


def open_to(allowed: str, denied: str, name: str) -> bool:
    """Whether a partition's lists (``AllowQos``, ``DenyQos``, ...) let an account or a QOS in."""
    let_in = allowed.upper() == "ALL" or name in allowed.split(",")
    return let_in and not (name and name in denied.split(","))


def enforced(cluster: Cluster) -> str:
    """Return how many of its partitions must let a job in: "ALL", "ANY", or "" where it may wait for all of them."""
    return conf.PART_LIMITS.get(cluster.config.get("EnforcePartLimits").upper(), "")


def enforce(cluster: Cluster, request: JobRequest, partitions: Sequence[PartitionConf]) -> None:
    """Refuse a request as ``EnforcePartLimits`` says: it must fit ANY, or ALL, of its partitions."""
    mode = enforced(cluster)
    if not mode:
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

"""The checks that a submission must pass, in the order in which slurmctld complains.

`EARLY` runs before the job gets its id, `LATE` after it: a refusal by one of these uses the id up.
Source: scenario sbatch_errors, by the job ids that follow each refusal.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.life import arrays
from slimsched.controller.requests import licensing, partition_limits, resource_texts, text_checks
from slimsched.errors import SlurmError
from slimsched.model.resources import asked_licenses
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest

    Check = Callable[[Cluster, JobRequest, list[PartitionConf], User], None]

MAX_STRING = 1024
"""Bytes that most texts of a submission may have."""

MAX_FLUX = 1024 * 128
"""Bytes of a constraint object, and of all queries together: room for the names of ten thousand nodes."""

SHORT_TEXTS = (
    *("name", "partition", "account", "qos", "reservation", "wckey", "comment", "admin_comment", "features", "prefer"),
    *("cluster_features", "extra", "mail_user", "mcs_label", "network", "output", "error", "input", "work_dir"),
)
_SHORT = attrgetter(*SHORT_TEXTS)
LONG_TEXTS = {"dependency": 1024 * 128, "nodelist": 1024 * 64, "exclude": 1024 * 64}


def partitions_of(cluster: Cluster, request: JobRequest) -> list[PartitionConf]:
    """Return the partitions of a request. Raises `SlurmError` for none and for an unknown one."""
    if not request.partition:
        raise SlurmError(Errno.DEFAULT_PARTITION_NOT_SET)
    found = []
    for name in request.partition.split(","):
        if name not in cluster.partitions:
            raise SlurmError(Errno.INVALID_PARTITION_NAME, detail=f"invalid partition specified: {name}")
        found.append(cluster.partitions[name])
    return found


def check_new(cluster: Cluster, request: JobRequest) -> None:
    """Check what may differ between requests that ask for the same. Raises `SlurmError`."""
    _texts(request)
    _job_count(cluster)


def check_early(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Check what slurmctld checks before it takes a job id. Raises `SlurmError`."""
    check_new(cluster, request)
    for check in EARLY:
        check(cluster, request, partitions, user)


def check_late(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Check what slurmctld checks after it took the job id. Raises `SlurmError`."""
    for check in LATE:
        check(cluster, request, partitions, user)


# before the id


def _texts(request: JobRequest) -> None:
    for text in filter(None, _SHORT(request)):
        text_checks.length(text, MAX_STRING)
    for name, most in LONG_TEXTS.items():
        if text := getattr(request, name):
            text_checks.length(text, most)


def _job_count(cluster: Cluster) -> None:
    if len(cluster.jobs) >= cluster.config.number("MaxJobCount"):
        raise SlurmError(Errno.MAX_JOB_COUNT)


def _nice(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.nice < 0:
        from slimsched.controller.requests import rights

        rights.require(cluster, rights.OPERATOR, Errno.INVALID_NICE)


def _open_partition(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    for part in partitions:
        if part.state in partition_limits.CLOSED:
            raise SlurmError(Errno.PARTITION_NOT_AVAIL)
        if (part.root_only and user.uid != 0) or (part.disable_root_jobs and user.uid == 0):
            raise SlurmError(Errno.ACCESS_DENIED)
        if part.req_resv and not request.reservation:
            raise SlurmError(Errno.ACCESS_DENIED)


def _association(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if not cluster.accounting:
        return
    from slimsched.controller.accounts import assoc_limits
    from slimsched.model.account import Book, has_flag

    if (fault := assoc_limits.refused_name(cluster, request)) is not None:
        raise SlurmError(fault)
    asked = request.qos if "qos" in request.given else ""
    for part in partitions:
        assoc_limits.permit(cluster, request.account.lower(), asked, user.name, part.partition_name)
    assoc_limits.permit_wckey(cluster, request.wckey, user.name)
    if not request.reservation and has_flag(Book(cluster).qos(request.qos), "RequiresReservation"):
        raise SlurmError(Errno.INVALID_QOS)


def _policy(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if cluster.accounting:
        from slimsched.controller.accounts import assoc_limits

        assoc_limits.check(cluster, request, partitions, user)


def _access(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    """Refuse a job that a partition's lists do not let in, where it may not wait for the partition."""
    mode = partition_limits.enforced(cluster)
    lets_in, open_to = partition_limits.lets_in_group, partition_limits.open_to
    admitted = {
        Errno.JOB_MISSING_REQUIRED_PARTITION_GROUP: [lets_in(part, user.uid, user.group) for part in partitions],
        Errno.INVALID_QOS: [open_to(part.allow_qos, part.deny_qos, request.qos) for part in partitions],
        Errno.INVALID_ACCOUNT: [open_to(p.allow_accounts, p.deny_accounts, request.account) for p in partitions],
    }
    for errno, each in admitted.items():
        if mode and not (any(each) if mode == "ANY" else all(each)):
            raise SlurmError(errno)


def _limits(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    partition_limits.enforce(cluster, request, partitions)


def _times(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    text_checks.deadline(cluster, request, partitions[0])
    text_checks.time_min(request)


def _nodes(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    wanted = text_checks.node_set(cluster, request.nodelist)
    if request.exclude.upper() == "ALL":
        raise SlurmError(Errno.INVALID_NODE_NAME)
    if wanted & text_checks.node_set(cluster, request.exclude):
        raise SlurmError(Errno.INVALID_NODE_NAME)


def _features(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    text_checks.features(cluster, request.features, Errno.INVALID_FEATURE)
    text_checks.features(cluster, request.prefer, Errno.INVALID_PREFER)


def _flux(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.flux_constraint or request.requires:
        text_checks.length(request.flux_constraint, MAX_FLUX)
        text_checks.length("".join(request.requires), MAX_FLUX)
        text_checks.flux(request)


def _resources(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    resource_texts.check_gres(cluster, request)
    resource_texts.check_sizes(request)
    licensing.check(cluster, asked_licenses(request))


def _array(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if not request.array:
        return
    tasks, _ = arrays.parse(request.array, cluster.config.number("MaxArraySize"))
    most = cluster.config.parameters.number("max_array_tasks")
    if 0 < most < arrays.count(tasks):
        raise SlurmError(Errno.INVALID_ARRAY)


def _complexes(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.hard_resources or request.soft_resources:
        complexes.check(cluster, request)


# after the id


def _node_count(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    low, high = request.min_nodes, request.max_nodes
    if (low == 0 and not high) or (high is not None and high < (low or 0)):
        raise SlurmError(Errno.INVALID_NODE_COUNT)


def _extra(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.extra is not None:
        text_checks.extra(cluster, request.extra)


def _dependency(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.dependency:
        from slimsched.controller.life import dependency

        permitted = "permit_job_expansion" in cluster.config.parameters
        dependency.resolve(cluster, request.dependency, may_expand=permitted)


def _reservation(cluster: Cluster, request: JobRequest, partitions: list[PartitionConf], user: User) -> None:
    if request.reservation:
        from slimsched.controller.reservations import access

        access.check(cluster, request.reservation, user, request.account)
        names = [part.partition_name for part in partitions]
        access.check_use(cluster, request.reservation, user, names, request.qos)


EARLY: tuple[Check, ...] = (
    _nice,
    _open_partition,
    _association,
    _access,
    _limits,
    _policy,
    _times,
    _nodes,
    _features,
    _flux,
    _resources,
    _array,
    _complexes,
)
LATE: tuple[Check, ...] = (_node_count, _extra, _dependency, _reservation)

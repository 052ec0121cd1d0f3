"""What ``scontrol update JobId=`` can change: one line a field, with its reader and the error if it comes too late."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller import checks, dependency, job_times, resize, resources
from slimsched.controller.job_change import Change, checked, flag, memory, number, text
from slimsched.errno import Errno
from slimsched.errors import SlurmError
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.controller.job_change import Reader

THROTTLE = "Update of ArrayTaskThrottle is only allowed on ArrayJobId"


class Field(NamedTuple):
    """How a field is read; ``late`` is the error for a job that no longer waits, None if it may run."""

    read: Reader
    late: Errno | None = None


def _partition(change: Change, value: str) -> None:
    if not value or not change.ctl.cluster.partitions.keys() >= set(value.split(",")):
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    change.request.partition = value
    change.later.append(lambda: setattr(change.job, "partition", value.partition(",")[0]))


def _extra(change: Change, value: str) -> None:
    checks.extra(change.ctl.cluster, value)
    change.request.extra = value


def _dependency(change: Change, value: str) -> None:
    job = change.job
    may_expand = "expand:" in value and resize.permitted(change.ctl)
    left = dependency.resolve(change.ctl.cluster, value, job.job_id, may_expand=may_expand) if value else ""
    change.request.dependency = value
    change.later.append(lambda: setattr(job, "dependency", left))


def _features(change: Change, value: str) -> None:
    checks.features(change.ctl.cluster, value, Errno.INVALID_FEATURE)


def _prefer(change: Change, value: str) -> None:
    checks.features(change.ctl.cluster, value, Errno.INVALID_PREFER)


def _nodes(change: Change, value: str) -> None:
    checks.node_set(change.ctl.cluster, value)


def _licenses(change: Change, value: str) -> None:
    resources.check_licenses(change.ctl.cluster, value)


def _gres(change: Change, value: str) -> None:
    change.request.gres = value
    resources.check_gres(change.ctl.cluster, change.request)


def _reservation(change: Change, value: str) -> None:
    checks.reservation(change.ctl.cluster, value, change.job.user_name, change.request.account)
    change.later.append(lambda: setattr(change.job, "resv_name", value))


def _account(change: Change, value: str) -> None:
    _associated(change, value.lower(), change.request.qos)


def _qos(change: Change, value: str) -> None:
    _associated(change, change.request.account, value)


def _associated(change: Change, account: str, qos: str) -> None:
    """Refuse an account or a QOS that the job's user may not use, where that is enforced."""
    cluster = change.ctl.cluster
    if cluster.accounting:
        from slimsched.controller import limits_assoc

        limits_assoc.permit(cluster, account, qos, change.job.user_name, change.partition.partition_name)


def _num_nodes(change: Change, value: str) -> None:
    """Read ``NumNodes``: ``2`` or ``1-3``; there is a task at least on each node."""
    if change.job.active:
        _resize(change, value)
        return
    low_text, dash, high_text = value.partition("-")
    low = change.count(low_text)
    request = change.request
    request.min_nodes, request.max_nodes = low, change.count(high_text) if dash else low
    most = change.ctl.cluster.partition_bitmap(change.partition.partition_name).bit_count()
    if low < 1 or request.max_nodes < low:
        raise SlurmError(Errno.INVALID_NODE_COUNT)
    if low > most:
        raise SlurmError(Errno.REQUESTED_PART_CONFIG_UNAVAILABLE)
    request.num_tasks = max(request.num_tasks or 1, low)


def _resize(change: Change, value: str) -> None:
    """Read ``NumNodes`` of a running job: fewer than it has, all, or none, which expands the job it was made for."""
    job, held = change.job, len(change.job.cpus)
    count = held if value.upper() == "ALL" else change.count(value.partition("-")[0])
    if count > held or (count == 0 and not resize.expanded_by(job)):
        raise SlurmError(Errno.NOT_SUPPORTED)
    if count == 0:
        change.later.append(lambda: resize.expand(change.ctl, job))
    elif count < held:
        _keep(change, bitmap.lowest(change.ctl.cluster.bitmap_of(job.nodes), count))


def _keep(change: Change, nodes: int) -> None:
    """Let a running job keep only these of its nodes."""
    change.request.min_nodes = change.request.max_nodes = nodes.bit_count()
    change.later.append(lambda: resize.shrink(change.ctl, change.job, nodes))


def _req_nodes(change: Change, value: str) -> None:
    """Read ``ReqNodeList``: the nodes that must be among the job's; those that a running job keeps."""
    cluster, job = change.ctl.cluster, change.job
    if not job.active:
        checked("nodelist", _nodes)(change, value)
        return
    held, keep = cluster.bitmap_of(job.nodes), checks.node_set(cluster, value)
    if not keep or keep & ~held:
        raise SlurmError(Errno.INVALID_NODE_NAME)
    if keep != held:
        _keep(change, keep)


def _num_cpus(change: Change, value: str) -> None:
    """Read ``NumCPUs``: the fewest CPUs of the whole job, spread evenly over its tasks."""
    cpus = change.count(value.partition("-")[0])
    tasks = change.request.num_tasks or 1
    if cpus < 1:
        raise SlurmError(Errno.INVALID_CPU_COUNT)
    if cpus % tasks:
        change.request.num_tasks = cpus
    elif cpus != tasks * (change.request.cpus_per_task or 1):
        change.request.cpus_per_task = cpus // tasks


def _num_tasks(change: Change, value: str) -> None:
    tasks = change.count(value)
    if tasks < (change.request.min_nodes or 1):
        raise SlurmError(Errno.BAD_TASK_COUNT)
    change.request.num_tasks = tasks


def _throttle(change: Change, value: str) -> None:
    job, limit = change.job, change.count(value)
    if not job.array_job_id:
        raise SlurmError(Errno.NOT_SUPPORTED, detail=THROTTLE)
    change.later.append(lambda: setattr(job, "array_max_tasks", limit))


def _oversubscribe(change: Change, value: str) -> None:
    flag("oversubscribe")(change, value)
    change.request.exclusive = ""


def _switches(change: Change, value: str) -> None:
    count, at, wait = value.partition("@")
    change.request.switches = change.count(count)
    if at:
        change.request.wait_for_switches = change.count(wait) * 60


def _unsupported(change: Change, value: str) -> None:
    raise SlurmError(Errno.NOT_SUPPORTED)


PENDING = Errno.JOB_NOT_PENDING

FIELDS: dict[str, Field] = {
    "Account": Field(checked("account", _account), PENDING),
    "AdminComment": Field(text("admin_comment")),
    "ArrayTaskThrottle": Field(_throttle),
    "BurstBuffer": Field(_unsupported),
    "ClusterFeatures": Field(text("cluster_features"), PENDING),
    "Comment": Field(text("comment")),
    "Contiguous": Field(flag("contiguous"), PENDING),
    "CoreSpec": Field(number("core_spec"), PENDING),
    "CPUsPerTask": Field(number("cpus_per_task"), PENDING),
    "Deadline": Field(job_times.deadline, PENDING),
    "Dependency": Field(_dependency, PENDING),
    "EligibleTime": Field(job_times.begin, PENDING),
    "EndTime": Field(job_times.end),
    "ExcNodeList": Field(checked("exclude", _nodes), PENDING),
    "Extra": Field(_extra),
    "Features": Field(checked("features", _features), PENDING),
    "Gres": Field(_gres, PENDING),
    "JobName": Field(text("name")),
    "Licenses": Field(checked("licenses", _licenses), PENDING),
    "MailType": Field(text("mail_type")),
    "MailUser": Field(text("mail_user")),
    "MinCPUsNode": Field(number("min_cpus_per_node"), PENDING),
    "MinMemoryCPU": Field(memory("mem_per_cpu", "mem_per_node"), Errno.EXTERN_ONLY),
    "MinMemoryNode": Field(memory("mem_per_node", "mem_per_cpu"), Errno.EXTERN_ONLY),
    "MinTmpDiskNode": Field(number("min_tmp_disk"), PENDING),
    "Nice": Field(job_times.nice),
    "NumCPUs": Field(_num_cpus, PENDING),
    "NumNodes": Field(_num_nodes),
    "NumTasks": Field(_num_tasks, PENDING),
    "NtasksPerNode": Field(number("ntasks_per_node"), PENDING),
    "OverSubscribe": Field(_oversubscribe, PENDING),
    "Partition": Field(_partition, PENDING),
    "Prefer": Field(checked("prefer", _prefer), PENDING),
    "Priority": Field(job_times.priority),
    "QOS": Field(checked("qos", _qos)),
    "Reboot": Field(flag("reboot"), PENDING),
    "ReqNodeList": Field(_req_nodes),
    "Requeue": Field(flag("requeue")),
    "ReservationName": Field(checked("reservation", _reservation)),
    "StartTime": Field(job_times.begin, PENDING),
    "StdErr": Field(text("error"), PENDING),
    "StdIn": Field(text("input"), PENDING),
    "StdOut": Field(text("output"), PENDING),
    "Switches": Field(_switches, PENDING),
    "ThreadSpec": Field(number("thread_spec"), PENDING),
    "TimeLimit": Field(job_times.time_limit),
    "TimeMin": Field(job_times.time_min, PENDING),
    "WaitAllNodes": Field(number("wait_all_nodes"), PENDING),
    "WCKey": Field(text("wckey")),
    "WorkDir": Field(text("work_dir"), PENDING),
}

AFTER_THE_END = frozenset({"AdminComment", "Comment", "Extra", "WCKey"})
"""Fields of a job that has ended."""

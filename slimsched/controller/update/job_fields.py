"""What ``scontrol update JobId=`` can change: one line a field, with its reader and the error if it comes too late."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import dependency, resize
from slimsched.controller.reservations import access
from slimsched.controller.submit import resource_texts, text_checks
from slimsched.controller.update import job_gres, job_sizes, job_times
from slimsched.controller.update.job_change import Change, checked, memory, number, switch, text
from slimsched.errno import Errno
from slimsched.errors import SlurmError
from slimsched.slurm.states import SUSPENDED
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.controller.update.job_change import Reader

THROTTLE = "Update of ArrayTaskThrottle is only allowed on ArrayJobId"


class Field(NamedTuple):
    """How a field is read; ``late`` is the error for a job that no longer waits, None if it may run.

    ``same`` is the attribute of the request that holds the value: one that it has already is no change, and never
    comes too late.
    """

    read: Reader
    late: Errno | None = None
    same: str = ""


def _partition(change: Change, value: str) -> None:
    partitions = change.ctl.cluster.partitions
    names = value.split(",")
    if not value or not partitions.keys() >= set(names):
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    if partitions[names[0]].state not in SUBMITTABLE:
        raise SlurmError(Errno.PARTITION_NOT_AVAIL)
    change.request.partition = value
    change.later.append(lambda: setattr(change.job, "partition", names[0]))


SUBMITTABLE = frozenset({"UP", "DOWN"})
"""States of a partition in which it takes jobs."""


def _extra(change: Change, value: str) -> None:
    text_checks.extra(change.ctl.cluster, value)
    change.request.extra = value


def _dependency(change: Change, value: str) -> None:
    job = change.job
    may_expand = "expand:" in value and resize.permitted(change.ctl)
    left = dependency.resolve(change.ctl.cluster, value, job.job_id, may_expand=may_expand) if value else ""
    change.request.dependency = value
    change.later.append(lambda: setattr(job, "dependency", left))


def _features(change: Change, value: str) -> None:
    change.request.features = text_checks.features(change.ctl.cluster, value, Errno.INVALID_FEATURE)


def _prefer(change: Change, value: str) -> None:
    change.request.prefer = text_checks.features(change.ctl.cluster, value, Errno.INVALID_PREFER)


def _licenses(change: Change, value: str) -> None:
    """Read ``Licenses``; those of a running job change at once, whether they are free or not."""
    job = change.job
    resource_texts.check_licenses(change.ctl.cluster, value)
    if job.state == SUSPENDED:
        raise SlurmError(Errno.JOB_NOT_PENDING_NOR_RUNNING)
    if job.active:
        change.later.append(lambda: setattr(job, "licenses_alloc", value))


def _reservation(change: Change, value: str) -> None:
    user = access.of_job(change.job)
    access.check(change.ctl.cluster, value, user, change.request.account)
    change.later.append(lambda: setattr(change.job, "resv_name", value))


def _account(change: Change, value: str) -> None:
    """Read ``Account``: without associations there is none to change to, and the job stays as it is."""
    if change.ctl.cluster.accounting:
        _associated(change, value.lower(), change.request.qos)
        change.request.account = value


def _qos(change: Change, value: str) -> None:
    """Read ``QOS``; see ``Account``."""
    if not change.ctl.cluster.accounting:
        return
    if not change.job.pending:
        raise SlurmError(Errno.JOB_NOT_PENDING)
    _associated(change, change.request.account, value)
    change.request.qos = value


def _associated(change: Change, account: str, qos: str) -> None:
    """Refuse an account or a QOS that the job's user may not use, where that is enforced."""
    from slimsched.controller.accounts import assoc_limits

    partition = change.partition.partition_name
    assoc_limits.permit(change.ctl.cluster, account, qos, change.job.user_name, partition)


def _throttle(change: Change, value: str) -> None:
    job, limit = change.job, change.count(value)
    if not job.array_job_id:
        raise SlurmError(Errno.NOT_SUPPORTED, detail=THROTTLE)
    change.later.append(lambda: setattr(job, "array_max_tasks", limit))


def _oversubscribe(change: Change, value: str) -> None:
    switch("oversubscribe")(change, value)
    if change.request.oversubscribe:
        change.request.exclusive = ""


def _switches(change: Change, value: str) -> None:
    """Read ``Switches``: a count, perhaps ``@`` and how long to wait for them."""
    count, at, wait = value.partition("@")
    change.request.switches = strtol(count)[0]
    if at:
        change.request.wait_for_switches = job_times.minutes(wait) * 60


def _core_spec(attribute: str, other: str) -> Reader:
    """Return the reader of what is left to the system, which the configuration must allow."""

    def read(change: Change, value: str) -> None:
        if not change.ctl.cluster.config.flag("AllowSpecResourcesUsage"):
            raise SlurmError(Errno.ACCESS_DENIED)
        setattr(change.request, attribute, change.count(value) if value else None)
        setattr(change.request, other, None)

    return read


def _layout(attribute: str) -> Reader:
    """Return the reader of a number of sockets, cores or threads, which only a job has that asked for one of them."""

    def read(change: Change, value: str) -> None:
        request = change.request
        if all(getattr(request, name) is None for name in LAYOUT):
            raise SlurmError(Errno.JOB_NOT_PENDING)
        setattr(request, attribute, change.count(value))

    return read


LAYOUT = (
    *("sockets_per_node", "cores_per_socket", "threads_per_core"),
    *("ntasks_per_socket", "ntasks_per_core"),
)


def _reset_accrual(change: Change, value: str) -> None:
    change.later.append(lambda: setattr(change.job, "accrue_time", 0))


def _delay(change: Change, value: str) -> None:
    change.request.recorded = {**change.request.recorded, "delay-boot": value}


def _mail_user(change: Change, value: str) -> None:
    """Read ``MailUser``, which only a job with mail events has."""
    change.request.mail_user = value if change.request.mail_type else ""


def _admin_comment(change: Change, value: str) -> None:
    """Read ``AdminComment``; ``+=`` adds to the present one."""
    present = change.request.admin_comment or ""
    text("admin_comment")(change, f"{present},{value}" if change.sign and present else value)


def _comment(change: Change, value: str) -> None:
    text("comment")(change, value)


def _site_factor(change: Change, value: str) -> None:
    """Take a site's priority factor, which has no weight here."""


def _unsupported(change: Change, value: str) -> None:
    raise SlurmError(Errno.NOT_SUPPORTED)


def _not_federated(change: Change, value: str) -> None:
    raise SlurmError(Errno.JOB_NOT_FEDERATED)


PENDING = Errno.JOB_NOT_PENDING

FIELDS: dict[str, Field] = {
    "BurstBuffer": Field(_unsupported),
    "ArrayTaskThrottle": Field(_throttle),
    "Partition": Field(_partition, PENDING, "partition"),
    "Account": Field(_account, PENDING),
    "QOS": Field(_qos, same="qos"),
    "ResetAccrueTime": Field(_reset_accrual, PENDING),
    "ReqNodeList": Field(job_sizes.req_nodes),
    "ReservationName": Field(checked("reservation", _reservation), same="reservation"),
    "Gres": Field(job_gres.gres, PENDING),
    "TresPerNode": Field(job_gres.gres, PENDING),
    "TresPerJob": Field(job_gres.gpus("gpus"), PENDING),
    "TresPerSocket": Field(job_gres.gpus("gpus_per_socket"), PENDING),
    "TresPerTask": Field(job_gres.gpus("gpus_per_task"), PENDING),
    "CpusPerTres": Field(job_gres.per_gpu("cpus_per_gpu"), PENDING),
    "MemPerTres": Field(job_gres.per_gpu("mem_per_gpu"), PENDING),
    "Licenses": Field(checked("licenses", _licenses), same="licenses"),
    "ExcNodeList": Field(checked("exclude", job_sizes.named_nodes), PENDING, "exclude"),
    "Switches": Field(_switches),
    "WaitForSwitch": Field(number("wait_for_switches")),
    "AdminComment": Field(_admin_comment),
    "Comment": Field(_comment),
    "Extra": Field(_extra),
    "NumCPUs": Field(job_sizes.num_cpus, PENDING),
    "MinCPUsNode": Field(job_sizes.min_cpus, PENDING),
    "CPUsPerTask": Field(number("cpus_per_task"), PENDING),
    "NumNodes": Field(job_sizes.num_nodes),
    "NumTasks": Field(job_sizes.num_tasks, PENDING),
    "TimeLimit": Field(job_times.time_limit),
    "TimeMin": Field(job_times.time_min),
    "EndTime": Field(job_times.end),
    "Deadline": Field(job_times.deadline),
    "DelayBoot": Field(_delay),
    "Requeue": Field(switch("requeue")),
    "Priority": Field(job_times.priority),
    "Nice": Field(job_times.nice),
    "MinMemoryCPU": Field(memory("mem_per_cpu", "mem_per_node"), Errno.EXTERN_ONLY),
    "MinMemoryNode": Field(memory("mem_per_node", "mem_per_cpu"), Errno.EXTERN_ONLY),
    "MinTmpDiskNode": Field(number("min_tmp_disk"), PENDING),
    "ReqSockets": Field(_layout("sockets_per_node"), PENDING),
    "ReqCores": Field(_layout("cores_per_socket"), PENDING),
    "ReqThreads": Field(_layout("threads_per_core"), PENDING),
    "OverSubscribe": Field(_oversubscribe, PENDING),
    "Contiguous": Field(switch("contiguous"), PENDING),
    "CoreSpec": Field(_core_spec("core_spec", "thread_spec"), PENDING),
    "ThreadSpec": Field(_core_spec("thread_spec", "core_spec"), PENDING),
    "Features": Field(_features, PENDING, "features"),
    "Prefer": Field(_prefer, PENDING, "prefer"),
    "ClusterFeatures": Field(_not_federated),
    "Clusters": Field(_not_federated),
    "JobName": Field(text("name")),
    "WorkDir": Field(text("work_dir"), PENDING, "work_dir"),
    "StdErr": Field(text("error"), PENDING, "error"),
    "StdIn": Field(text("input"), PENDING, "input"),
    "StdOut": Field(text("output"), PENDING, "output"),
    "WCKey": Field(text("wckey")),
    "NtasksPerNode": Field(number("ntasks_per_node"), PENDING),
    "Dependency": Field(_dependency, PENDING),
    "EligibleTime": Field(job_times.begin, PENDING),
    "StartTime": Field(job_times.begin, PENDING),
    "Reboot": Field(switch("reboot"), PENDING),
    "TresBind": Field(text("tres_bind")),
    "TresFreq": Field(text("tres_freq")),
    "MailType": Field(text("mail_type")),
    "MailUser": Field(_mail_user),
    "SiteFactor": Field(_site_factor),
}
"""In the order in which slurmctld looks at them, whatever the order of the command."""

AFTER_THE_END = frozenset({"AdminComment", "Comment", "Extra", "WCKey"})
"""Fields of a job that has ended."""

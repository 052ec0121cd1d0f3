"""``scontrol create``, ``update`` and ``delete`` of partitions."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slimsched.controller import checks
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.model.config import PartitionConf
from slimsched.model.request import INFINITE
from slimsched.slurm import kinds
from slimsched.text import times
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.update_job import Assignment

    Reader = Callable[["Change", Assignment], None]

STATES = ("UP", "DOWN", "DRAIN", "INACTIVE")
UNLIMITED = frozenset({"UNLIMITED", "INFINITE", "-1"})


@dataclass(slots=True)
class Change:
    """A trial copy of the partition."""

    ctl: Controller
    part: PartitionConf


def create(ctl: Controller, name: str, assignments: Sequence[Assignment]) -> None:
    """Add a partition; without nodes it has none. Raises `SlurmError` or `UserError`."""
    if not name or name in ctl.cluster.partitions or not name.isprintable() or "," in name:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    _keep(ctl, _read(ctl, PartitionConf(partition_name=name, min_nodes=1), assignments), "create", assignments)


def update(ctl: Controller, name: str, assignments: Sequence[Assignment]) -> None:
    """Change a partition. Raises `SlurmError` or `UserError`, and changes nothing then."""
    part = ctl.cluster.partitions.get(name)
    if part is None:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    _keep(ctl, _read(ctl, copy.copy(part), assignments), "update", assignments)


def delete(ctl: Controller, name: str) -> None:
    """Remove a partition that no job uses or waits for. Raises `SlurmError`."""
    cluster = ctl.cluster
    if name not in cluster.partitions:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    for job in cluster.jobs.values():
        if not job.finished and name in (job.partition, *job.request.partition.split(",")):
            raise SlurmError(Errno.PARTITION_IN_USE)
    cluster.drop_partition(name)
    _note(ctl, name, "delete")


def _read(ctl: Controller, part: PartitionConf, assignments: Sequence[Assignment]) -> PartitionConf:
    change = Change(ctl, part)
    for item in assignments:
        FIELDS[item.field](change, item)
    return part


def _keep(ctl: Controller, part: PartitionConf, event: str, assignments: Sequence[Assignment]) -> None:
    cluster = ctl.cluster
    if part.default:
        for other in list(cluster.partitions.values()):
            if other.default and other.partition_name != part.partition_name:
                plain = copy.copy(other)
                plain.default = False
                cluster.add_partition(plain)
                cluster.dirty_partitions.add(plain.partition_name)
    cluster.add_partition(part)
    _note(ctl, part.partition_name, event, " ".join(f"{a.field}{a.sign}={a.value}" for a in assignments))


def _note(ctl: Controller, name: str, event: str, fields: str = "") -> None:
    cluster = ctl.cluster
    cluster.dirty_partitions.add(name)
    cluster.pass_due = True
    cluster.changed("partitions", "complexes-queue")
    ctl.select.reconfigure()
    cluster.record(f"partition-{event}", partition=name, fields=fields)


# readers


def _invalid(item: Assignment) -> UserError:
    return UserError(f"Invalid input: {item.written}\nRequest aborted")


def _text(attribute: str) -> Reader:
    return lambda change, item: setattr(change.part, attribute, item.value)


def _names(attribute: str, everybody: str) -> Reader:
    """Return the reader of a list of names, nobody in particular being ``everybody``; ``+=`` and ``-=`` change it."""

    def read(change: Change, item: Assignment) -> None:
        present = getattr(change.part, attribute)
        kept = [] if not item.sign or present == everybody else present.split(",")
        named = [name for name in item.value.split(",") if name]
        if item.sign == "-":
            named = [name for name in kept if name not in named]
        else:
            named = [*kept, *(name for name in named if name not in kept)]
        setattr(change.part, attribute, ",".join(named) or everybody)

    return read


def _priority(change: Change, item: Assignment) -> None:
    """Read ``Priority``, which older configurations have for tier and factor together."""
    for attribute in ("priority_tier", "priority_job_factor"):
        _count(attribute)(change, item)


def _other(change: Change, item: Assignment) -> None:
    """Keep what is not used."""
    change.part.other = {**change.part.other, item.field: item.value}


def _yes(attribute: str) -> Reader:
    def read(change: Change, item: Assignment) -> None:
        value = kinds.yes_no(item.value)
        if value is None:
            raise _invalid(item)
        setattr(change.part, attribute, value)

    return read


def _count(attribute: str, *, unlimited: bool = False) -> Reader:
    def read(change: Change, item: Assignment) -> None:
        if unlimited and item.value.upper() in UNLIMITED:
            setattr(change.part, attribute, None)
        elif is_number(item.value, 10):
            setattr(change.part, attribute, int(item.value))
        else:
            raise _invalid(item)

    return read


def _minutes(attribute: str) -> Reader:
    def read(change: Change, item: Assignment) -> None:
        if item.value.upper() == "NONE":
            setattr(change.part, attribute, None)
            return
        try:
            minutes = times.minutes(item.value)
        except SyntaxFault:
            raise _invalid(item) from None
        endless = minutes == INFINITE and attribute == "max_time"
        setattr(change.part, attribute, None if endless else minutes)

    return read


def _state(change: Change, item: Assignment) -> None:
    word = item.value.upper()
    if word not in STATES:
        raise UserError(f"Invalid input: {item.written}\nAcceptable State values are UP, DOWN, DRAIN and INACTIVE")
    change.part.state = word


def _nodes(change: Change, item: Assignment) -> None:
    """Read ``Nodes``; ``Nodes+=`` adds some, ``Nodes-=`` takes some away."""
    cluster = change.ctl.cluster
    named = checks.node_set(cluster, item.value)
    if item.sign:
        have = checks.node_set(cluster, change.part.nodes)
        named = have | named if item.sign == "+" else have & ~named
    everything = bitmap.full(len(cluster.nodes))
    change.part.nodes = "ALL" if named == everything and item.value.upper() == "ALL" else cluster.hostlist_of(named)


def _complexes(change: Change, item: Assignment) -> None:
    from slimsched.constraints.complexes import entries
    from slimsched.controller import complex_values, complexes

    complexes.changed(change.ctl)
    change.part.complexes = entries.write(complex_values.read(change.ctl.cluster, item.value))


FIELDS: dict[str, Reader] = {
    "AllocNodes": _text("allow_alloc_nodes"),
    "AllowAccounts": _names("allow_accounts", "ALL"),
    "AllowGroups": _names("allow_groups", "ALL"),
    "AllowQos": _names("allow_qos", "ALL"),
    "Alternate": _text("alternate"),
    "Complexes": _complexes,
    "CpuBind": _other,
    "Default": _yes("default"),
    "DefaultTime": _minutes("default_time"),
    "DefMemPerCPU": _count("def_mem_per_cpu", unlimited=True),
    "DefMemPerNode": _count("def_mem_per_node", unlimited=True),
    "DenyAccounts": _names("deny_accounts", ""),
    "DenyQos": _names("deny_qos", ""),
    "DisableRootJobs": _yes("disable_root_jobs"),
    "ExclusiveTopo": _other,
    "ExclusiveUser": _yes("exclusive_user"),
    "GraceTime": _count("grace_time"),
    "Hidden": _yes("hidden"),
    "JobDefaults": _text("job_defaults"),
    "LLN": _yes("lln"),
    "MaxCPUsPerNode": _count("max_cpus_per_node", unlimited=True),
    "MaxCPUsPerSocket": _count("max_cpus_per_socket", unlimited=True),
    "MaxMemPerCPU": _count("max_mem_per_cpu", unlimited=True),
    "MaxMemPerNode": _count("max_mem_per_node", unlimited=True),
    "MaxNodes": _count("max_nodes", unlimited=True),
    "MaxTime": _minutes("max_time"),
    "MinNodes": _count("min_nodes"),
    "Nodes": _nodes,
    "OverSubscribe": _text("over_subscribe"),
    "OverTimeLimit": _text("over_time_limit"),
    "PowerDownOnIdle": _other,
    "PreemptMode": _text("preempt_mode"),
    "Priority": _priority,
    "PriorityJobFactor": _count("priority_job_factor"),
    "PriorityTier": _count("priority_tier"),
    "QoS": _text("qos"),
    "ReqResv": _yes("req_resv"),
    "RootOnly": _yes("root_only"),
    "State": _state,
    "TRESBillingWeights": _text("tres_billing_weights"),
}
"""Field of ``scontrol update PartitionName=`` -> its reader."""

"""Partitions: the keys of ``scontrol create`` and ``update PartitionName=``, and ``delete``."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import builtin
from slimsched.controller.requests import rights, text_checks
from slimsched.controller.update import fields
from slimsched.controller.update.fields import ABORTED, NOT_SUPPORTED, Change, Field, Given, Request, u16, u32, u64
from slimsched.errors import PluginError, SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.model.config import PartitionConf
from slimsched.model.request import INFINITE
from slimsched.model.resources import CPUS, MEMORY
from slimsched.slurm import kinds, numbers
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from slimsched.controller.core import Controller
    from slimsched.controller.update.fields import KeyValue, Reader

    PartitionChange = Change[PartitionConf]

ENDLESS = frozenset({"UNLIMITED", "INFINITE"})
STATES = ("INACTIVE", "DOWN", "UP", "DRAIN")
SHARING = ("NO", "EXCLUSIVE", "YES", "FORCE")
PREEMPTION = frozenset({"OFF", "CANCEL", "REQUEUE", "SUSPEND", "PRIORITY", "WITHIN"})
DEFAULT_SHARE = "4"


def parse(texts: Iterable[str]) -> Request:
    """Return the partition that words name, and what to change of it. Raises `UserError`."""
    given = fields.read(texts, FIELDS, _refuse)
    name = next(item.text for item in given if item.field.name == "PartitionName")
    return Request(name, [item for item in given if item.field.name != "PartitionName"])


def _refuse(word: KeyValue, field: Field | None) -> UserError:
    if word.text is None:
        return UserError(f"Invalid input: {word.written}  {ABORTED}")
    said = NOT_SUPPORTED.format(word.written)
    return UserError(f"scontrol: error: {said}\n\nscontrol: error: {ABORTED}", level="plain")


def create(ctl: Controller, request: Request) -> None:
    """Add a partition; without nodes it has none. Raises `SlurmError` or `UserError`."""
    rights.require(ctl.cluster, rights.ADMINISTRATOR)
    name = request.name
    if not name or name in ctl.cluster.partitions or not name.isprintable() or "," in name:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    _change(ctl, PartitionConf(partition_name=name, min_nodes=1), request, "create")


def update(ctl: Controller, request: Request) -> None:
    """Change a partition. Raises `SlurmError` or `UserError`, and changes nothing then."""
    rights.require(ctl.cluster, rights.ADMINISTRATOR)
    part = ctl.cluster.partitions.get(request.name)
    if part is None:
        raise _unknown(ctl, request.name)
    _change(ctl, copy.copy(part), request, "update")


def delete(ctl: Controller, name: str) -> None:
    """Remove a partition that no job uses or waits for. Raises `SlurmError`."""
    cluster = ctl.cluster
    rights.require(cluster, rights.ADMINISTRATOR)
    if name not in cluster.partitions:
        raise _unknown(ctl, name)
    for job in cluster.jobs.values():
        if not job.finished and name in (job.partition, *job.request.partition.split(",")):
            raise SlurmError(Errno.PARTITION_IN_USE)
    cluster.drop_partition(name)
    _note(ctl, name, "delete")


def _unknown(ctl: Controller, name: str) -> SlurmError:
    from slimsched.controller.requests import strangers

    return SlurmError(Errno.INVALID_PARTITION_NAME, notes=strangers.notes(ctl.cluster, "partition", [name]))


def _change(ctl: Controller, part: PartitionConf, request: Request, event: str) -> None:
    """Put the fields on a trial copy and keep it; there is one default partition at most."""
    change = Change(ctl, part)
    change.put(request.fields)
    cluster = ctl.cluster
    if part.default:
        for other in list(cluster.partitions.values()):
            if other.default and other.partition_name != part.partition_name:
                plain = copy.copy(other)
                plain.default = False
                cluster.add_partition(plain)
                cluster.dirty_partitions.add(plain.partition_name)
    cluster.add_partition(part)
    change.finish()
    _note(ctl, part.partition_name, event, " ".join(map(str, request.fields)))


def _note(ctl: Controller, name: str, event: str, fields: str = "") -> None:
    cluster = ctl.cluster
    cluster.dirty_partitions.add(name)
    cluster.pass_due = True
    cluster.changed("partitions", "complexes-queue")
    cluster.record(f"partition-{event}", partition=name, fields=fields)
    tell(ctl)


def reset(ctl: Controller) -> None:
    """Void what commands changed in partitions, in the features of nodes and in settings.

    The plugin is told by `tell`.
    """
    cluster = ctl.cluster
    cluster.settings.clear()
    cluster.reset_partitions()
    cluster.reset_features()
    cluster.record("reconfigure")
    cluster.pass_due = True


def tell(ctl: Controller) -> None:
    """Let the select plugin know that partitions have changed. Raises `PluginError`; the change holds all the same."""
    try:
        ctl.select.reconfigure()
    except PluginError as fault:
        fault.commits = True
        raise


# readers, of the text alone


def _wrong(given: Given, *said: str, known: tuple[str, ...] = ()) -> UserError:
    """Return a refusal that quotes the whole word; with what was meant of what is ``known``."""
    from slimsched.text import alike

    notes = alike.hint(given.field.name, given.text, known)
    return UserError("\n".join((f"Invalid input: {given.written}", *said)), notes=notes)


def _beginning(text: str, known: tuple[str, ...]) -> str:
    """Return the first known word that a text is or begins, "" for none."""
    upper = text.upper()
    return next((word for word in known if upper and word.startswith(upper)), "")


def _yes(given: Given) -> bool:
    answer = kinds.yes_no(given.text)
    if answer is None:
        raise _wrong(given, f"Acceptable {given.field.name} values are YES and NO")
    return answer


def _minutes(given: Given) -> int:
    try:
        return fields.minutes(given)
    except UserError:
        raise UserError(f"Invalid input {given.written}") from None


def _most_minutes(given: Given) -> int | None:
    minutes = _minutes(given)
    return None if minutes == INFINITE else minutes


def _or_endless(read: Reader) -> Reader:
    return lambda given: None if given.text.upper() in ENDLESS else read(given)


def _max_nodes(given: Given) -> int:
    try:
        return numbers.count_range(given.text, given.field.name)[0]
    except SyntaxFault as fault:
        raise UserError(fault.message) from None


def _over_time(given: Given) -> str:
    return "UNLIMITED" if given.text.upper() in ENDLESS else str(u16(given))


def _state(given: Given) -> str:
    found = _beginning(given.text, STATES)
    if not found:
        raise _wrong(given, "Acceptable State values are UP, DOWN, DRAIN and INACTIVE", known=STATES)
    return found


def _sharing(given: Given) -> str:
    word, colon, count = given.text.partition(":")
    found = _beginning(word, SHARING)
    if not found:
        raise _wrong(given, "Acceptable OverSubscribe values are NO, EXCLUSIVE, YES:#, and FORCE:#")
    if found not in {"YES", "FORCE"}:
        return found
    return f"{found}:{count if colon and count.isdigit() else DEFAULT_SHARE}"


def _preemption(given: Given) -> str:
    words = given.text.upper().split(",")
    if "GANG" in words:
        raise UserError("PreemptMode=GANG is a cluster-wide option and cannot be set at partition level")
    if not PREEMPTION.issuperset(words):
        raise _wrong(given)
    return given.text.upper()


# what a value changes


def _names(attribute: str, everybody: str) -> Callable[[PartitionChange, Given], None]:
    """Return what puts a list of names, nobody in particular being ``everybody``; ``+=`` and ``-=`` change it."""

    def put(change: PartitionChange, given: Given) -> None:
        present = getattr(change.trial, attribute)
        named = numbers.names("" if present == everybody else present, given.sign, given.text)
        setattr(change.trial, attribute, named or everybody)

    return put


def _priority(change: PartitionChange, given: Given) -> None:
    """Put ``Priority``, which older configurations have for tier and factor together."""
    change.trial.priority_tier = change.trial.priority_job_factor = given.value


def _other(change: PartitionChange, given: Given) -> None:
    """Keep what is not used."""
    value = given.text if given.field.read is fields.as_given else kinds.yes_or_no(given.value)
    change.trial.other = {**change.trial.other, given.field.name: value}


def _nodes(change: PartitionChange, given: Given) -> None:
    """Put ``Nodes``; ``Nodes+=`` adds some, ``Nodes-=`` takes some away."""
    cluster = change.ctl.cluster
    named = text_checks.node_set(cluster, given.text, sets=True)
    if given.sign:
        have = text_checks.node_set(cluster, change.trial.nodes, sets=True)
        named = have | named if given.sign == "+" else have & ~named
    everything = bitmap.full(len(cluster.nodes))
    change.trial.nodes = "ALL" if named == everything and given.text.upper() == "ALL" else cluster.hostlist_of(named)


def _complexes(change: PartitionChange, given: Given) -> None:
    from slimsched.constraints.complexes import entries
    from slimsched.controller.gridengine import complexes, definitions

    change.trial.complexes = entries.write(definitions.read(change.ctl.cluster, given.text))
    change.later.append(lambda: complexes.changed(change.ctl))


def _job_defaults(change: PartitionChange, given: Given) -> None:
    pairs = [item.partition("=") for item in filter(None, given.text.split(","))]
    known = {CPUS.lower(), MEMORY.lower()}
    if any(name.strip().lower() not in known or not is_number(value) for name, _, value in pairs):
        raise SlurmError(Errno.INVALID_JOB_DEFAULTS)
    change.trial.job_defaults = given.text
    change.trial.def_cpu_per_gpu = change.trial.def_mem_per_gpu = None


def _limit(change: PartitionChange, given: Given) -> None:
    from slimsched.controller.gridengine import complexes, definitions

    part = change.trial
    part.resource_limits = definitions.limit(change.ctl, part.resource_limits, given.field.name, given.text)
    change.later.append(lambda: complexes.changed(change.ctl))


def _put_qos(change: Change[PartitionConf], given: Given) -> None:
    """Put ``QoS``, which must be defined where accounting is kept."""
    from slimsched.model.account import Book

    cluster = change.ctl.cluster
    kept = cluster.config.names_slurmdbd or cluster.accounting
    if given.text and kept and not Book(cluster).get("qos", given.text.lower()):
        raise SlurmError(Errno.INVALID_QOS)
    change.trial.qos = given.text


FIELDS = (
    Field("PartitionName", 2),
    Field("MaxTime", 4, _most_minutes, "max_time"),
    Field("CpuBind", 7, put=_other),
    Field("DefaultTime", 8, _minutes, "default_time"),
    Field("MaxCPUsPerNode", 4, _or_endless(u32), "max_cpus_per_node"),
    Field("MaxCPUsPerSocket", 11, _or_endless(u32), "max_cpus_per_socket"),
    Field("MaxNodes", 4, _or_endless(_max_nodes), "max_nodes"),
    Field("MinNodes", 2, fields.node_count, "min_nodes"),
    Field("Default", 7, _yes, "default"),
    Field("DisableRootJobs", 1, _yes, "disable_root_jobs"),
    Field("ExclusiveUser", 10, _yes, "exclusive_user"),
    Field("ExclusiveTopo", 10, _yes, _other),
    Field("Hidden", 1, _yes, "hidden"),
    Field("LLN", 1, _yes, "lln"),
    Field("RootOnly", 3, _yes, "root_only"),
    Field("ReqResv", 3, _yes, "req_resv"),
    Field("OverSubscribe", 5, _sharing, "over_subscribe"),
    Field("Shared", 2, means="OverSubscribe"),
    Field("OverTimeLimit", 5, _over_time, "over_time_limit"),
    Field("PowerDownOnIdle", 2, _yes, _other),
    Field("PreemptMode", 3, _preemption, "preempt_mode"),
    Field("Priority", 3, u16, _priority),
    Field("PriorityJobFactor", 3, u16, "priority_job_factor"),
    Field("PriorityTier", 3, u16, "priority_tier"),
    Field("State", 2, _state, "state"),
    Field("Nodes", 1, put=_nodes, signed=True),
    Field("AllowGroups", 6, put=_names("allow_groups", "ALL"), signed=True),
    Field("AllowAccounts", 6, put=_names("allow_accounts", "ALL"), signed=True),
    Field("AllowQos", 6, put=_names("allow_qos", "ALL"), signed=True),
    Field("DenyAccounts", 5, put=_names("deny_accounts", ""), signed=True),
    Field("DenyQos", 5, put=_names("deny_qos", ""), signed=True),
    Field("AllocNodes", 6, put="allow_alloc_nodes"),
    Field("Alternate", 3, put="alternate"),
    Field("GraceTime", 5, u32, "grace_time"),
    Field("DefMemPerCPU", 10, _or_endless(u64), "def_mem_per_cpu"),
    Field("DefMemPerNode", 10, _or_endless(u64), "def_mem_per_node"),
    Field("MaxMemPerCPU", 10, _or_endless(u64), "max_mem_per_cpu"),
    Field("MaxMemPerNode", 10, _or_endless(u64), "max_mem_per_node"),
    Field("QoS", 3, put=_put_qos),
    Field("JobDefaults", 5, put=_job_defaults),
    Field("TRESBillingWeights", 8, put="tres_billing_weights"),
    Field("Complexes", 7, put=_complexes),
    *(Field(name, len(name), put=_limit) for name in builtin.LIMITS if name != "h_rt"),
)
"""In the order in which they are looked for."""

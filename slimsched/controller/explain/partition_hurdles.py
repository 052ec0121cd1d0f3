"""Hurdles that a partition's own settings are: whom it lets in, and the most that it gives to a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain.answer import NEVER, Hurdle, Remedy
from slimsched.controller.explain.commands import resize, update
from slimsched.controller.requests import defaults, partition_limits
from slimsched.model.account import NORMAL
from slimsched.model.request import INFINITE
from slimsched.slurm import reasons
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


def barred(ctl: Controller, job: Job, part: PartitionConf) -> Hurdle:
    """Return the hurdle of a partition's lists of groups, accounts and QOS, all that it has."""
    shown = [
        f"{what} {name} ({f'denied: {denied}' if denied else f'Allow{key}={allowed}'})"
        for what, key, name, allowed, denied in _lists(job, part)
        if denied or allowed.upper() != ALL
    ]
    text = f"partition {part.partition_name} does not let it in: {', '.join(shown)}"
    changes = [*_open_partitions(ctl, job), *_admission(job, part)]
    return Hurdle("access", text, NEVER, 0, changes or [Remedy("ask for another partition", "", 3)])


ALL = "ALL"


def _lists(job: Job, part: PartitionConf) -> tuple[tuple[str, str, str, str, str], ...]:
    """Return for each pair of lists what is in it, its key, the job's name there, and those allowed and denied."""
    return (
        ("group", "Groups", job.group_name, part.allow_groups, ""),
        ("account", "Accounts", job.request.account, part.allow_accounts, part.deny_accounts),
        ("QOS", "Qos", job.request.qos or NORMAL, part.allow_qos, part.deny_qos),
    )


def _open_partitions(ctl: Controller, job: Job) -> Iterator[Remedy]:
    """Yield the change to a partition that would take the job."""
    for name, part in ctl.cluster.partitions.items():
        if partition_limits.reason(ctl.cluster, job, part) is None:
            yield Remedy(f"ask for partition {name}", update(job, f"partition={name}"), 3)
            return


def _admission(job: Job, part: PartitionConf) -> Iterator[Remedy]:
    """Yield the changes of the lists that keep the job out."""
    for what, key, name, allowed, denied in _lists(job, part):
        words = []
        if what != "group" or not partition_limits.lets_in_group(part, job.user_id, name):
            words += [f"allow{key.lower()}={allowed},{name}"] * (not partition_limits.open_to(allowed, "", name))
        if name in denied.split(","):
            words.append(f"deny{key.lower()}={','.join(each for each in denied.split(',') if each != name)}")
        for word in words if name else ():
            yield Remedy(f"let {what} {name} in", f"sim scontrol update partitionname={part.partition_name} {word}", 6)


def limit(ctl: Controller, job: Job, part: PartitionConf, reason: str) -> Hurdle:
    """Return the hurdle of a partition's limit with the values compared."""
    request, name = job.request, part.partition_name
    if reason == reasons.PARTITION_TIME and part.max_time is not None:
        asked = request.time_min if request.time_min is not None else request.time_limit
        most = times.limit(part.max_time)
        text = f"TimeLimit={times.limit(INFINITE if asked is None else asked)}, partition {name} allows {most}"
        return Hurdle("limit", text, NEVER, 0, [Remedy("ask for less time", update(job, f"timelimit={most}"), 2)])
    wanted, most = _compared(ctl, job, part, reason)
    return Hurdle("limit", f"{wanted}, partition {name} allows {most}", NEVER, 0, _other_amount(ctl, job, part, reason))


def _other_amount(ctl: Controller, job: Job, part: PartitionConf, reason: str) -> list[Remedy]:
    """Return how a job could keep a partition's limit on its size."""
    most, asked = most_nodes(ctl, part), job.request.min_nodes or 1
    if reason == reasons.PARTITION_NODES and part.min_nodes <= most and not part.min_nodes <= asked <= most:
        return [resize(ctl, job, most if asked > most else part.min_nodes)]
    if reason == reasons.MEMORY_LIMIT:
        memory = most_memory(ctl, part)
        return [Remedy(f"ask for {memory} MB", update(job, f"minmemorynode={memory}"), 4)]
    return [Remedy("ask for a different amount")]


def most_memory(ctl: Controller, part: PartitionConf) -> int:
    """Return the most memory (MB) that a partition gives to a job on a node, 0 for any."""
    return part.max_mem_per_node or ctl.cluster.config.number("MaxMemPerNode")


def most_nodes(ctl: Controller, part: PartitionConf) -> int:
    """Return the most nodes that a partition gives to a job."""
    nodes = ctl.cluster.partition_bitmap(part.partition_name).bit_count()
    return nodes if part.max_nodes is None else min(nodes, part.max_nodes)


def _compared(ctl: Controller, job: Job, part: PartitionConf, reason: str) -> tuple[str, str]:
    """Return what a job wants and what a partition allows, in words."""
    request, name = job.request, part.partition_name
    if reason == reasons.PARTITION_NODES:
        nodes = ctl.cluster.partition_bitmap(name).bit_count()
        most = most_nodes(ctl, part)
        return f"NumNodes={request.min_nodes or 1}", f"{max(1, part.min_nodes)} to {most} of its {nodes} nodes"
    if reason == reasons.PARTITION_CONFIG:
        return f"NumCPUs={defaults.min_cpus(request)}", f"{ctl.cluster.partition_cpus(name)}, all that it has"
    return f"MinMemoryNode={request.mem_per_node or 0}M", f"{most_memory(ctl, part)}M"

"""Partitions and reservations in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.model.bitmap import iterate
from slimsched.model.request import INFINITE
from slimsched.model.resources import capacity
from slimsched.priority.tres import billed
from slimsched.render.json.table import NONE, NOTHING, ZERO, Table
from slimsched.render.json.types import flags, number, same, text, whole, words
from slimsched.render.nodes.sinfo_fields import over_subscribe
from slimsched.render.units import job_defaults, tres

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation

PREEMPTION = flags("SUSPEND", "REQUEUE", "CANCEL", "GANG", "PRIORITY")
PARTITION_FLAGS = flags("DEFAULT", "HIDDEN", "NO_ROOT", "ROOT_ONLY", "REQ_RESV", "LLN")
RESERVATION_FLAGS = flags(
    "MAINT", "DAILY", "WEEKLY", "IGNORE_JOBS", "ANY_NODES", "STATIC", "PART_NODES", "OVERLAP", "SPEC_NODES",
    "TIME_FLOAT", "REPLACE", "ALL_NODES", "PURGE_COMP", "WEEKDAY", "WEEKEND", "FLEX", "NO_HOLD_JOBS_AFTER_END",
    "REPLACE_DOWN", "MAGNETIC", "HOURLY", "USER_DELETE", "FORCE_START",
)  # fmt: skip


class Members:
    """Something with nodes: a partition or a reservation."""

    def __init__(self, cluster: Cluster, mask: int) -> None:
        self.cluster, self.mask = cluster, mask
        self.nodes: list[Node] = [cluster.nodes[i] for i in iterate(mask)]
        self.there = capacity(self.nodes)


class Part(Members):
    """A partition with its nodes."""

    def __init__(self, part: PartitionConf, cluster: Cluster) -> None:
        super().__init__(cluster, cluster.partition_bitmap(part.partition_name))
        self.conf = part

    @property
    def tres(self) -> str:
        """What its nodes have together."""
        return tres(self.cluster.config, billed(self.cluster, self.conf, self.there))

    @property
    def exclusive(self) -> str:
        """What a job has for itself alone."""
        whole_nodes = self.conf.over_subscribe.upper() == "EXCLUSIVE"
        return "NODE" if whole_nodes else "USER" if self.conf.exclusive_user else "NO"


class Reserved(Members):
    """A reservation with its nodes."""

    def __init__(self, resv: Reservation, cluster: Cluster) -> None:
        super().__init__(cluster, cluster.bitmap_of(resv.nodes))
        self.resv = resv


def _named(names: str) -> str:
    """Return who is named, "" if everybody is meant."""
    return "" if names.upper() in {"ALL", "N/A"} else names


def _limit(value: int | None) -> int:
    return INFINITE if value is None else value


def _over_time(part: Part) -> int | None:
    given = part.conf.over_time_limit.upper()
    return INFINITE if given == "UNLIMITED" else int(given) if given.isdigit() else None


def _per_node(kind: str) -> Callable[[Part], int | None]:
    """Return the getter of memory by node, 0 for any, None if it goes by CPU."""

    def amount(part: Part) -> int | None:
        per_cpu = getattr(part.conf, f"{kind}_mem_per_cpu")
        return None if per_cpu is not None else getattr(part.conf, f"{kind}_mem_per_node") or 0

    return amount


def _preemption(part: Part) -> list[str]:
    mode = part.conf.preempt_mode.upper()
    if mode in {"", "OFF"}:
        return ["DISABLED" if mode else "CLUSTER_GLOBAL"]
    return PREEMPTION(words(mode))


PARTITION: Table[Part] = Table(
    ("nodes/allowed_allocation", _named, lambda part: part.conf.allow_alloc_nodes),
    ("accounts/allowed", _named, lambda part: part.conf.allow_accounts),
    ("groups/allowed", _named, lambda part: part.conf.allow_groups),
    ("qos/allowed", _named, lambda part: part.conf.allow_qos),
    ("alternate", text, lambda part: part.conf.alternate),
    ("tres/billing_weights", text, lambda part: part.conf.tres_billing_weights),
    ("cluster", text, NOTHING),
    ("select_type", words, lambda part: part.conf.select_type_parameters.upper()),
    ("cpus/task_binding", same, NONE),
    ("defaults/partition_memory_per_cpu", number, lambda part: part.conf.def_mem_per_cpu),
    ("defaults/partition_memory_per_node", number, _per_node("def")),
    ("defaults/time", number, lambda part: part.conf.default_time),
    ("accounts/deny", text, lambda part: part.conf.deny_accounts),
    ("qos/deny", text, lambda part: part.conf.deny_qos),
    ("flags", PARTITION_FLAGS, lambda part: _flags(part.conf)),
    ("partition/exclusive", text, lambda part: part.exclusive),
    ("grace_time", whole, lambda part: part.conf.grace_time),
    ("defaults/job", text, lambda part: job_defaults(part.cluster.config, part.conf)),
    ("maximums/cpus_per_node", number, lambda part: _limit(part.conf.max_cpus_per_node)),
    ("maximums/cpus_per_socket", number, lambda part: _limit(part.conf.max_cpus_per_socket)),
    ("maximums/partition_memory_per_cpu", number, lambda part: part.conf.max_mem_per_cpu),
    ("maximums/partition_memory_per_node", number, _per_node("max")),
    ("maximums/nodes", number, lambda part: _limit(part.conf.max_nodes)),
    ("partition/oversubscribe", text, lambda part: over_subscribe(part.conf)),
    ("maximums/time", number, lambda part: _limit(part.conf.max_time)),
    ("minimums/nodes", whole, lambda part: part.conf.min_nodes),
    ("name", text, lambda part: part.conf.partition_name),
    ("nodes/configured", text, lambda part: part.conf.nodes),
    ("node_sets", text, lambda part: part.cluster.config.sets_in(part.conf.nodes)),
    ("maximums/over_time_limit", number, _over_time),
    ("preempt_mode", same, _preemption),
    ("priority/job_factor", whole, lambda part: part.conf.priority_job_factor),
    ("priority/tier", whole, lambda part: part.conf.priority_tier),
    ("qos/assigned", _named, lambda part: part.conf.qos),
    ("timeouts/resume", number, lambda part: part.conf.resume_timeout),
    ("topology", text, NOTHING),
    ("partition/state", same, lambda part: [part.conf.state]),
    ("suspend_time", number, lambda part: INFINITE if part.conf.suspend_time == -1 else part.conf.suspend_time),
    ("timeouts/suspend", number, lambda part: part.conf.suspend_timeout),
    ("cpus/total", whole, lambda part: part.there["cpu"]),
    ("nodes/total", whole, lambda part: len(part.nodes)),
    ("tres/configured", text, lambda part: part.tres),
)
RESERVATION: Table[Reserved] = Table(
    ("accounts", text, lambda held: held.resv.accounts),
    ("burst_buffer", text, lambda held: held.resv.burst_buffer),
    ("core_count", whole, lambda held: held.resv.core_cnt or _cores(held.nodes)),
    ("core_specializations", same, lambda held: [
        {"node": node, "core": "0" if count == 1 else f"0-{count - 1}"} for node, count in held.resv.cores.items()
    ]),
    ("end_time", number, lambda held: held.resv.end_time),
    ("features", text, lambda held: held.resv.features),
    ("flags", RESERVATION_FLAGS, lambda held: held.resv.flags),
    ("groups", text, lambda held: held.resv.groups),
    ("licenses", text, lambda held: held.resv.licenses),
    ("max_start_delay", whole, lambda held: held.resv.max_start_delay),
    ("name", text, lambda held: held.resv.name),
    ("node_count", whole, lambda held: held.resv.node_cnt or len(held.nodes)),
    ("node_list", text, lambda held: held.resv.nodes),
    ("partition", text, lambda held: held.resv.partition),
    ("purge_completed/time", number, ZERO),
    ("start_time", number, lambda held: held.resv.start_time),
    ("tres", text, lambda held: held.resv.tres or f"cpu={held.there['cpu']}"),
    ("users", text, lambda held: held.resv.users),
)  # fmt: skip


def _flags(part: PartitionConf) -> dict[str, bool]:
    return {
        "DEFAULT": part.default, "HIDDEN": part.hidden, "NO_ROOT": part.disable_root_jobs,
        "ROOT_ONLY": part.root_only, "REQ_RESV": part.req_resv, "LLN": part.lln,
    }  # fmt: skip


def _cores(nodes: list[Node]) -> int:
    return sum(node.sockets * node.cores_per_socket for node in nodes)


def partition(part: PartitionConf, cluster: Cluster) -> dict[str, Any]:
    """Return one partition."""
    return PARTITION.of(Part(part, cluster))


def reservation(resv: Reservation, cluster: Cluster) -> dict[str, Any]:
    """Return one reservation."""
    return RESERVATION.of(Reserved(resv, cluster))

"""Lines of ``sinfo``, nodes, partitions and reservations in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from slimsched import SLURM_VERSION
from slimsched.model.bitmap import iterate
from slimsched.model.request import INFINITE
from slimsched.render.job_view import tres
from slimsched.render.json_text import number
from slimsched.render.sinfo_fields import address, free_memory, gres_used, hostname, port

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation
    from slimsched.render.node_view import NodeView
    from slimsched.render.sinfo_rows import Row


def row(line: Row) -> dict[str, Any]:
    """Return one line of ``sinfo``."""
    busy, idle, other, total = line.node_counts()
    used, free, rest, cpus = line.cpu_counts()
    first = line.nodes[0].node if line.nodes else None
    names = [view.node.name for view in line.nodes]
    memory = {"minimum": number(_least(line, free_memory)), "maximum": number(_most(line, free_memory))}
    return {
        "port": int(port(line.nodes[0])) if first else 0,
        "node": {"state": line.nodes[0].full.split("+") if first else []},
        "nodes": {"allocated": busy, "idle": idle, "other": other, "total": total,
                  "hostnames": [], "addresses": [], "nodes": names},
        "cpus": {"allocated": used, "idle": free, "other": rest, "total": cpus, **_range(line, "cpus"),
                 "load": {"minimum": 0, "maximum": 0}, "per_node": {"max": _limit(line.part.max_cpus_per_node)}},
        "sockets": _range(line, "sockets"),
        "cores": _range(line, "cores_per_socket"),
        "threads": _range(line, "threads_per_core"),
        "disk": _range(line, "tmp_disk"),
        "memory": {**_range(line, "real_memory"), "free": memory,
                   "allocated": line.nodes[0].memory_used if first else 0},
        "weight": _range(line, "weight"),
        "features": {"total": first.features if first else "", "active": first.active_features if first else ""},
        "gres": {"total": first.gres if first else "", "used": gres_used(line.nodes[0]) if first else ""},
        "cluster": "",
        "comment": first.comment if first else "",
        "extra": first.extra if first else "",
        "reason": _reason(first),
        "reservation": line.nodes[0].reservation if first else "",
        "reason_set_by_user": first.reason_user if first and first.reason else "",
        "resource_spec": {"cpus": "", "memory": 0},
        "partition": partition(line.part, line.cluster),
    }  # fmt: skip


def _reason(node: Node | None) -> dict[str, Any]:
    return {"description": node.reason, "time": node.reason_time} if node else {"description": "", "time": 0}


def _least(line: Row, value: Callable[[NodeView], int]) -> int:
    return min(map(value, line.nodes), default=0)


def _most(line: Row, value: Callable[[NodeView], int]) -> int:
    return max(map(value, line.nodes), default=0)


def _range(line: Row, name: str) -> dict[str, int]:
    def value(view: NodeView) -> int:
        return int(getattr(view.node, name))

    return {"minimum": _least(line, value), "maximum": _most(line, value)}


def _limit(value: int | None) -> dict[str, Any]:
    """Return a limit that may be without end."""
    return number(value, infinite=value is None or value == INFINITE)


def partition(part: PartitionConf, cluster: Cluster) -> dict[str, Any]:
    """Return one partition."""
    nodes = [cluster.nodes[i] for i in iterate(cluster.partition_bitmap(part.partition_name))]
    cpus, memory = sum(node.cpus for node in nodes), sum(node.real_memory for node in nodes)
    return {
        "nodes": {"allowed_allocation": _named(part.allow_alloc_nodes), "configured": part.nodes, "total": len(nodes)},
        "accounts": {"allowed": _named(part.allow_accounts), "deny": part.deny_accounts},
        "groups": {"allowed": _named(part.allow_groups)},
        "qos": {"allowed": _named(part.allow_qos), "deny": part.deny_qos, "assigned": part.qos.replace("N/A", "")},
        "alternate": part.alternate,
        "tres": {"billing_weights": part.tres_billing_weights, "configured": tres(cpus, memory, len(nodes), cpus)},
        "cluster": "",
        "select_type": ["NONE"],
        "cpus": {"task_binding": [], "total": cpus},
        "defaults": {"partition_memory_per_cpu": number(part.def_mem_per_cpu),
                     "partition_memory_per_node": number(part.def_mem_per_node or 0),
                     "time": number(part.default_time), "job": part.job_defaults},
        "flags": [word for word, holds in _flags(part).items() if holds],
        "partition": {"exclusive": "USER" if part.exclusive_user else "NO", "oversubscribe": part.over_subscribe,
                      "state": [part.state]},
        "grace_time": part.grace_time,
        "maximums": {"cpus_per_node": _limit(part.max_cpus_per_node),
                     "cpus_per_socket": _limit(part.max_cpus_per_socket),
                     "partition_memory_per_cpu": number(part.max_mem_per_cpu),
                     "partition_memory_per_node": number(part.max_mem_per_node or 0),
                     "nodes": _limit(part.max_nodes), "time": _limit(part.max_time),
                     "over_time_limit": number(None)},
        "minimums": {"nodes": part.min_nodes},
        "name": part.partition_name,
        "node_sets": "",
        "preempt_mode": [part.preempt_mode.upper() or "CLUSTER_GLOBAL"],
        "priority": {"job_factor": part.priority_job_factor, "tier": part.priority_tier},
        "timeouts": {"resume": number(None), "suspend": number(None)},
        "topology": "",
        "suspend_time": number(None),
    }  # fmt: skip


def _named(text: str) -> str:
    """Return who is named, "" if everybody is meant."""
    return "" if text.upper() == "ALL" else text


def _flags(part: PartitionConf) -> dict[str, bool]:
    return {
        "DEFAULT": part.default,
        "HIDDEN": part.hidden,
        "ROOT_ONLY": part.root_only,
        "NO_ROOT": part.disable_root_jobs,
        "REQ_RESV": part.req_resv,
        "LLN": part.lln,
        "EXCLUSIVE_USER": part.exclusive_user,
    }


def node(view: NodeView) -> dict[str, Any]:
    """Return one node."""
    node, cluster = view.node, view.cluster
    boot = node.boot_time or cluster.boot_time
    return {
        "architecture": "x86_64",
        "name": node.name,
        "hostname": hostname(view),
        "address": address(view),
        "port": int(port(view)),
        "version": SLURM_VERSION,
        "state": view.full.split("+"),
        "reason": node.reason,
        "reason_changed_at": number(node.reason_time),
        "reason_set_by_user": node.reason_user if node.reason else "",
        "comment": node.comment,
        "extra": node.extra,
        "features": [word for word in node.features.split(",") if word],
        "active_features": [word for word in node.active_features.split(",") if word],
        "gres": node.gres,
        "gres_used": gres_used(view),
        "partitions": list(node.partitions),
        "reservation": view.reservation,
        "boards": node.boards,
        "sockets": node.sockets,
        "cores": node.cores_per_socket,
        "threads": node.threads_per_core,
        "cpus": node.cpus,
        "effective_cpus": node.cpus - node.core_spec_count * node.threads_per_core,
        "alloc_cpus": view.cpus_used,
        "alloc_idle_cpus": node.cpus - view.cpus_used,
        "real_memory": node.real_memory,
        "alloc_memory": view.memory_used,
        "free_mem": number(free_memory(view)),
        "temporary_disk": node.tmp_disk,
        "weight": node.weight,
        "tres": tres(node.cpus, node.real_memory, 0, node.cpus),
        "tres_used": tres(view.cpus_used, view.memory_used, 0, 0),
        "boot_time": number(boot),
        "slurmd_start_time": number(boot),
        "last_busy": number(node.last_busy),
    }


def reservation(resv: Reservation, cluster: Cluster) -> dict[str, Any]:
    """Return one reservation."""
    cores = sum(cluster.nodes[i].cpus for i in iterate(cluster.bitmap_of(resv.nodes)))
    return {
        "name": resv.name,
        "start_time": number(resv.start_time),
        "end_time": number(resv.end_time),
        "node_list": resv.nodes,
        "node_count": resv.node_cnt or cluster.bitmap_of(resv.nodes).bit_count(),
        "core_count": resv.core_cnt or cores,
        "partition": resv.partition,
        "features": resv.features,
        "flags": list(resv.flags),
        "users": resv.users,
        "groups": resv.groups,
        "accounts": resv.accounts,
        "licenses": resv.licenses,
        "tres": resv.tres or f"cpu={cores}",
    }


def listed(key: str, items: Iterable[dict[str, Any]], cluster: Cluster) -> dict[str, Any]:
    """Return a list under its key, with the time of the last change."""
    return {key: list(items), "last_update": number(cluster.now)}

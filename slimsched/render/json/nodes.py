"""Nodes and the lines of ``sinfo`` in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from slimsched.render.columns import Field
from slimsched.render.json.partitions import partition
from slimsched.render.json.table import NONE, NOTHING, WITHOUT_END, ZERO, Table, alike, constant
from slimsched.render.json.types import endless, flags, number, same, text, whole, words
from slimsched.slurm.states import NODE_STATES

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.nodes.node_view import NodeView
    from slimsched.render.nodes.sinfo_rows import NodeRow

STATE_FLAGS = flags(*(row.name for row in sorted(NODE_STATES, key=lambda row: row.code)))


def states(view: NodeView | None) -> list[str]:
    """Return the base state of a node and its flags."""
    return [view.base, *STATE_FLAGS(view.flags)] if view else ["UNKNOWN"]


NODE: Table[NodeView] = Table(
    ("architecture", text, constant("x86_64")),
    ("burstbuffer_network_address", text, NOTHING),
    ("boards", whole, lambda view: view.node.boards),
    ("boot_time", number, lambda view: view.boot_time),
    ("tls_cert_last_renewal", number, ZERO),
    ("cert_flags", same, NONE),
    ("cluster_name", text, NOTHING),
    ("cores", whole, lambda view: view.node.cores_per_socket),
    ("specialized_cores", whole, lambda view: view.node.core_spec_count),
    ("cpu_binding", whole, ZERO),
    ("cpu_load", whole, ZERO),
    ("free_mem", number, lambda view: view.free_memory),
    ("cpus", whole, lambda view: view.node.cpus),
    ("effective_cpus", whole, lambda view: view.effective_cpus),
    ("specialized_cpus", text, NOTHING),
    *alike(whole, ZERO, "energy/average_watts energy/base_consumed_energy energy/consumed_energy"),
    ("energy/current_watts", number, ZERO),
    ("energy/previous_consumed_energy", whole, ZERO),
    ("energy/last_collected", whole, ZERO),
    ("extra", text, lambda view: view.node.extra),
    ("features", words, lambda view: view.node.features),
    ("active_features", words, lambda view: view.node.active_features),
    ("gpu_spec", text, NOTHING),
    ("gres", text, lambda view: view.node.gres),
    ("gres_drained", text, constant("N/A")),
    ("gres_used", text, lambda view: view.gres_used),
    ("instance_id", text, NOTHING),
    ("instance_type", text, NOTHING),
    ("last_busy", number, lambda view: view.last_busy),
    ("mcs_label", text, NOTHING),
    ("specialized_memory", whole, lambda view: view.node.mem_spec_limit),
    ("name", text, lambda view: view.node.name),
    ("next_state_after_reboot", same, constant(["INVALID"])),
    ("address", text, lambda view: view.address),
    ("hostname", text, lambda view: view.hostname),
    ("state", same, states),
    ("operating_system", text, constant("Linux")),
    ("owner", text, NOTHING),
    ("partitions", words, lambda view: view.node.partitions),
    ("port", int, lambda view: view.port),
    ("real_memory", whole, lambda view: view.node.real_memory),
    ("res_cores_per_gpu", whole, ZERO),
    ("comment", text, lambda view: view.node.comment),
    ("reason", text, lambda view: view.node.reason),
    ("reason_changed_at", number, lambda view: view.node.reason_time),
    ("reason_set_by_user", text, lambda view: view.reason_user),
    ("resume_after", number, lambda view: view.node.resume_after),
    ("reservation", text, lambda view: view.reservation),
    ("suspend_time", endless, lambda view: None if view.suspend_time < 0 else view.suspend_time),
    ("alloc_memory", whole, lambda view: view.memory_used),
    ("alloc_cpus", whole, lambda view: view.cpus_used),
    ("alloc_idle_cpus", whole, lambda view: max(0, view.effective_cpus - view.cpus_used)),
    ("tres_used", text, lambda view: view.tres_used),
    ("slurmd_start_time", number, lambda view: view.boot_time),
    ("sockets", whole, lambda view: view.node.sockets),
    ("threads", whole, lambda view: view.node.threads_per_core),
    ("temporary_disk", whole, lambda view: view.node.tmp_disk),
    ("weight", whole, lambda view: view.node.weight),
    ("topology", text, NOTHING),
    ("tres", text, lambda view: view.tres),
    ("version", text, lambda view: view.cluster.config.version.release),
)

# sinfo


def _alike(line: NodeRow) -> str:
    """Return what the nodes of a line agree in, as recorded: partition, state and sizes, but not their features."""
    if not line.nodes:
        return line.part.partition_name
    node = line.nodes[0].node
    sizes = (node.cpus, node.sockets, node.cores_per_socket, node.threads_per_core, node.tmp_disk, node.real_memory)
    return repr((line.part.partition_name, line.nodes[0].full, node.reason, node.gres, node.weight, *sizes))


GROUPED = [Field("", "", "", _alike)]
"""The field by which nodes are grouped in JSON."""


def _least(value: Callable[[NodeView], int]) -> Callable[[NodeRow], int]:
    return lambda row: min(map(value, row.nodes), default=0)


def _most(value: Callable[[NodeView], int]) -> Callable[[NodeRow], int]:
    return lambda row: max(map(value, row.nodes), default=0)


def _first(value: Callable[[NodeView], Any]) -> Callable[[NodeRow], Any]:
    """Return the getter of what the nodes of a line agree in, None for a line without nodes."""
    return lambda row: value(row.nodes[0]) if row.nodes else None


def _most_cpus(row: NodeRow) -> int | None:
    limit = row.part.max_cpus_per_node
    return WITHOUT_END(row) if limit is None else limit


def _between(name: str, value: Callable[[NodeView], int]) -> tuple[Any, Any]:
    """Return the lines of the least and the greatest of a value."""
    return (f"{name}/minimum", whole, _least(value)), (f"{name}/maximum", whole, _most(value))


ROW: Table[NodeRow] = Table(
    ("port", int, lambda row: row.nodes[0].port if row.nodes else 0),
    ("node/state", states, _first(same)),
    ("nodes/allocated", whole, lambda row: row.node_counts()[0]),
    ("nodes/idle", whole, lambda row: row.node_counts()[1]),
    ("nodes/other", whole, lambda row: row.node_counts()[2]),
    ("nodes/total", whole, lambda row: row.node_counts()[3]),
    ("cpus/allocated", whole, lambda row: row.cpu_counts()[0]),
    ("cpus/idle", whole, lambda row: row.cpu_counts()[1]),
    ("cpus/other", whole, lambda row: row.cpu_counts()[2]),
    ("cpus/total", whole, lambda row: row.cpu_counts()[3]),
    *_between("cpus", lambda view: view.node.cpus),
    *_between("sockets", lambda view: view.node.sockets),
    *_between("cores", lambda view: view.node.cores_per_socket),
    *_between("threads", lambda view: view.node.threads_per_core),
    *_between("disk", lambda view: view.node.tmp_disk),
    *_between("memory", lambda view: view.node.real_memory),
    *_between("weight", lambda view: view.node.weight),
    *_between("cpus/load", lambda _: 0),
    ("memory/free/minimum", number, _least(lambda view: view.free_memory)),
    ("memory/free/maximum", number, _most(lambda view: view.free_memory)),
    ("cpus/per_node/max", number, _most_cpus),
    ("memory/allocated", whole, _first(lambda view: view.memory_used)),
    ("features/total", text, _first(lambda view: view.node.features)),
    ("features/active", text, _first(lambda view: view.node.active_features)),
    ("gres/total", text, _first(lambda view: view.node.gres)),
    ("gres/used", text, _first(lambda view: view.gres_used)),
    ("cluster", text, NOTHING),
    ("comment", text, _first(lambda view: view.node.comment)),
    ("extra", text, _first(lambda view: view.node.extra)),
    ("reason/description", text, _first(lambda view: view.node.reason)),
    ("reason/time", whole, _first(lambda view: view.node.reason_time)),
    ("reservation", text, _first(lambda view: view.reservation)),
    ("reason_set_by_user", text, _first(lambda view: view.reason_user)),
    ("resource_spec/cpus", text, NOTHING),
    ("resource_spec/memory", whole, _first(lambda view: view.node.mem_spec_limit)),
    ("nodes/hostnames", same, NONE),
    ("nodes/addresses", same, NONE),
    ("nodes/nodes", same, lambda row: [view.node.name for view in row.nodes]),
    ("partition", same, lambda row: partition(row.part, row.cluster)),
)


def node(view: NodeView) -> dict[str, Any]:
    """Return one node."""
    return NODE.of(view)


def every(cluster: Cluster) -> dict[str, Any]:
    """Return all nodes."""
    from slimsched.render.nodes.node_view import views

    return {"nodes": NODE.every(views(cluster))}


def row(line: NodeRow) -> dict[str, Any]:
    """Return one line of ``sinfo``."""
    return ROW.of(line)


def listed(key: str, items: Iterable[dict[str, Any]], cluster: Cluster) -> dict[str, Any]:
    """Return a list under its key, with the time of the last change."""
    return {key: list(items), "last_update": number(cluster.now)}

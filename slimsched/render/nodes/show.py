"""A node as ``scontrol show node`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import SLURM_VERSION
from slimsched.render.show_layout import given, record
from slimsched.render.units import null, stamp

if TYPE_CHECKING:
    from slimsched.render.nodes.node_view import NodeView


def text(view: NodeView, *, oneliner: bool = False, details: bool = False) -> str:
    """Return a node's record; ``details`` adds what ``-d`` does."""
    node = view.node
    lines = [
        f"NodeName={node.name} Arch=x86_64 CoresPerSocket={node.cores_per_socket} ",
        f"CPUAlloc={view.cpus_used} CPUEfctv={view.effective_cpus} CPUTot={node.cpus} CPULoad=0.00",
        f"AvailableFeatures={null(node.features)}",
        f"ActiveFeatures={null(node.active_features)}",
        f"Gres={null(node.gres)}",
        *(("GresDrain=N/A", f"GresUsed={null(view.gres_used)}") if details else ()),
        f"NodeAddr={view.address} NodeHostName={view.hostname} Port={view.port} Version={SLURM_VERSION}",
        "OS=Linux ",
        f"RealMemory={node.real_memory} AllocMem={view.memory_used} FreeMem={view.free_memory}"
        f" Sockets={node.sockets} Boards={node.boards}",
        _specialized(view),
        f"State={view.full} ThreadsPerCore={node.threads_per_core} TmpDisk={node.tmp_disk} Weight={node.weight}"
        " Owner=N/A MCS_label=N/A",
        f"Partitions={','.join(node.partitions)} " if node.partitions else None,
        *_times(view),
        f"CfgTRES={view.tres}{_counted(view, node.gres)}",
        f"AllocTRES={view.tres_used}{_counted(view, view.gres_used if view.gres_held else '')}",
        "CurrentWatts=0 AveWatts=0",
    ]
    return record([*lines, *_remarks(view)], oneliner=oneliner)


def _specialized(view: NodeView) -> str | None:
    """Return what the system keeps for itself."""
    kept = {"CoreSpecCount": view.node.core_spec_count, "MemSpecLimit": view.node.mem_spec_limit}
    return " ".join(f"{key}={value}" for key, value in kept.items() if value) or None


def _times(view: NodeView) -> list[str]:
    cluster, node = view.cluster, view.node
    now, boot = cluster.now, view.boot_time
    return [
        f"BootTime={stamp(boot, now, 'None')} SlurmdStartTime={stamp(boot, now, 'None')}",
        f"LastBusyTime={stamp(view.last_busy, now, 'Unknown')}"
        f" ResumeAfterTime={stamp(node.resume_after, now, 'None')} SuspendTime=INFINITE",
    ]


def _counted(view: NodeView, gres: str) -> str:
    """Return the generic resources that are accounted for (``AccountingStorageTRES``)."""
    tracked = view.cluster.config.get("AccountingStorageTRES").lower().split(",")
    counts: dict[str, int] = {}
    for item in gres.split(","):
        name, _, count = item.partition("(")[0].rpartition(":")
        for key in {name, name.partition(":")[0]}:
            if f"gres/{key}" in tracked and count.isdigit():
                counts[key] = counts.get(key, 0) + int(count)
    return "".join(f",gres/{key}={count}" for key, count in sorted(counts.items()) if count)


def _remarks(view: NodeView) -> list[str | None]:
    """Return the lines that only some nodes have."""
    node = view.node
    by = f" [{node.reason_user}@{stamp(node.reason_time, view.cluster.now)}]" if node.reason_time else ""
    return [
        f"Reason={node.reason}{by}" if node.reason else None,
        given("Comment", node.comment),
        given("Extra", node.extra),
        given("ReservationName", view.reservation),
    ]

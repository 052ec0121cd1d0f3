"""Nodes, partitions and reservations as ``scontrol show`` prints them, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.resources import capacity
from slimsched.priority.tres import billed
from slimsched.render.config.forms import preempt_mode
from slimsched.render.nodes.reservation_list import state
from slimsched.render.nodes.sinfo_fields import over_subscribe
from slimsched.render.show_layout import given, record
from slimsched.render.units import job_defaults, null, number, stamp, tres
from slimsched.slurm.kinds import yes_or_no
from slimsched.text.times import elapsed, limit

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.reservation import Reservation
    from slimsched.render.nodes.node_view import NodeView

PURGED = "PURGE_COMP"
"""The flag of a reservation that is shown with its time."""


def node_text(view: NodeView, *, oneliner: bool = False, details: bool = False) -> str:
    """Return a node's record; ``details`` adds what ``-d`` does."""
    node, version = view.node, view.cluster.config.version.release
    lines = [
        f"NodeName={node.name} Arch=x86_64 CoresPerSocket={node.cores_per_socket} ",
        f"CPUAlloc={view.cpus_used} CPUEfctv={view.effective_cpus} CPUTot={node.cpus} CPULoad=0.00",
        f"AvailableFeatures={null(node.features)}",
        f"ActiveFeatures={null(node.active_features)}",
        f"Gres={null(node.gres)}",
        *(("GresDrain=N/A", f"GresUsed={view.gres_used}" if view.gres_used else None) if details else ()),
        f"NodeAddr={view.address} NodeHostName={view.hostname} Port={view.port} Version={version}",
        "OS=Linux ",
        f"RealMemory={node.real_memory} AllocMem={view.memory_used} FreeMem={view.free_memory}"
        f" Sockets={node.sockets} Boards={node.boards}",
        _specialized(view),
        f"State={view.full} ThreadsPerCore={node.threads_per_core} TmpDisk={node.tmp_disk} Weight={node.weight}"
        " Owner=N/A MCS_label=N/A",
        f"Partitions={','.join(node.partitions)} " if node.partitions else None,
        *_times(view),
        f"CfgTRES={view.tres}",
        f"AllocTRES={view.tres_used}",
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
        f" ResumeAfterTime={stamp(node.resume_after, now, 'None')} SuspendTime={_seconds(view.suspend_time)}",
    ]


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


def partition_text(part: PartitionConf, cluster: Cluster, *, oneliner: bool = False) -> str:
    """Return a partition's record."""
    nodes = [cluster.nodes[i] for i in iterate(cluster.partition_bitmap(part.partition_name))]
    there = capacity(nodes)
    names = cluster.hostlist_of(cluster.partition_bitmap(part.partition_name))
    lines = [
        f"PartitionName={part.partition_name}",
        f"AllowGroups={part.allow_groups} {_who('Accounts', part.allow_accounts, part.deny_accounts)}"
        f" {_who('Qos', part.allow_qos, part.deny_qos)}",
        f"AllocNodes={part.allow_alloc_nodes} Default={yes_or_no(part.default)} QoS={part.qos}",
        given("Alternate", part.alternate),
        f"DefaultTime={_time(part.default_time, 'NONE')} DisableRootJobs={yes_or_no(part.disable_root_jobs)}"
        f" Exclusive={_exclusive(part)} GraceTime={part.grace_time} Hidden={yes_or_no(part.hidden)}",
        f"MaxNodes={number(part.max_nodes)} MaxTime={_time(part.max_time, 'UNLIMITED')} MinNodes={part.min_nodes}"
        f" LLN={yes_or_no(part.lln)} MaxCPUsPerNode={number(part.max_cpus_per_node)}"
        f" MaxCPUsPerSocket={number(part.max_cpus_per_socket)}",
        given("NodeSets", cluster.config.sets_in(part.nodes)),
        f"Nodes={null(names)}",
        f"PriorityJobFactor={part.priority_job_factor} PriorityTier={part.priority_tier}"
        f" RootOnly={yes_or_no(part.root_only)} ReqResv={yes_or_no(part.req_resv)}"
        f" OverSubscribe={over_subscribe(part)}",
        f"OverTimeLimit={part.over_time_limit} PreemptMode={preempt_mode(cluster.config, part.preempt_mode)}",
        f"State={part.state} TotalCPUs={there['cpu']} TotalNodes={len(nodes)}"
        f" SelectTypeParameters={part.select_type_parameters.upper()}",
        f"JobDefaults={null(job_defaults(cluster.config, part))}",
        f"{_memory('Def', part.def_mem_per_cpu, part.def_mem_per_node)}"
        f" {_memory('Max', part.max_mem_per_cpu, part.max_mem_per_node)}",
        f"TRES={null(tres(cluster.config, billed(cluster, part, there)))}",
        given("TRESBillingWeights", part.tres_billing_weights),
        _power(part, cluster),
    ]
    return record(lines, oneliner=oneliner)


def _power(part: PartitionConf, cluster: Cluster) -> str | None:
    """Return when the partition's nodes are switched on and off, where that happens."""
    if not cluster.saves_power:
        return None
    spans = {
        "ResumeTimeout": part.resume_timeout,
        "SuspendTimeout": part.suspend_timeout,
        "SuspendTime": part.suspend_time,
    }
    shown = (f"{key}={'GLOBAL' if span is None else _seconds(span)}" for key, span in spans.items())
    return f"{' '.join(shown)} PowerDownOnIdle={yes_or_no(part.power_down_on_idle)}"


def _seconds(span: int) -> str:
    return "INFINITE" if span < 0 else str(span)


def _who(kind: str, allowed: str, denied: str) -> str:
    """Return who may use it, or who may not."""
    return f"Deny{kind}={denied}" if denied else f"Allow{kind}={allowed}"


def _time(minutes: int | None, unset: str) -> str:
    return unset if minutes is None else limit(minutes, full=True)


def _exclusive(part: PartitionConf) -> str:
    if part.over_subscribe.upper() == "EXCLUSIVE":
        return "NODE"
    return "USER" if part.exclusive_user else "NO"


def _memory(kind: str, per_cpu: int | None, per_node: int | None) -> str:
    """Return a default or a bound of memory in MB."""
    if per_cpu is not None:
        return f"{kind}MemPerCPU={number(per_cpu)}"
    return f"{kind}MemPerNode={number(per_node)}"


def reservation_text(resv: Reservation, cluster: Cluster, *, oneliner: bool = False) -> str:
    """Return a reservation's record."""
    now = cluster.now
    nodes = [cluster.nodes[i] for i in iterate(cluster.bitmap_of(resv.nodes))]
    cores = resv.core_cnt or sum(node.sockets * node.cores_per_socket for node in nodes)
    cpus = sum(node.cpus for node in nodes)
    flags = [f"{flag}={elapsed(resv.purge_comp, full=True)}" if flag == PURGED else flag for flag in resv.flags]
    delay = elapsed(resv.max_start_delay, full=True) if resv.max_start_delay else ""
    lines = [
        f"ReservationName={resv.name} StartTime={stamp(resv.start_time, now)} EndTime={stamp(resv.end_time, now)}"
        f" Duration={elapsed(resv.end_time - resv.start_time, full=True)}",
        f"Nodes={null(resv.nodes)} NodeCnt={resv.node_cnt or len(nodes)} CoreCnt={cores}"
        f" Features={null(resv.features)} PartitionName={null(resv.partition)} Flags={','.join(flags)}",
        f"TRES={resv.tres or (f'cpu={cpus}' if nodes else '(null)')}",
        f"AllowedPartitions={null(resv.allowed_partitions)} QOS={null(resv.qos)}",
        f"Users={null(resv.users)} Groups={null(resv.groups)} Accounts={null(resv.accounts)}"
        f" Licenses={null(resv.licenses)} State={state(resv, now)} BurstBuffer={null(resv.burst_buffer)}",
        f"MaxStartDelay={null(delay)}",
        given("Comment", resv.comment),
    ]
    return record(lines, oneliner=oneliner)

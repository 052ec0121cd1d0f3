"""A partition as ``scontrol show partition`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.resources import capacity
from slimsched.render.nodes.sinfo_fields import over_subscribe
from slimsched.render.show_layout import given, record
from slimsched.render.units import null, number, tres
from slimsched.slurm.kinds import yes_or_no
from slimsched.text.times import limit

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf


def text(part: PartitionConf, cluster: Cluster, *, oneliner: bool = False) -> str:
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
        f"Nodes={null(names)}",
        f"PriorityJobFactor={part.priority_job_factor} PriorityTier={part.priority_tier}"
        f" RootOnly={yes_or_no(part.root_only)} ReqResv={yes_or_no(part.req_resv)}"
        f" OverSubscribe={over_subscribe(part)}",
        f"OverTimeLimit={part.over_time_limit} PreemptMode={part.preempt_mode or cluster.config.get('PreemptMode')}",
        f"State={part.state} TotalCPUs={there['cpu']} TotalNodes={len(nodes)}"
        f" SelectTypeParameters={part.select_type_parameters}",
        f"JobDefaults={null(part.job_defaults)}",
        f"{_memory('Def', part.def_mem_per_cpu, part.def_mem_per_node)}"
        f" {_memory('Max', part.max_mem_per_cpu, part.max_mem_per_node)}",
        f"TRES={null(tres(*there.values()))}",
        given("TRESBillingWeights", part.tres_billing_weights),
    ]
    return record(lines, oneliner=oneliner)


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

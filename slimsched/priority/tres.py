"""The trackable resources (TRES) of requests and jobs: what they ask for, what they hold, and what that is billed.

Amounts are by name, memory in MB; GPUs of a type count by their name (``gres/gpu``) and by both (``gres/gpu:a100``).
Source: slurm.conf(5) ``AccountingStorageTRES``, ``PriorityWeightTRES``, ``TRESBillingWeights``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.resources import UNITS, capacity, gres, of_licenses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

MEGABYTE = 1 << 20
ON_A_NODE = frozenset({"cpu", "mem"})
"""Resources of which ``MAX_TRES`` bills the dearest, next to the generic ones; the others are billed on top."""


def weights(text: str) -> dict[str, float]:
    """Read ``CPU=1000,Mem=2000,GRES/gpu=3000``; an item that cannot be read counts nothing.

    The weight of memory is for one MB; ``Mem=0.25G`` is 0.25 for one GB.
    """
    found: dict[str, float] = {}
    for item in filter(None, text.split(",")):
        name, _, value = item.strip().partition("=")
        name, unit = name.strip().lower(), value.strip()[-1:].lower()
        try:
            found[name] = float(value.strip().rstrip("KMGTkmgt"))
        except ValueError:
            continue
        if unit in UNITS:
            found[name] /= UNITS[unit] / MEGABYTE if name == "mem" else UNITS[unit]
    return found


def wanted(request: JobRequest) -> dict[str, int]:
    """Return the least that a request asks for."""
    nodes = request.min_nodes or 1
    tasks = request.num_tasks or nodes
    gpus = devices(request, nodes, tasks)
    cpus = max(nodes, tasks * (request.cpus_per_task or 1), gpus.get("gres/gpu", 0) * (request.cpus_per_gpu or 0))
    memory = (request.mem_per_node or 0) * nodes or (request.mem_per_cpu or 0) * cpus
    memory = memory or (request.mem_per_gpu or 0) * gpus.get("gres/gpu", 0)
    return {"cpu": cpus, "mem": memory, "node": nodes, **gpus}


def devices(request: JobRequest, nodes: int, tasks: int) -> dict[str, int]:
    """Return the generic resources of a request: GPUs by the option that says most, others for each node."""
    of_tasks = ",".join(item.replace("=", ":") for item in request.tres_per_task.split(",") if "gres/" in item)
    found: dict[str, int] = {}
    for text, times in (
        (_as_gpu(request.gpus), 1),
        (_as_gpu(request.gpus_per_node), nodes),
        (_as_gpu(request.gpus_per_socket), nodes * (request.sockets_per_node or 1)),
        (_as_gpu(request.gpus_per_task), tasks),
        (of_tasks, tasks),
        (request.gres, nodes),
    ):
        for name, count in gres(text).items():
            found[name] = max(found.get(name, 0), count * times)
    return found


def _as_gpu(text: str) -> str:
    """Return the value of ``--gpus`` as a list of generic resources."""
    return ",".join(f"gpu:{item}" for item in text.split(",") if item)


def held(job: Job) -> dict[str, int]:
    """Return what a job holds, or held."""
    amounts = granted(job.cpus, job.memory, job.gres)
    return {**amounts, **of_licenses(job.licenses_alloc), "billing": job.billing or amounts["cpu"]}


def granted(cpus: Sequence[int], memory: Sequence[int], each: Sequence[str]) -> dict[str, int]:
    """Return what an allocation has, given its CPUs, memory and generic resources on ``each`` of its nodes."""
    return {"cpu": sum(cpus), "mem": sum(memory), "node": len(cpus), **gres(",".join(filter(None, each)))}


def billing(cluster: Cluster, part: PartitionConf | None, amounts: Mapping[str, int]) -> int:
    """Return what amounts are billed by the weights of a partition: its CPUs if it has none.

    With the flag ``MAX_TRES`` only the dearest of the resources of a node counts, next to the others.
    """
    given = weights(part.tres_billing_weights) if part is not None and part.tres_billing_weights else {"cpu": 1.0}
    costs = {name: amounts.get(name, 0) * weight for name, weight in given.items()}
    if "MAX_TRES" not in cluster.config.get("PriorityFlags").upper().split(","):
        return int(sum(costs.values()))
    local = [cost for name, cost in costs.items() if name in ON_A_NODE or name.startswith("gres/")]
    return int(max(local, default=0.0) + sum(costs.values()) - sum(local))


def billed(cluster: Cluster, part: PartitionConf | None, amounts: Mapping[str, int]) -> dict[str, int]:
    """Return amounts with what they are billed."""
    return {**amounts, "billing": billing(cluster, part, amounts)}


def partition_capacity(cluster: Cluster, part: PartitionConf) -> dict[str, int]:
    """Return by lower-case name what the nodes of a partition have, whatever their state."""
    nodes = [cluster.nodes[i] for i in iterate(cluster.partition_bitmap(part.partition_name))]
    return {**capacity(nodes), "cpu": cluster.partition_cpus(part.partition_name)}


def shares(request: JobRequest, there: Mapping[str, int]) -> dict[str, float]:
    """Return what part of a partition's resources (`partition_capacity`) a request asks for, between 0 and 1."""
    return {name: min(1.0, n / there[name]) for name, n in wanted(request).items() if n and there.get(name)}

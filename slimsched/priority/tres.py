"""The TRES factors: the share that a job asks for of each of its partition's resources, weighted one by one.

Source: slurm.conf(5) ``PriorityWeightTRES``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest


def weights(text: str) -> dict[str, float]:
    """Read ``CPU=1000,Mem=2000,GRES/gpu=3000``; an item that cannot be read counts nothing."""
    found: dict[str, float] = {}
    for item in filter(None, text.split(",")):
        name, _, value = item.strip().partition("=")
        try:
            found[name.strip().lower()] = float(value)
        except ValueError:
            continue
    return found


def shares(cluster: Cluster, request: JobRequest, part: PartitionConf) -> dict[str, float]:
    """Return by lower-case name what part of a partition's resources a request asks for, between 0 and 1."""
    nodes = [cluster.nodes[i] for i in iterate(cluster.partition_bitmap(part.partition_name))]
    low = request.min_nodes or 1
    cpus = max(low, (request.num_tasks or low) * (request.cpus_per_task or 1))
    memory = (request.mem_per_node or 0) * low or (request.mem_per_cpu or 0) * cpus
    pairs = {
        "cpu": (cpus, cluster.partition_cpus(part.partition_name)),
        "mem": (memory, sum(node.real_memory for node in nodes)),
        "node": (low, len(nodes)),
    }
    for name, count in gres(request.gres).items():
        pairs[name] = (count * low, sum(gres(node.gres).get(name, 0) for node in nodes))
    return {name: min(1.0, asked / there) for name, (asked, there) in pairs.items() if asked and there}


def gres(text: str) -> dict[str, int]:
    """Return the counts of generic resources by ``gres/name``."""
    found: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, _, rest = item.partition("(")[0].removeprefix("gres/").partition(":")
        count = rest.rpartition(":")[2] if rest else "1"
        found[f"gres/{name}"] = found.get(f"gres/{name}", 0) + (int(count) if count.isdigit() and len(count) < 9 else 1)
    return found

"""The size of a job: the nodes, CPUs, memory and generic resources that it requests and holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.request import INFINITE
from slimsched.render.units import classed, tres
from slimsched.slurm.states import PENDING

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class Sized:
    """A job in one of its partitions."""

    __slots__ = ("cluster", "job", "partition", "request", "sizes")

    def __init__(self, job: Job, cluster: Cluster, sizes: dict[str, int] | None = None) -> None:
        self.job, self.request, self.cluster = job, job.request, cluster
        self.partition = job.request.partition if job.state == PENDING else job.partition
        self.sizes = {} if sizes is None else sizes  # partition -> CPUs of its largest node; views may share it

    @property
    def placed(self) -> bool:
        """Whether it holds or held nodes."""
        return bool(self.job.nodes)

    @property
    def task_count(self) -> int:
        """Tasks: as many as asked for, but at least one on each node that it got."""
        asked = self.request.num_tasks
        per_node = self.request.ntasks_per_node
        least = self.node_count if self.placed else 0
        return max(1 if asked is None else asked, per_node * least if per_node else least)

    @property
    def cpus_per_task(self) -> int:
        """CPUs of each task."""
        return self.request.cpus_per_task or 1

    @property
    def requested_cpus(self) -> int:
        """CPUs that it asks for; without a number of tasks those of one, or of none if it may have no nodes."""
        tasks = self.request.num_tasks
        if self.request.overcommit:
            return max(self.min_nodes, 1)
        of_tasks = (min(1, self.min_nodes) if tasks is None else tasks) * self.cpus_per_task
        return max(of_tasks, self.request.min_cpus or 0)

    @property
    def cpu_count(self) -> int:
        """CPUs that it has, or asks for."""
        return sum(self.job.cpus) or self.requested_cpus

    @property
    def min_nodes(self) -> int:
        """Nodes that it asks for at least."""
        least = self.request.min_nodes
        return 1 if least is None else least

    @property
    def node_count(self) -> int:
        """Nodes that it has, or is likely to need."""
        if self.job.cpus:
            return len(self.job.cpus)
        if self.placed:
            return self.cluster.bitmap_of(self.job.nodes).bit_count()
        per_node = self.request.ntasks_per_node
        tasks = self.request.num_tasks or 0
        if tasks <= max(self.min_nodes, 1):
            return self.min_nodes
        on_each = per_node * self.cpus_per_task if per_node else self.largest_node
        return max(self.min_nodes, -(-self.requested_cpus // max(1, on_each)))

    @property
    def largest_node(self) -> int:
        """CPUs of the largest node of its partition."""
        name = self.partition.partition(",")[0]
        if name not in self.sizes:
            cluster = self.cluster
            mask = cluster.partition_bitmap(name) if name in cluster.partitions else 0
            self.sizes[name] = max((cluster.nodes[i].cpus for i in iterate(mask)), default=1)
        return self.sizes[name]

    @property
    def max_nodes(self) -> int:
        """Nodes that a pending job may get at most, 0 if the request does not say."""
        request = self.request
        if self.job.state != PENDING:
            return 0
        if request.max_nodes is not None:
            return 0 if request.max_nodes == INFINITE else request.max_nodes
        tasks = request.num_tasks or 0
        return tasks if request.hold or tasks > self.min_nodes else 0

    @property
    def node_range(self) -> str:
        """Nodes as ``NumNodes``: ``2``, or ``1-4`` for a pending job with an upper bound."""
        upper = self.max_nodes
        lower = min(self.node_count, upper) if upper else self.node_count
        return f"{lower}-{upper}" if upper else str(lower)

    @property
    def min_cpus(self) -> int:
        """CPUs that each node must have."""
        request = self.request
        return max(request.min_cpus_per_node or 1, (request.ntasks_per_node or 1) * self.cpus_per_task)

    @property
    def min_memory(self) -> tuple[str, int]:
        """``CPU`` or ``Node``, and the memory in MB that is asked for each of them."""
        request = self.request
        if request.mem_per_cpu is not None:
            return "CPU", request.mem_per_cpu
        return "Node", request.mem_per_node or 0

    @property
    def memory_per_node(self) -> int | None:
        """Memory in MB that is asked for each node, None if it is asked for each CPU."""
        return self.min_memory[1] if self.request.mem_per_cpu is None else None

    @property
    def disk(self) -> int:
        """Temporary disk in MB that each node must have."""
        return self.request.min_tmp_disk or 0

    @property
    def shape(self) -> tuple[int | None, int | None, int | None]:
        """Sockets, cores per socket and threads per core that each node must have; None: any."""
        request = self.request
        return request.sockets_per_node, request.cores_per_socket, request.threads_per_core

    @property
    def requested_tres(self) -> str:
        """What it asks for: ``cpu=1,mem=100M,node=1,billing=1,gres/gpu=1``."""
        return tres(self.cluster.config, self.requested_amounts)

    @property
    def requested_amounts(self) -> dict[str, int]:
        """What it asks for, by resource, memory in MB."""
        from slimsched.model.resources import of_licenses
        from slimsched.priority.tres import billed, devices

        kind, memory = self.min_memory
        nodes = self.min_nodes
        gpus = devices(self.request, max(1, nodes), self.request.num_tasks or max(1, nodes))
        cpus = max(self.requested_cpus, gpus.get("gres/gpu", 0) * (self.request.cpus_per_gpu or 0))
        if self.request.mem_per_gpu:
            memory = self.request.mem_per_gpu * gpus.get("gres/gpu", 0)
        else:
            memory *= cpus if kind == "CPU" else nodes
        found = {"cpu": cpus, "mem": memory, "node": nodes, **gpus, **of_licenses(self.request)}
        part = self.cluster.partitions.get(self.partition.partition(",")[0])
        return billed(self.cluster, part, found)

    @property
    def allocated_tres(self) -> str:
        """What it has or had, "" if it never started."""
        return tres(self.cluster.config, self.allocated_amounts) if self.placed else ""

    @property
    def allocated_amounts(self) -> dict[str, int]:
        """What it has or had, by resource, memory in MB, where that is booked."""
        from slimsched.priority.tres import held

        amounts = held(self.job)
        if "MEMORY" not in self.cluster.config.get("SelectTypeParameters").upper():
            amounts["mem"] = 0
        return {**amounts, "cpu": self.cpu_count, "node": self.node_count, "billing": self.billing}

    @property
    def billing(self) -> int:
        """What its resources count for, its CPUs if nothing else is configured."""
        return self.job.billing or self.cpu_count

    @property
    def gres(self) -> str:
        """Generic resources per node, with their class: ``gres/gpu:2``."""
        parts = (classed(self.request.gpus_per_node, "gres/gpu:"), classed(self.request.gres))
        return ",".join(filter(None, parts))

    @property
    def tres_per_job(self) -> str:
        """GPUs of the whole job."""
        return classed(self.request.gpus, "gres/gpu:")

    @property
    def tres_per_socket(self) -> str:
        """GPUs of each socket."""
        return classed(self.request.gpus_per_socket, "gres/gpu:")

    @property
    def tres_per_task(self) -> str:
        """What each task asks for: CPUs if given, GPUs."""
        gpus = map(_equated, classed(self.request.gpus_per_task, "gres/gpu:").split(","))
        return ",".join(filter(None, (self.request.task_cpus_text, *gpus, self.request.tres_per_task)))

    @property
    def cpus_per_tres(self) -> str:
        """CPUs for each GPU: ``gres/gpu:2``."""
        return classed(str(self.request.cpus_per_gpu or ""), "gres/gpu:")

    @property
    def memory_per_tres(self) -> str:
        """MB for each GPU: ``gres/gpu:100``."""
        return classed(str(self.request.mem_per_gpu or ""), "gres/gpu:")

    @property
    def over_subscribe(self) -> str:
        """Whether it shares its CPUs, ``YES`` or ``NO``; ``OK`` where its partition decides that."""
        from slimsched.slurm.kinds import yes_or_no

        part = self.cluster.partitions.get(self.partition)
        if part is not None and part.over_subscribe.startswith("FORCE") and not self.request.exclusive:
            return "OK"
        return yes_or_no(self.request.oversubscribe)

    @property
    def exclusive(self) -> str:
        """Whom it keeps off its nodes, ``NO`` for nobody."""
        return self.request.exclusive or "NO"

    @property
    def required(self) -> str:
        """Nodes that it must have."""
        return _folded(self.request.nodelist, self.cluster)

    @property
    def excluded(self) -> str:
        """Nodes that it must not have."""
        return _folded(self.request.exclude, self.cluster)

    @property
    def batch_host(self) -> str:
        """The first of its nodes, "" if it has none."""
        mask = self.cluster.bitmap_of(self.job.nodes) if self.job.nodes else 0
        return self.cluster.nodes[next(iterate(mask))].name if mask else ""


def _folded(nodes: str, cluster: Cluster) -> str:
    """Return a node list as Slurm folds it; one that names no nodes of the cluster stays as it is."""
    try:
        return cluster.hostlist_of(cluster.bitmap_of(nodes)) if nodes else ""
    except (KeyError, ValueError):
        return nodes


def _equated(item: str) -> str:
    """Return ``gres/gpu:a100:2`` as ``gres/gpu:a100=2``."""
    name, colon, count = item.rpartition(":")
    return f"{name}={count}" if colon and count.isdigit() else item

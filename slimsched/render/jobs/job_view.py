"""A job as the commands show it: numbers and texts that follow from its record and its cluster.

One view serves ``squeue``, ``scontrol show job`` and JSON. The record of a pending array has one view that stands
for all its tasks, or one for each of them (``task``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.schedule.time_limits import time_limit
from slimsched.model.bitmap import iterate
from slimsched.model.request import INFINITE
from slimsched.render.units import classed, tres
from slimsched.slurm.states import JOB, PENDING, RUNNING, SUSPENDED

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

NO_TASK = 0xFFFFFFFE  # what %a in a file name becomes for a job that is no single task


class View:
    """One job, or one task of a pending array."""

    __slots__ = ("cluster", "job", "now", "partition", "rank", "request", "sizes", "task", "tier")

    def __init__(
        self, job: Job, cluster: Cluster, task: int | None = None, sizes: dict[str, int] | None = None
    ) -> None:
        self.job, self.request, self.cluster, self.now = job, job.request, cluster, cluster.now
        self.task = job.array_task_id if task is None else task
        self.partition = job.request.partition if job.state == PENDING else job.partition
        self.rank = self.tier = 0  # place in the controller's list; tier of the partition, where that is looked at
        self.sizes = {} if sizes is None else sizes  # partition -> CPUs of its largest node; views may share it

    # identity

    @property
    def array_id(self) -> int:
        """Job id of the array, the job's own for one that is of no array."""
        return self.job.array_job_id or self.job.job_id

    @property
    def tasks(self) -> str:
        """Task number, or tasks of a pending array with their throttle: ``2-5%2``; "" for no array."""
        job = self.job
        if self.task is not None:
            return str(self.task)
        if not job.array_tasks:
            return ""
        from slimsched.render.jobs.array_tasks import shown

        return shown(job.array_tasks, job.array_max_tasks)

    def has_task(self, task: int | None) -> bool:
        """Whether the pending array has this task left."""
        if task is None or not self.job.array_tasks:
            return False
        from slimsched.text.idset import ranges

        return any(first <= task <= last for first, last in ranges(self.job.array_tasks))

    @property
    def name(self) -> str:
        """Job id as users write it: ``2``, ``3_1``, ``3_[2-5%2]``."""
        job = self.job
        if self.task is not None:
            return f"{self.array_id}_{self.task}"
        return f"{self.array_id}_[{self.tasks}]" if job.array_tasks else str(job.job_id)

    @property
    def sluid(self) -> str:
        """A unique id in the shape of Slurm's own, made of the submission's time and the job id."""
        number = self.job.submit_time << 24 | self.array_id
        digits = (number >> shift & 31 for shift in range(55, -1, -5))
        return "s2" + "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit] for digit in digits)

    # state

    @property
    def state(self) -> str:
        """The state that is shown: a flag such as COMPLETING ahead of the base state."""
        return next((flag for flag in self.job.flags if flag in JOB), self.job.state)

    @property
    def reason(self) -> str:
        """Why it waits or how it ended, as a text or a word."""
        return self.job.state_desc or self.job.reason

    @property
    def where(self) -> str:
        """The nodes, or the reason in parentheses for a job that waits or has failed."""
        return f"({self.reason})" if JOB[self.job.state].shows_reason else self.job.nodes

    # times, seconds

    @property
    def used(self) -> int:
        """Seconds that it has run, without its suspensions."""
        job = self.job
        if job.state == SUSPENDED:
            return job.pre_sus_time
        if not job.start_time or not (job.active or job.finished):
            return 0
        end = job.end_time if job.finished else self.now
        return max(0, job.pre_sus_time + end - (job.suspend_time or job.start_time))

    @property
    def limit(self) -> int:
        """Time limit in minutes, `INFINITE` for none."""
        part = self.cluster.partitions.get(self.partition.partition(",")[0])
        given = self.request.time_limit
        if given is not None or part is None:
            return INFINITE if given is None else given
        return time_limit(self.job, part)

    @property
    def left(self) -> int:
        """Seconds until its limit; meaningless without one."""
        return self.limit * 60 - self.used

    @property
    def end(self) -> int:
        """When it ended or will end at the latest; 0 if nobody knows."""
        job = self.job
        if job.state == PENDING and job.start_time and not job.end_time and self.limit != INFINITE:
            return job.start_time + self.limit * 60
        return job.end_time

    # size

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
    def requested_cpus(self) -> int:
        """CPUs that it asks for; without a number of tasks those of one, or of none if it may have no nodes."""
        tasks = self.request.num_tasks
        if self.request.overcommit:
            return max(self.min_nodes, 1)
        of_tasks = (min(1, self.min_nodes) if tasks is None else tasks) * (self.request.cpus_per_task or 1)
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
        on_each = per_node * (self.request.cpus_per_task or 1) if per_node else self.largest_node
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
        """Nodes that it may get at most, 0 if the request does not say."""
        request = self.request
        if request.max_nodes is not None:
            return 0 if request.max_nodes == INFINITE else request.max_nodes
        tasks = request.num_tasks or 0
        return tasks if request.hold or tasks > self.min_nodes else 0

    @property
    def node_range(self) -> str:
        """Nodes as ``NumNodes``: ``2``, or ``1-4`` for a pending job with an upper bound."""
        upper = self.max_nodes if self.job.state == PENDING else 0
        lower = min(self.node_count, upper) if upper else self.node_count
        return f"{lower}-{upper}" if upper else str(lower)

    @property
    def min_cpus(self) -> int:
        """CPUs that each node must have."""
        request = self.request
        return max(request.min_cpus_per_node or 1, (request.ntasks_per_node or 1) * (request.cpus_per_task or 1))

    @property
    def min_memory(self) -> tuple[str, int]:
        """``CPU`` or ``Node``, and the memory in MB that is asked for each of them."""
        request = self.request
        if request.mem_per_cpu is not None:
            return "CPU", request.mem_per_cpu
        return "Node", request.mem_per_node or 0

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
        """What it asks for: ``cpu=1,mem=100M,node=1,billing=1``."""
        kind, memory = self.min_memory
        cpus = self.requested_cpus
        return tres(cpus, memory * (cpus if kind == "CPU" else self.min_nodes), self.min_nodes, cpus)

    @property
    def allocated_tres(self) -> str:
        """What it has or had, "" if it never started."""
        job = self.job
        if not self.placed:
            return ""
        return tres(self.cpu_count, sum(job.memory), self.node_count, job.billing or self.cpu_count)

    @property
    def gres(self) -> str:
        """Generic resources per node, with their class: ``gres/gpu:2``."""
        parts = (classed(self.request.gpus_per_node, "gres/gpu:"), classed(self.request.gres))
        return ",".join(filter(None, parts))

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

    @property
    def running(self) -> bool:
        """Whether it runs now."""
        return self.job.state == RUNNING


def _folded(nodes: str, cluster: Cluster) -> str:
    """Return a node list as Slurm folds it; one that names no nodes of the cluster stays as it is."""
    try:
        return cluster.hostlist_of(cluster.bitmap_of(nodes)) if nodes else ""
    except (KeyError, ValueError):
        return nodes

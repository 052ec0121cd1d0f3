"""The need of a job on each node: its request, resolved once for all jobs that ask for the same.

Jobs that ask for the same form a category (Grid Engine's word): whatever is worked out for one of them holds for
all. `NeedTable` finds the category of a job by the values of the fields that matter.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from slimsched.model.record import Value, replaced
from slimsched.select.gres import Gres, of_tasks, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.config import Config, PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

_FIELDS = """
num_tasks min_cpus cpus_per_task ntasks_per_node ntasks_per_core ntasks_per_socket ntasks_per_gpu min_cpus_per_node
mem_per_node mem_per_cpu mem_per_gpu gres gpus gpus_per_node gpus_per_socket gpus_per_task cpus_per_gpu
tres_per_task exclusive oversubscribe overcommit threads_per_core sockets_per_node cores_per_socket
core_spec thread_spec min_tmp_disk contiguous spread_job
"""
_values_of = attrgetter(*_FIELDS.split())

WHOLE_MEMORY = -1
"""``mem_per_node`` of a job that gets all of a node's memory (``--mem=0``)."""

IDLE, SHARED, ONE_ROW, RESERVED = range(4)
"""The use of a node, and the wish of a job: shared with oversubscribed CPUs, not oversubscribed, alone."""


class Cap(Value, frozen=True):
    """The most CPUs that the jobs of a partition get of a node, and of each of its sockets; None: any number."""

    partition: str
    node: int | None
    socket: int | None

    def of(self, sockets: int) -> int:
        """Return the limit for a node of so many sockets."""
        limits = self.node, None if self.socket is None else self.socket * sockets
        return min(limit for limit in limits if limit is not None)


class Need:
    """A category of jobs. Two needs are the same only if they are one object."""

    __slots__ = (
        "alone",
        "cap",
        "contiguous",
        "cores",
        "cpus_per_gpu",
        "cpus_per_task",
        "gres",
        "job_gres",
        "least_cpus",
        "least_loaded",
        "max_node_cpus",
        "mem_per_cpu",
        "mem_per_gpu",
        "mem_per_node",
        "memory",
        "min_cpus",
        "mode",
        "node_cpus",
        "num_tasks",
        "overcommit",
        "rows",
        "socket_tasks",
        "sockets",
        "spec_cores",
        "spec_threads",
        "spread",
        "task_gres",
        "tasks_per_node",
        "threads",
        "tmp_disk",
        "user",
    )

    num_tasks: int  # 0: not given
    min_cpus: int  # at least so many CPUs in all, 0: as many as the tasks need
    cpus_per_task: int
    tasks_per_node: int  # 0: any
    node_cpus: int  # a node must have room for so many CPUs
    least_cpus: int  # at least so many are taken of each node
    max_node_cpus: int  # at most so many, 0: any
    cap: Cap | None  # the limit of a node for all jobs of its partition together
    mem_per_cpu: int  # 0: none
    mem_per_node: int  # 0: none, WHOLE_MEMORY
    mem_per_gpu: int
    memory: bool  # memory is booked
    gres: tuple[Gres, ...]  # on each node
    task_gres: tuple[Gres, ...]  # for each task
    job_gres: tuple[Gres, ...]  # for the job as a whole
    cpus_per_gpu: int
    mode: int  # SHARED, ONE_ROW or RESERVED
    rows: int  # how many jobs may use a CPU
    user: int  # the user, -1 as long as every job shares nodes with everybody
    alone: bool  # shares nodes with jobs of this user only
    threads: int  # threads it uses of a core, 0: all
    sockets: int
    cores: int  # per socket
    socket_tasks: int  # that a socket must have CPUs for
    spec_cores: int  # of each node, kept for the system
    spec_threads: int
    tmp_disk: int
    overcommit: bool
    contiguous: bool
    spread: bool
    least_loaded: bool

    def __init__(self, **values: Any) -> None:
        """Every field must be given."""
        for name in self.__slots__:
            setattr(self, name, values[name])

    def with_rows(self, rows: int) -> Need:
        """Return the same need with another number of jobs for each CPU."""
        return Need(**{name: getattr(self, name) for name in self.__slots__} | {"rows": rows})

    @property
    def gpus(self) -> bool:
        """Whether the job asks for GPUs."""
        return any(want.name == "gpu" for want in (*self.gres, *self.task_gres, *self.job_gres))

    def withheld(self, threads: int) -> int:
        """Return the CPUs of a node that the job leaves to the system; ``threads``: CPUs of a core."""
        return self.spec_cores * threads + self.spec_threads

    def total_cpus(self, min_nodes: int) -> int:
        """Return the total number of CPUs that the job needs on ``min_nodes`` nodes or more."""
        if self.overcommit:
            return max(1, min_nodes)
        tasks = self.num_tasks or max(1, min_nodes) * max(1, self.tasks_per_node)
        gpus = sum(g.amount for g in self.job_gres if g.name == "gpu")
        return max(tasks * self.cpus_per_task, self.min_cpus, min_nodes * self.least_cpus, gpus * self.cpus_per_gpu)


class NeedTable:
    """The categories seen so far, for one configuration."""

    LIMIT = 4096

    def __init__(
        self, config: Config, partitions: dict[str, PartitionConf], *, whole_nodes: bool, memory: bool
    ) -> None:
        """``whole_nodes``: jobs never share a node; ``memory``: it is booked, so that not asking means all."""
        self.config = config
        self.partitions = partitions
        self.whole_nodes = whole_nodes
        self.memory = memory
        self.by_user = False  # some job does not share nodes with everybody: each user has categories of its own
        self._known: dict[tuple[object, ...], Need] = {}

    def mind_users(self) -> None:
        """Keep categories of different users apart from now on."""
        if not self.by_user:
            self.by_user = True
            self._known.clear()

    def find(self, job: Job, partition: str) -> Need:
        """Return the category of ``job`` in a partition ("": its own, else the first that it asked for)."""
        name = partition or job.partition or job.request.partition
        request = job.request
        key = (name, job.user_id if self.by_user else -1, _values_of(request))
        need = self._known.get(key)
        if need is None:
            part = self.partitions.get(name) or self.partitions.get(name.partition(",")[0])
            if not self.by_user and (request.exclusive == "USER" or (part and part.exclusive_user)):
                self.mind_users()
                return self.find(job, partition)
            if len(self._known) >= self.LIMIT:
                self._known.clear()
            need = self._known[key] = self._resolve(request, part, key[1])
        return need

    def _resolve(self, request: JobRequest, part: PartitionConf | None, user: int) -> Need:
        mode, rows = self._sharing(request, part)
        task_cpus, task_gres = _task_tres(request)
        task_gpus = sum(g.amount for g in task_gres if g.name == "gpu")
        task_cpus = max(task_cpus, task_gpus * (request.cpus_per_gpu or 0))
        mem_per_cpu, cpus_per_task = self._memory_per_cpu(request, part, max(1, request.cpus_per_task or task_cpus))
        gres = (
            tuple(g for g in parse(request.gres) if g.amount)
            + _gpus(request.gpus_per_node)
            + _gpus(request.gpus_per_socket, request.sockets_per_node)
        )
        gpus = sum(g.amount for g in gres if g.name == "gpu")
        tasks_per_node = _tasks_per_node(request)
        alone = request.exclusive == "USER" or bool(part and part.exclusive_user)
        return Need(
            num_tasks=request.num_tasks or 0,
            min_cpus=request.min_cpus or 0,
            cpus_per_task=cpus_per_task,
            tasks_per_node=tasks_per_node,
            node_cpus=node_cpus(request, cpus_per_task, gpus),
            least_cpus=least_cpus(request, cpus_per_task, gpus),
            max_node_cpus=tasks_per_node * cpus_per_task,
            cap=_cap(part),
            mem_per_cpu=mem_per_cpu,
            mem_per_node=self._memory_per_node(request),
            mem_per_gpu=request.mem_per_gpu or 0,
            memory=self.memory,
            gres=gres,
            task_gres=task_gres,
            job_gres=_gpus(request.gpus),
            cpus_per_gpu=request.cpus_per_gpu or 0,
            mode=mode,
            rows=rows,
            user=user,
            alone=alone,
            threads=1 if request.ntasks_per_core == 1 else request.threads_per_core or 0,
            sockets=request.sockets_per_node or 0,
            cores=request.cores_per_socket or 0,
            socket_tasks=request.ntasks_per_socket or 0,
            spec_cores=request.core_spec or 0,
            spec_threads=request.thread_spec or 0,
            tmp_disk=request.min_tmp_disk or 0,
            overcommit=request.overcommit,
            contiguous=request.contiguous,
            spread=request.spread_job,
            least_loaded=bool(part and part.lln) or "CR_LLN" in self.config.get("SelectTypeParameters").upper(),
        )

    def _sharing(self, request: JobRequest, part: PartitionConf | None) -> tuple[int, int]:
        """Return how the job uses nodes, and how many jobs may use one CPU (linear: one node) at once."""
        word, _, count = (part.over_subscribe if part else "NO").upper().partition(":")
        rows = max(1, int(count)) if count.isdigit() else 4
        kept = request.core_spec is not None or request.thread_spec is not None
        if word == "EXCLUSIVE" or request.exclusive == "NODE" or kept:
            return RESERVED, 1
        if rows > 1 and (word == "FORCE" or (word == "YES" and request.oversubscribe)):
            return SHARED, rows
        return (RESERVED if self.whole_nodes else ONE_ROW), 1

    def _memory_per_cpu(self, request: JobRequest, part: PartitionConf | None, cpus: int) -> tuple[int, int]:
        """Return memory for each CPU and CPUs for each task: more CPUs if a CPU would have more than its limit."""
        wanted = request.mem_per_cpu or 0
        limit = (part.max_mem_per_cpu if part else None) or self.config.number("MaxMemPerCPU")
        if request.mem_per_node is not None or not limit or wanted <= limit:
            return (0 if request.mem_per_node is not None else wanted), cpus
        times = -(-wanted // limit)
        return -(-wanted // times), cpus * times

    def _memory_per_node(self, request: JobRequest) -> int:
        if request.mem_per_node is not None:
            return request.mem_per_node or WHOLE_MEMORY
        nothing_asked = not request.mem_per_cpu and not request.mem_per_gpu
        return WHOLE_MEMORY if self.memory and nothing_asked else 0


def _gpus(text: str, times: int | None = None) -> tuple[Gres, ...]:
    """Return the entries of a ``--gpus*`` text: ``2``, ``tesla:2`` or ``tesla:1,volta:1``."""
    if not text:
        return ()
    names = ",".join(f"gpu:{item}" for item in text.split(","))
    return tuple(replaced(g, amount=g.amount * (times or 1)) for g in parse(names) if g.amount)


def _task_tres(request: JobRequest) -> tuple[int, tuple[Gres, ...]]:
    """Return the CPUs and the gres of one task (``--tres-per-task=cpu:2,gres/gpu:1``, ``--gpus-per-task``)."""
    entries = parse(request.tres_per_task)
    cpus = next((g.amount for g in entries if g.name == "cpu"), 1)
    return cpus, _gpus(request.gpus_per_task) + of_tasks(request.tres_per_task)


def _tasks_per_node(request: JobRequest) -> int:
    """Return the most tasks of a node, 0: any number."""
    if request.ntasks_per_node:
        return request.ntasks_per_node
    return (request.ntasks_per_socket or 0) * (request.sockets_per_node or 0)


def node_cpus(request: JobRequest, cpus_per_task: int, gpus: int = 0) -> int:
    """Return the CPUs that a node must have room for.

    With --ntasks too, a node needs room for all tasks of --ntasks-per-node, though it may get fewer.
    Source: recorded from Slurm 26.11 (workload W2, ``odd96``).
    """
    tasks = 1 if request.overcommit else request.ntasks_per_node or 1
    return max(request.min_cpus_per_node or 1, tasks * cpus_per_task, gpus * (request.cpus_per_gpu or 0))


def least_cpus(request: JobRequest, cpus_per_task: int, gpus: int = 0) -> int:
    """Return the fewest CPUs that the job takes of a node: with --ntasks, --ntasks-per-node is only an upper limit."""
    tasks = 1 if request.num_tasks or request.overcommit else request.ntasks_per_node or 1
    return max(request.min_cpus_per_node or 1, tasks * cpus_per_task, gpus * (request.cpus_per_gpu or 0))


def _cap(part: PartitionConf | None) -> Cap | None:
    if part is None or (part.max_cpus_per_node is None and part.max_cpus_per_socket is None):
        return None
    return Cap(part.partition_name, part.max_cpus_per_node, part.max_cpus_per_socket)

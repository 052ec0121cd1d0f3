"""The place of a step in its job: which nodes, CPUs and memory it gets, and which task runs where.

A step without ``--exact`` has all CPUs of its job on its nodes, so that no other fits beside it; one that may
``overlap`` takes nothing from others. What a step holds is in its job's record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import step_gpus
from slimsched.errors import SlurmError, UserError
from slimsched.executor import task_layout
from slimsched.model import resources
from slimsched.model.record import Record, Value
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.job import Job


class Wanted(Value, frozen=True):
    """What a step asks for. Memory in MB, None for what its job has; ``nodes`` 0: as many as its tasks need."""

    name: str
    tasks: int
    nodes: int = 0
    named: Sequence[str] = ()  # nodes that it must have; for tasks laid out at will one for each
    without: Sequence[str] = ()
    first: int = 0  # number of the node in its job that it begins at
    cpus_per_task: int = 1
    per_node: int = 0  # most tasks on a node, 0: as many as its CPUs hold
    exact: bool = False
    overlap: bool = False
    overcommit: bool = False
    mem_per_node: int | None = None
    mem_per_cpu: int | None = None
    gpus: int | None = None  # on each node, None: all that its job has there
    gpus_per_task: int = 0
    task_gres: Mapping[str, int] = {}  # what each task asks for, by name (``gres/shard``)
    layout: str = ""
    plane: int = 1
    time_limit: int | None = None


class Place(Value, frozen=True):
    """Where a step runs: names of nodes, and on each the CPUs, the MB, the ranks of the tasks, the numbers of GPUs."""

    nodes: list[str]
    cpus: list[int]
    memory: list[int]
    tasks: list[list[int]]
    gpus: list[list[int]]
    layout: str


def place(job: Job, wanted: Wanted) -> Place | None:
    """Return where a step can run now, None if it has to wait for others of its job.

    Raises `SlurmError` or `UserError` for one that can never run there.
    """
    usable = _usable(job, wanted)
    count = wanted.nodes or min(wanted.tasks, len(usable))
    if count > len(usable):
        raise UserError(f"Only allocated {len(usable)} nodes asked for {count}")
    if not wanted.overcommit:
        _check_cpus(job, wanted, usable)
    left = _left(job)
    room = _room(job, wanted, left.cpus)
    chosen = _chosen(wanted, usable, room, count)
    if chosen is None:
        return None
    names = hostlist.expand(job.nodes, dialect="slurm")
    nodes = [names[n] for n in chosen]
    kind = wanted.layout or (task_layout.CYCLIC if wanted.tasks <= count else task_layout.BLOCK)
    if kind == task_layout.ARBITRARY:
        tasks = task_layout.arbitrary(nodes, wanted.named)
    else:
        tasks = task_layout.lay_out(kind.partition(":")[0], [room[n] for n in chosen], wanted.tasks, wanted.plane)
    cpus = [_cpus(job, wanted, n, len(here)) for n, here in zip(chosen, tasks, strict=True)]
    memory = [_memory(job, wanted, n, count) for n, count in zip(chosen, cpus, strict=True)]
    if any(asked > job.memory[n] for n, asked in zip(chosen, memory, strict=True) if asked):
        raise SlurmError(Errno.INVALID_TASK_MEMORY)
    if not wanted.overlap and any(asked > left.memory[n] for n, asked in zip(chosen, memory, strict=True) if asked):
        return None
    _check_gres(job, wanted, chosen, tasks)
    counts = [wanted.gpus_per_task * len(here) if wanted.gpus_per_task else wanted.gpus for here in tasks]
    gpus = step_gpus.choose(job, chosen, counts, overlap=wanted.overlap)
    return None if gpus is None else Place(nodes, cpus, memory, tasks, gpus, kind)


def _usable(job: Job, wanted: Wanted) -> list[int]:
    """Return the numbers of the job's nodes that a step may have."""
    names = hostlist.expand(job.nodes, dialect="slurm")
    if set(wanted.named) - set(names):
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)
    usable = [n for n, name in enumerate(names) if name not in wanted.without and n >= wanted.first]
    if not usable:
        raise UserError("Hostlist is empty!  Can't run job.")
    required = [n for n in usable if names[n] in wanted.named]
    if wanted.layout == task_layout.ARBITRARY or len(required) >= (wanted.nodes or len(required) or 1):
        return required or usable
    return [*required, *(n for n in usable if n not in required)]


def _check_cpus(job: Job, wanted: Wanted, usable: list[int]) -> None:
    """Refuse more CPUs than the job has; tasks too large for any node wait, as in Slurm, for ever."""
    most = sum(job.cpus[n] for n in usable)
    if wanted.tasks * wanted.cpus_per_task > most and wanted.cpus_per_task <= max(job.cpus):
        raise SlurmError(Errno.TOO_MANY_REQUESTED_CPUS)


def _check_gres(job: Job, wanted: Wanted, chosen: list[int], tasks: list[list[int]]) -> None:
    """Refuse more generic resources for the tasks of a node than the job has there."""
    if not wanted.task_gres:
        return
    for n, here in zip(chosen, tasks, strict=True):
        have = resources.gres(job.gres[n] if n < len(job.gres) else "")
        if any(count * len(here) > have.get(name, 0) for name, count in wanted.task_gres.items()):
            raise SlurmError(Errno.INVALID_GRES)


class _Left(Record):
    """The CPUs and MB on each node of a job that no step has."""

    cpus: list[int]
    memory: list[int]


def _left(job: Job) -> _Left:
    place = {name: n for n, name in enumerate(hostlist.expand(job.nodes, dialect="slurm"))}
    left = _Left(list(job.cpus), list(job.memory) or [0] * len(job.cpus))
    for step in job.steps:
        if step.end is not None or step.overlap:
            continue
        names = hostlist.expand(step.nodes, dialect="slurm")
        for name, cpus, memory in zip(names, step.cpus, step.memory, strict=False):
            left.cpus[place[name]] -= cpus
            left.memory[place[name]] -= memory
    return left


def _room(job: Job, wanted: Wanted, left: list[int]) -> list[int]:
    """Return how many tasks each node of the job takes now."""
    found = []
    for have, free in zip(job.cpus, left, strict=True):
        usable = have if wanted.overlap else max(0, free)
        if not wanted.exact and usable < have:
            usable = 0
        room = usable // wanted.cpus_per_task
        if wanted.overcommit and usable:
            room = max(1, room)
        found.append(min(room, wanted.per_node) if wanted.per_node else room)
    return found


def _cpus(job: Job, wanted: Wanted, node: int, tasks: int) -> int:
    """Return the CPUs of a step on a node of its job."""
    return min(job.cpus[node], tasks * wanted.cpus_per_task) if wanted.exact else job.cpus[node]


def _chosen(wanted: Wanted, usable: list[int], room: list[int], count: int) -> list[int] | None:
    """Return the numbers of a step's nodes, in their order, None if too few are free."""
    able = [n for n in usable if room[n]]
    enough = wanted.tasks if not wanted.overcommit else 0
    for order in (able, sorted(able, key=lambda n: -room[n])):
        found = sorted(order[:count])
        if len(found) == count and sum(room[n] for n in found) >= enough:
            return found
    return None


def _memory(job: Job, wanted: Wanted, node: int, cpus: int) -> int:
    """Return the MB of a step on a node of its job, 0 where nobody counts memory."""
    if not any(job.memory):
        return 0
    if wanted.mem_per_node is not None:
        return wanted.mem_per_node or job.memory[node]
    if wanted.mem_per_cpu:
        return wanted.mem_per_cpu * cpus
    return job.memory[node] * cpus // max(1, job.cpus[node])

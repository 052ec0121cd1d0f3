"""The nodes that are large enough for one part of a job, and those of them that have that much free now.

The select plugin decides: it is asked about the least that the job can use of a single node. The figures beside
its answer are the books of the running jobs.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.explain.steps import Step
from slimsched.controller.requests import resource_texts
from slimsched.model import bitmap
from slimsched.model.record import replaced
from slimsched.select import gres
from slimsched.select.need import node_cpus
from slimsched.select.questions import fits
from slimsched.select.records import JobTest, Mode
from slimsched.text import hostlist, times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.model.request import JobRequest

_SHOWN = 3  # jobs named per node


class Used(NamedTuple):
    """The resources of a node that running jobs hold."""

    cpus: int
    memory: int
    jobs: tuple[Job, ...]
    gres: tuple[gres.Gres, ...] = ()


_NOTHING = Used(0, 0, ())


def hardware(ctl: Controller, job: Job, part: PartitionConf) -> Step:
    """Return the step of the nodes that are large enough, were they empty."""
    request = _by_node(job.request)
    nodes = ctl.cluster.nodes
    able = rooms(ctl, job, part)[0]
    return Step("hardware", _wish(request), able, lambda i: _too_small(nodes[i], request), lasting=True)


def free(ctl: Controller, job: Job, part: PartitionConf) -> Step:
    """Return the step of the nodes that have enough free now; those that are too small are not judged."""
    cluster, request = ctl.cluster, _by_node(job.request)
    books = cache(lambda: _books(cluster))

    def words(index: int) -> str:
        return _busy(cluster.nodes[index], books().get(index, _NOTHING), request)

    able, now = rooms(ctl, job, part)
    return Step("resources", "free now", now | bitmap.full(len(cluster.nodes)) & ~able, words)


def rooms(ctl: Controller, job: Job, part: PartitionConf) -> tuple[int, int]:
    """Return the nodes on which a part of the job could ever run, and those on which it could run now."""
    cluster = ctl.cluster
    part_of = _least(job)

    def question(nodes: int) -> JobTest:
        return JobTest.of(part_of, part.partition_name, nodes, 1, 1)

    nodes = cluster.partition_bitmap(part.partition_name)
    if ctl.foresight is not None:
        shape = ctl.foresight.shape(question(bitmap.full(len(cluster.nodes))))
        if shape is not None and shape.size:
            openings = ctl.foresight.openings(shape, bitmap.full(len(cluster.nodes)))
            return openings.nodes, openings.steps[0][1]
    able = bitmap.of(i for i in bitmap.iterate(nodes) if fits(ctl.select, question(1 << i), Mode.TEST_ONLY))
    now = bitmap.of(i for i in bitmap.iterate(able) if fits(ctl.select, question(1 << i), Mode.RUN_NOW))
    return able, now


def _least(job: Job) -> Job:
    """Return a copy of the job that asks for the least that the job can use of a node."""
    small = copy.copy(job)
    small.request = request = copy.copy(_by_node(job.request))
    if request.num_tasks is not None:
        request.num_tasks = 1
    request.min_nodes = request.max_nodes = 1
    request.gpus = request.job_size = request.nodelist = request.features = request.prefer = ""
    request.contiguous = False
    request.switches = None
    return small


def _by_node(request: JobRequest) -> JobRequest:
    """Return a request with the fewest GPUs of the whole job that each of its nodes must have."""
    if not request.gpus or request.gpus_per_node:
        return request
    most = request.max_nodes or 0
    wanted = resource_texts.gpus(request.gpus)
    fewest = [(want.type, -(-want.amount // most) if most else 1) for want in wanted]
    return replaced(
        request, gpus_per_node=",".join(f"{kind}:{count}" if kind else str(count) for kind, count in fewest)
    )


# the words


def _per_node(request: JobRequest) -> int:
    """Return the fewest CPUs that a job can use of a node, GPUs apart."""
    return node_cpus(request, request.cpus_per_task or 1)


def _memory(request: JobRequest) -> int:
    """Return the least memory of a node that a job needs, in MB."""
    return request.mem_per_node or (request.mem_per_cpu or 0) * _per_node(request)


def _wish(request: JobRequest) -> str:
    """Return what a job asks of each node."""
    cpus = _per_node(request)
    whole = "a whole node, " if request.exclusive == "NODE" else ""
    said = [f"{whole}{cpus} CPU{'s' * (cpus > 1)}"]
    if _memory(request):
        said.append(f"{_memory(request)} MB")
    if request.min_tmp_disk:
        said.append(f"{request.min_tmp_disk} MB of TmpDisk")
    return ", ".join([*said, *(_entry(want) for want in _gres(request))])


def _gres(request: JobRequest) -> tuple[gres.Gres, ...]:
    """Return the generic resources that a job asks of each node."""
    return (*gres.parse(request.gres), *resource_texts.gpus(request.gpus_per_node))


def _entry(want: gres.Gres) -> str:
    return ":".join(filter(None, (want.name, want.type, str(want.amount))))


def _too_small(node: Node, request: JobRequest) -> str:
    rows = (
        ("CPUs", node.cpus, _per_node(request)),
        ("RealMemory", node.real_memory, _memory(request)),
        ("TmpDisk", node.tmp_disk, request.min_tmp_disk or 0),
        ("Sockets", node.sockets, request.sockets_per_node or 0),
        ("CoresPerSocket", node.cores_per_socket, request.cores_per_socket or 0),
        ("ThreadsPerCore", node.threads_per_core, request.threads_per_core or 0),
    )
    for name, has, wanted in rows:
        if has < wanted:
            return f"{name}={has}, wanted {wanted}"
    have = gres.parse(node.gres)
    lacking = [want for want in _gres(request) if gres.free_of(have, [0] * len(have), want) < want.amount]
    if lacking:
        return f"Gres={node.gres or 'none'}, wanted {', '.join(map(_entry, lacking))}"
    return f"Gres={node.gres or 'none'}, CPUs={node.cpus}, wanted {_wish(request)}"


def _busy(node: Node, used: Used, request: JobRequest) -> str:
    cpus, memory = max(0, node.cpus - used.cpus), max(0, node.real_memory - used.memory)
    wanted = _memory(request)
    if cpus < _per_node(request) or request.exclusive == "NODE" or not used.jobs:
        said = f"{cpus} of {node.cpus} CPUs free, wanted {'all' if request.exclusive == 'NODE' else _per_node(request)}"
    elif memory < (wanted or 1):
        said = f"{memory} of {node.real_memory} MB free, wanted {wanted or 'all'}"
    else:
        all_of_it = f"{memory} of {node.real_memory} MB free, wanted all" if not wanted and used.memory else ""
        said = _devices(node, used, request) or all_of_it or f"in use, wanted {_wish(request)}"
    return f"{said}{_holders(used)}"


def _devices(node: Node, used: Used, request: JobRequest) -> str:
    """Return the first generic resource of which too little is free, "" if there is enough of each."""
    have = gres.parse(node.gres)
    for want in _gres(request):
        there = gres.free_of(have, [0] * len(have), want)
        free = there - sum(g.amount for g in used.gres if g.name == want.name and want.type in ("", g.type))
        if free < want.amount:
            return (
                f"{max(0, free)} of {there} {':'.join(filter(None, (want.name, want.type)))} free, wanted {want.amount}"
            )
    return ""


def _holders(used: Used) -> str:
    """Return the jobs on a node and when the last of them must have ended."""
    from slimsched.controller.life import arrays

    if not used.jobs:
        return ""
    names = ", ".join(arrays.label(job) for job in used.jobs[:_SHOWN]) + ", ..." * (len(used.jobs) > _SHOWN)
    ends = [job.end_time for job in used.jobs]
    until = f" until {times.instant(max(ends))}" if all(ends) else ""
    return f"; job{'s' * (len(used.jobs) > 1)} {names}{until}"


def together(among: Iterable[Node], most: int, request: JobRequest) -> tuple[str, str]:
    """Return what a job wants in total, and what some nodes, ``most`` of them at most, have: what does not fit."""
    nodes = list(among)
    cpus = (request.num_tasks or 1) * (request.cpus_per_task or 1)
    rows = [("CPUs", cpus, [node.cpus for node in nodes])]
    for want in resource_texts.gpus(request.gpus):
        slots = [gres.parse(node.gres) for node in nodes]
        name = " ".join(filter(None, (want.type, "GPUs")))
        rows.append((name, want.amount, [gres.free_of(each, [0] * len(each), want) for each in slots]))
    if request.mem_per_cpu:
        rows.append(("MB", cpus * request.mem_per_cpu, [node.real_memory for node in nodes]))
    sums = [(unit, wanted, sum(sorted(each, reverse=True)[:most])) for unit, wanted, each in rows]
    short = [row for row in sums if row[1] > row[2]] or sums[:1]
    return ", ".join(_units(n, unit) for unit, n, _ in short), ", ".join(_units(n, unit) for unit, _, n in short)


def _units(amount: int, unit: str) -> str:
    return f"{amount} {unit.removesuffix('s') if amount == 1 else unit}"


def holders(cluster: Cluster, nodes: int) -> list[Job]:
    """Return the running jobs that hold something of some nodes, the first to end first."""
    books = _books(cluster)
    found = {job.job_id: job for i in bitmap.iterate(nodes) for job in books.get(i, _NOTHING).jobs}
    return sorted(found.values(), key=lambda job: (job.end_time or 1 << 62, job.job_id))


def _books(cluster: Cluster) -> dict[int, Used]:
    books: dict[int, Used] = {}
    for job in cluster.jobs.values():
        if job.active:
            _book(cluster, books, job)
    return books


def _book(cluster: Cluster, books: dict[int, Used], job: Job) -> None:
    names = hostlist.expand(job.nodes, dialect="slurm")
    for place, name in enumerate(names):
        index = cluster.node_index[name]
        old = books.get(index, _NOTHING)
        running = job.state == "RUNNING"  # a suspended job leaves its CPUs to others
        cpus = job.cpus[place] if running and place < len(job.cpus) else 0
        memory = job.memory[place] if place < len(job.memory) else 0
        devices = gres.parse(job.gres[place]) if place < len(job.gres) else ()
        books[index] = Used(old.cpus + cpus, old.memory + memory, (*old.jobs, job), old.gres + devices)

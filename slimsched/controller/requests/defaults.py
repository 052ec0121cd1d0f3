"""Defaults that slurmctld fills in when a submission leaves them open: sizes, memory, requeue.

The request is completed in place and becomes the job's; nothing here refuses anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.job import HOLD_PRIORITY
from slimsched.model.resources import CPUS, MEMORY, gpu_defaults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest


def fill(cluster: Cluster, request: JobRequest, partitions: Sequence[PartitionConf]) -> None:
    """Complete ``request`` for the first of the partitions that it may use."""
    fill_gpus(cluster, request, partitions[0])
    fill_size(cluster, request)
    fill_memory(cluster, request, partitions[0])
    if request.requeue is None:
        request.requeue = cluster.config.number("JobRequeue") != 0
    if request.kill_on_invalid_dep is None and "kill_invalid_depend" in cluster.config.parameters:
        request.kill_on_invalid_dep = True


def fill_size(cluster: Cluster, request: JobRequest) -> None:
    """Derive tasks and nodes from each other.

    A node count without range means one task a node; a node list without node count asks for all its nodes.
    With a range of nodes, or more GPUs than a node has, the tasks stay open: there will be one on each node that the
    job gets.
    """
    if request.ntasks_per_gpu:
        _fill_gpus(request)
    asked = request.min_nodes
    named = cluster.bitmap_of(request.nodelist).bit_count() if request.nodelist else 0
    low = max(1, named) if asked is None else asked
    fixed = (asked is None and not _on_several(cluster, request)) or (request.max_nodes == low and not request.job_size)
    if request.min_cpus_per_node is None:
        tasks = 1 if request.num_tasks else request.ntasks_per_node or 1
        request.min_cpus_per_node = tasks * (request.cpus_per_task or 1)
    if request.num_tasks is None and (fixed or request.ntasks_per_node):
        request.num_tasks = low * (request.ntasks_per_node or 1)
    request.min_nodes = low


def fill_gpus(cluster: Cluster, request: JobRequest, part: PartitionConf) -> None:
    """Take the default CPUs and memory for each GPU (``DefCpuPerGPU``, ``DefMemPerGPU``), if the job has GPUs."""
    given = {**gpu_defaults(cluster.config), **gpu_defaults(cluster.config, part)}
    if not given:
        return
    from slimsched.priority.tres import devices

    if "gres/gpu" not in devices(request, 1, 1):
        return
    if request.cpus_per_gpu is None and request.cpus_per_task is None:
        request.cpus_per_gpu = given.get(CPUS)
    if all(value is None for value in (request.mem_per_node, request.mem_per_cpu, request.mem_per_gpu)):
        request.mem_per_gpu = given.get(MEMORY)


def _on_several(cluster: Cluster, request: JobRequest) -> bool:
    """Whether a job wants more GPUs than any one node can give it; it then gets as many nodes as it needs."""
    if not request.gpus:
        return False
    from slimsched.controller.requests.resource_texts import gpus, most_of
    from slimsched.controller.requests.shapes import shapes

    for want in gpus(request.gpus):
        if want.amount > max((most_of(shape, want, request) for shape, _ in shapes(cluster)), default=0):
            return True
    return False


def _fill_gpus(request: JobRequest) -> None:
    """With ``--ntasks-per-gpu``, derive tasks from the GPUs of the job or its nodes, or these from the tasks."""
    from slimsched.controller.requests.resource_texts import gpus_of_node
    from slimsched.select import gres

    each = request.ntasks_per_gpu or 1
    if request.gpus and request.num_tasks is None:
        total = sum(entry.amount for entry in gres.parse(f"gpu:{request.gpus.replace(',', ',gpu:')}"))
        request.num_tasks = total * each
    elif of_node := gpus_of_node(request):
        request.ntasks_per_node = of_node * each
        if request.num_tasks is None:
            request.num_tasks = (request.min_nodes or 1) * of_node * each
    elif request.num_tasks is not None and not (request.gpus or request.gpus_per_node or request.gpus_per_task):
        request.gpus = str(max(1, request.num_tasks // each))


def fill_memory(cluster: Cluster, request: JobRequest, part: PartitionConf) -> None:
    """Take the default memory of the partition, or else of the cluster; without one a job gets all of the node's."""
    if (request.mem_per_node, request.mem_per_cpu, request.mem_per_gpu) != (None, None, None):
        return
    choices = (
        ("mem_per_cpu", part.def_mem_per_cpu),
        ("mem_per_node", part.def_mem_per_node),
        ("mem_per_cpu", cluster.config.number("DefMemPerCPU") or None),
        ("mem_per_node", cluster.config.number("DefMemPerNode") or None),
        ("mem_per_node", 0),
    )
    field, value = next((field, value) for field, value in choices if value is not None)
    setattr(request, field, value)


def min_cpus(request: JobRequest) -> int:
    """Return the fewest CPUs that the whole job needs, after `fill_size`."""
    tasks = 1 if request.overcommit else request.num_tasks or 1
    cpus = tasks * (request.cpus_per_task or 1)
    return max(cpus, request.min_nodes or 0)


def set_priority(ctl: Controller, job: Job) -> None:
    """Give a new, released or requeued job the priority that the plugins answer.

    The scheduler plugin is told the lowest number so far, as by slurmctld, but never one that leaves nothing
    between itself and the zero of a hold.
    """
    cluster = ctl.cluster
    base = ctl.sched.initial_priority(max(2, cluster.next_priority + 1))
    if base:
        cluster.next_priority = min(cluster.next_priority, base - 1)
    job.sched_hold = not base
    job.priority = ctl.priority.set(base, job) if base else HOLD_PRIORITY

"""Could a job run at all on the nodes of a partition, were they empty and up?

A submission that fits no node is refused (oracle: "Requested node configuration is not available"), with a line
ahead of it that names the first kind of resource that no node has enough of.
Source: scenarios sbatch_errors, partition_limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import partition_limits
from slimsched.controller.node_sets import FLUX, LASTING, REQUIRES
from slimsched.controller.resources import gpus, most_of, of_tasks
from slimsched.controller.shapes import shapes
from slimsched.model import bitmap
from slimsched.select import gres

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.shapes import Shape
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest

PROBLEM = "Problem using reservation"
"""What is said of a job that a reservation has no place for."""


def problem(cluster: Cluster, request: JobRequest, partitions: Sequence[PartitionConf]) -> str | None:
    """Return ``None`` if the job could run in one of the partitions, else what to say ahead of the refusal.

    A partition whose limits keep the job waiting is not asked: they may change.
    """
    said = ""
    for part in partitions:
        if partition_limits.reason(cluster, request, part):
            return None
        able = capable(cluster, request, part)
        if _enough(cluster, request, able):
            return None
        said = said or _complaint(cluster, request, part)
    return said


def notes(cluster: Cluster, request: JobRequest, partitions: Sequence[PartitionConf]) -> tuple[str, ...]:
    """Return lines of our own about constraints that Slurm has no words for and that too few nodes satisfy."""
    low = request.min_nodes or 1
    nodes = 0
    for part in partitions:
        nodes |= cluster.partition_bitmap(part.partition_name)
    said = []
    for item in (FLUX, REQUIRES):
        text = item.text(request)
        found = (item.nodes(cluster, text) & nodes).bit_count() if text else low
        if found < low:
            count = f"only {found} nodes" if found > 1 else "only 1 node" if found else "no node"
            verb = "satisfy" if found > 1 else "satisfies"
            said.append(f"--{item.option}: {count} of {request.partition} {verb} it")
    return tuple(said)


def _enough(cluster: Cluster, request: JobRequest, able: int) -> bool:
    """Whether the capable nodes hold the required ones and as many as are asked for."""
    low = request.min_nodes or 1
    kinds = _alternatives(cluster, request, able) if request.features else [able]
    fits = any(kind.bit_count() >= low and _enough_gpus(cluster, request, kind) for kind in kinds)
    return fits and not cluster.bitmap_of(request.nodelist) & ~able


def _enough_gpus(cluster: Cluster, request: JobRequest, nodes: int) -> bool:
    """Whether some nodes hold all GPUs of a job, on as many of them as it may have."""
    tasks = request.num_tasks or 1
    of_task = (*gpus(request.gpus_per_task), *of_tasks(request))
    wanted = [*gpus(request.gpus), *(g._replace(amount=g.amount * tasks) for g in of_task)]
    for want in wanted:
        held: list[tuple[int, int]] = []  # GPUs of a node, and how many such nodes
        for shape, mask in shapes(cluster):
            held.append((most_of(shape, want, request), (mask & nodes).bit_count()))
        total, left = 0, request.max_nodes or nodes.bit_count()
        for each, count in sorted(held, reverse=True):
            total, left = total + each * min(count, left), max(0, left - count)
        if total < want.amount:
            return False
    return True


def _alternatives(cluster: Cluster, request: JobRequest, able: int) -> list[int]:
    """Return the capable nodes of each choice of features (``[a|b]``), less those whose counts cannot be had."""
    from slimsched.constraints import slurm_features
    from slimsched.constraints.evaluate import matching

    found = []
    for choice in slurm_features.parse_spec(request.features).choices:
        kinds = [(able & matching(cluster, kind), count) for kind, count in choice.counts]
        together = 0
        for nodes, _ in kinds:
            together |= nodes
        least, most = choice.min_nodes, request.max_nodes or choice.min_nodes
        if all(nodes.bit_count() >= count for nodes, count in kinds) and together.bit_count() >= least <= most:
            found.append(able & matching(cluster, choice.predicate))
    return found


def _complaint(cluster: Cluster, request: JobRequest, part: PartitionConf) -> str:
    """Return slurmctld's words for what no node has enough of, "" if each thing is to be had somewhere."""
    if request.reservation and cluster.bitmap_of(request.nodelist) & ~_reserved(cluster, request):
        return PROBLEM
    nodes = _asked(cluster, request, part)
    here = [shape for shape, mask in shapes(cluster) if mask & nodes]
    failed = (text for test, text in _TESTS if text and not any(test(request, shape) for shape in here))
    return next(failed, "") if here else ""


def _reserved(cluster: Cluster, request: JobRequest) -> int:
    resv = cluster.reservations.get(request.reservation)
    if resv is None:
        return bitmap.full(len(cluster.nodes))
    from slimsched.controller import reserved

    return reserved.place(cluster, resv)


def capable(cluster: Cluster, request: JobRequest, part: PartitionConf) -> int:
    """Return the nodes of ``part``, whatever their state, that have all that a job asks of one node."""
    able = 0
    for shape, mask in shapes(cluster):
        if all(test(request, shape) for test, _ in _TESTS):
            able |= mask
    return able & _asked(cluster, request, part)


def _asked(cluster: Cluster, request: JobRequest, part: PartitionConf) -> int:
    """Return the nodes of ``part`` that have the properties asked for."""
    nodes = cluster.partition_bitmap(part.partition_name)
    if request.reservation:
        nodes &= _reserved(cluster, request)
    for item in LASTING:
        text = item.text(request)
        if text:
            nodes &= item.nodes(cluster, text)
    return nodes


def _cpus(request: JobRequest, shape: Shape) -> bool:
    kept = (request.core_spec or 0) * shape.threads_per_core + (request.thread_spec or 0)
    return (request.min_cpus_per_node or 1) <= shape.cpus - kept


def _memory(request: JobRequest, shape: Shape) -> bool:
    if request.mem_per_node is not None:
        return request.mem_per_node <= shape.real_memory
    return (request.mem_per_cpu or 0) * (request.min_cpus_per_node or 1) <= shape.real_memory


def _disk(request: JobRequest, shape: Shape) -> bool:
    return (request.min_tmp_disk or 0) <= shape.tmp_disk


def _layout(request: JobRequest, shape: Shape) -> bool:
    return (
        (request.sockets_per_node or 0) <= shape.sockets
        and (request.cores_per_socket or 0) <= shape.cores_per_socket
        and (request.threads_per_core or 0) <= shape.threads_per_core
    )


def _tasks_per_socket(request: JobRequest, shape: Shape) -> bool:
    return (request.ntasks_per_socket or 0) <= shape.cores_per_socket * shape.threads_per_core


def _gres(request: JobRequest, shape: Shape) -> bool:
    if not (request.gres or request.gpus_per_node or request.gpus_per_task or request.tres_per_task):
        return True
    of_node = (*gres.parse(request.gres), *gpus(request.gpus_per_node))
    wanted = (*of_node, *gpus(request.gpus_per_task), *of_tasks(request))
    return all(most_of(shape, want, request) >= want.amount for want in wanted)


_TESTS: tuple[tuple[Callable[[JobRequest, Shape], bool], str], ...] = (
    (_cpus, "CPU count per node can not be satisfied"),
    (_memory, "Memory specification can not be satisfied"),
    (_disk, "Temporary disk specification can not be satisfied"),
    (_layout, "Socket, core and/or thread specification can not be satisfied"),
    (_tasks_per_socket, ""),
    (_gres, ""),
)
"""What one node must offer, in the order in which slurmctld complains, with its words."""

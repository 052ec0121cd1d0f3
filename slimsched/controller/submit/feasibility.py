"""Feasibility: whether a job could run at all on the nodes of a partition, were they empty and up.

A submission of which the select plugin says that it never can is refused (oracle: "Requested node configuration is
not available"), with a line ahead of it that names the first kind of resource that no node has enough of.
Constraints on the nodes' data (``--extra``) do not count: such a job waits for them to change.
Source: scenarios sbatch_errors, partition_limits; select API, simplified flow of logic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import partition_limits
from slimsched.controller.schedule import node_rules
from slimsched.controller.schedule.node_sets import FLUX, REQUIRES
from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.model.request import INFINITE
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.requests.shapes import Shape
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest


def problem(ctl: Controller, job: Job, partitions: Sequence[PartitionConf]) -> str | None:
    """Return ``None`` if a job could run in one of the partitions, else the lines before the refusal.

    The select plugin decides. A partition whose limits keep the job waiting is not asked: they may change.
    """
    cluster = ctl.cluster
    said = ""
    for part in partitions:
        if partition_limits.reason(cluster, job, part) or possible(ctl, job, part):
            return None
        said = said or _complaint(ctl, job, part)
    return said


def possible(ctl: Controller, job: Job, part: PartitionConf) -> bool:
    """Whether a job fits on the nodes of a partition, whatever their state, if no other job runs (TEST_ONLY)."""
    cluster, request = ctl.cluster, job.request
    nodes = asked(ctl, job, part)
    required = cluster.bitmap_of(request.nodelist) if request.nodelist else 0
    low = max(request.min_nodes or 1, part.min_nodes)
    if nodes.bit_count() < low or required & ~nodes:
        return False
    high = max(low, min(request.max_nodes or INFINITE, part.max_nodes or INFINITE, nodes.bit_count()))
    test = JobTest.of(job, part.partition_name, nodes, low, high, required)
    test.amounts = False
    try:
        ctl.select.job_test(test, Mode.TEST_ONLY)
    except Never:
        return False
    except NotNow:
        pass
    return True


def notes(ctl: Controller, job: Job, partitions: Sequence[PartitionConf]) -> tuple[str, ...]:
    """Return our own notes about constraints that too few nodes satisfy and that Slurm has no message for."""
    cluster, request = ctl.cluster, job.request
    low = request.min_nodes or 1
    nodes = 0
    for part in partitions:
        nodes |= cluster.partition_bitmap(part.partition_name)
    said = []
    for item in (FLUX, REQUIRES):
        text = item.text(request)
        found = (ctl.sets.having(item, text) & nodes).bit_count() if text else low
        if found < low:
            count = f"only {found} nodes" if found > 1 else "only 1 node" if found else "no node"
            verb = "satisfy" if found > 1 else "satisfies"
            said.append(f"--{item.option}: {count} of {request.partition} {verb} it")
    return tuple(said)


def _complaint(ctl: Controller, job: Job, part: PartitionConf) -> str:
    """Return slurmctld's message for what no node has enough of, "" if some node has enough of each."""
    from slimsched.controller.requests.shapes import shapes

    cluster, request = ctl.cluster, job.request
    if request.reservation and cluster.bitmap_of(request.nodelist) & ~_reserved(cluster, request):
        from slimsched.controller.reservations.access import PROBLEM

        return PROBLEM
    nodes = asked(ctl, job, part)
    here = [shape for shape, mask in shapes(cluster) if mask & nodes]
    failed = (text for test, text in _TESTS if not any(test(request, shape) for shape in here))
    return next(failed, "") if here else ""


def _reserved(cluster: Cluster, request: JobRequest) -> int:
    resv = cluster.reservations.get(request.reservation)
    if resv is None:
        return bitmap.full(len(cluster.nodes))
    from slimsched.controller.reservations import blocking

    return blocking.place(cluster, resv)


def asked(ctl: Controller, job: Job, part: PartitionConf) -> int:
    """Return the nodes of ``part`` that have the properties asked for."""
    nodes = node_rules.asked(ctl, job, part, node_rules.ASKED_LASTING)
    return nodes & _reserved(ctl.cluster, job.request) if job.request.reservation else nodes


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


_TESTS: tuple[tuple[Callable[[JobRequest, Shape], bool], str], ...] = (
    (_cpus, "CPU count per node can not be satisfied"),
    (_memory, "Memory specification can not be satisfied"),
    (_disk, "Temporary disk specification can not be satisfied"),
    (_layout, "Socket, core and/or thread specification can not be satisfied"),
)
"""What one node must offer, in the order in which slurmctld complains, with its words."""

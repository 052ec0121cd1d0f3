"""Nodes, CPUs and tasks of a job as ``scontrol update`` reads them; a running job may give nodes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import resize
from slimsched.controller.submit import text_checks
from slimsched.controller.update.job_change import checked
from slimsched.errno import Errno
from slimsched.errors import SlurmError
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.controller.update.job_change import Change


def named_nodes(change: Change, value: str) -> None:
    """Refuse names of no nodes."""
    text_checks.node_set(change.ctl.cluster, value)


def num_nodes(change: Change, value: str) -> None:
    """Read ``NumNodes``: ``2`` or ``1-3``; there is a task at least on each node."""
    if change.job.active:
        _resize(change, value)
        return
    if value.upper() == "ALL":
        return
    low_text, dash, high_text = value.partition("-")
    low = change.count(low_text)
    request = change.request
    request.min_nodes, request.max_nodes = low, change.count(high_text) if dash else low
    most = change.ctl.cluster.partition_bitmap(change.partition.partition_name).bit_count()
    if low < 1 or request.max_nodes < low:
        raise SlurmError(Errno.INVALID_NODE_COUNT)
    if low > most:
        raise SlurmError(Errno.REQUESTED_PART_CONFIG_UNAVAILABLE)
    request.num_tasks = max(request.num_tasks or 1, low)
    if request.min_cpus_per_node:
        request.min_cpus = low * request.min_cpus_per_node


def _resize(change: Change, value: str) -> None:
    """Read ``NumNodes`` of a running job: fewer than it has, all, or none, which expands the job it was made for."""
    job, held = change.job, len(change.job.cpus)
    count = held if value.upper() == "ALL" else change.count(value.partition("-")[0])
    if count > held:
        raise SlurmError(Errno.NOT_SUPPORTED)
    if count == 0 and not resize.expanded_by(job):
        raise SlurmError(Errno.INVALID_NODE_COUNT)
    if count == 0:
        change.later.append(lambda: resize.expand(change.ctl, job))
    elif count < held:
        _keep(change, bitmap.lowest(change.ctl.cluster.bitmap_of(job.nodes), count))


def _keep(change: Change, nodes: int) -> None:
    """Let a running job keep only these of its nodes."""
    change.request.min_nodes = change.request.max_nodes = nodes.bit_count()
    change.later.append(lambda: resize.shrink(change.ctl, change.job, nodes))


def req_nodes(change: Change, value: str) -> None:
    """Read ``ReqNodeList``: the nodes that must be among the job's; those that a running job keeps."""
    cluster, job = change.ctl.cluster, change.job
    if not job.active:
        checked("nodelist", named_nodes)(change, value)
        return
    held, keep = cluster.bitmap_of(job.nodes), text_checks.node_set(cluster, value)
    if not keep or keep & ~held or (job.request.batch and not keep & bitmap.lowest(held, 1)):
        raise SlurmError(Errno.INVALID_NODE_NAME)  # the node where the script runs stays
    if keep != held:
        _keep(change, keep)


def num_cpus(change: Change, value: str) -> None:
    """Read ``NumCPUs``: the fewest CPUs of the whole job; an upper bound changes nothing."""
    cpus = change.count(value.partition("-")[0])
    if cpus < 1:
        raise SlurmError(Errno.INVALID_CPU_COUNT)
    change.request.min_cpus = cpus


def min_cpus(change: Change, value: str) -> None:
    """Read ``MinCPUsNode``; the job as a whole needs that many on each of its nodes."""
    cpus = change.count(value)
    if cpus:
        change.request.min_cpus_per_node = cpus
        change.request.min_cpus = cpus * max(change.request.min_nodes or 1, 1)


def num_tasks(change: Change, value: str) -> None:
    """Read ``NumTasks``: one on each node at least."""
    tasks = change.count(value)
    if tasks < max(change.request.min_nodes or 1, 1):
        raise SlurmError(Errno.BAD_TASK_COUNT)
    change.request.num_tasks = tasks

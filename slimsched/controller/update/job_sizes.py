"""Nodes, CPUs and tasks of a job as ``scontrol update`` reads and puts them; a running job may give nodes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import resize
from slimsched.controller.requests import text_checks
from slimsched.controller.update import fields
from slimsched.controller.update.fields import Given
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.slurm import numbers
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.update.job_change import JobChange, Put


# readers, of the text alone


def read_cpus(given: Given) -> int:
    """Read ``NumCPUs``, ``4`` or ``4-8``: the fewest CPUs; an upper bound changes nothing."""
    try:
        low, high = numbers.count_range(given.text, given.field.name)
    except SyntaxFault as fault:
        raise UserError(f"{fault.message}\nInvalid {given.field.name} value: {given.text}") from None
    if low < 1 or (high is not None and high < low):
        raise fields.refusal(given)
    return low


def read_nodes(given: Given) -> tuple[int, int | None] | None:
    """Read ``NumNodes``, ``2`` or ``1-3`` (None: all); a text that is no number leaves the command without effect."""
    if given.text.upper() == "ALL":
        return None
    try:
        return numbers.count_range(given.text, "requested node count")
    except SyntaxFault as fault:
        raise UserError(fault.message, exit_code=0) from None  # the real command forgets to fail


# what a value changes


def exclude(change: JobChange, given: Given) -> None:
    """Put ``ExcNodeList``."""
    _named(change, "exclude", given.text)


def _named(change: JobChange, attribute: str, names: str) -> None:
    """Put a list of nodes that there are; none takes the request back."""
    if names:
        text_checks.node_set(change.ctl.cluster, names)
    setattr(change.trial, attribute, names)


def num_nodes(change: JobChange, given: Given) -> None:
    """Put ``NumNodes``; there is a task at least on each node."""
    if change.job.active:
        _resize(change, len(change.job.cpus) if given.value is None else given.value[0])
        return
    if given.value is None:
        return
    low, high = given.value
    request = change.trial
    request.min_nodes, request.max_nodes = low, low if high is None else high
    if low < 1 or request.max_nodes < low:
        raise SlurmError(Errno.INVALID_NODE_COUNT)
    request.num_tasks = max(request.num_tasks or 1, low)
    if request.min_cpus_per_node:
        request.min_cpus = low * request.min_cpus_per_node


def _resize(change: JobChange, count: int) -> None:
    """Change a running job: fewer nodes than it has, all, or none, which expands the job it was made for."""
    job, held = change.job, len(change.job.cpus)
    if count > held:
        raise SlurmError(Errno.NOT_SUPPORTED)
    if count == 0 and not resize.expanded_by(job):
        raise SlurmError(Errno.INVALID_NODE_COUNT)
    if count == 0:
        change.later.append(lambda: resize.expand(change.ctl, job))
    elif count < held:
        _keep(change, bitmap.lowest(change.ctl.cluster.bitmap_of(job.nodes), count))


def _keep(change: JobChange, nodes: int) -> None:
    """Let a running job keep only these of its nodes."""
    change.trial.min_nodes = change.trial.max_nodes = nodes.bit_count()
    change.later.append(lambda: resize.shrink(change.ctl, change.job, nodes))


def req_nodes(change: JobChange, given: Given) -> None:
    """Put ``ReqNodeList``: the nodes that must be among the job's; those that a running job keeps."""
    cluster, job = change.ctl.cluster, change.job
    if not job.active:
        _named(change, "nodelist", given.text)
        return
    held, keep = cluster.bitmap_of(job.nodes), text_checks.node_set(cluster, given.text)
    if not keep or keep & ~held or (job.request.batch and not keep & bitmap.lowest(held, 1)):
        raise SlurmError(Errno.INVALID_NODE_NAME)  # the node where the script runs stays
    if keep != held:
        _keep(change, keep)


def min_cpus(change: JobChange, given: Given) -> None:
    """Put ``MinCPUsNode``; the job as a whole needs that many on each of its nodes."""
    if given.value:
        change.trial.min_cpus_per_node = given.value
        change.trial.min_cpus = given.value * max(change.trial.min_nodes or 1, 1)


def task_cpus(change: JobChange, given: Given) -> None:
    """Put ``CPUsPerTask``, in place of the CPUs that ``--tres-per-task`` named."""
    items = change.trial.tres_per_task.split(",")
    change.trial.tres_per_task = ",".join(item for item in items if not item.lower().startswith("cpu"))
    change.trial.cpus_per_task = given.value


def num_tasks(change: JobChange, given: Given) -> None:
    """Put ``NumTasks``: one on each node at least."""
    if given.value < max(change.trial.min_nodes or 1, 1):
        raise SlurmError(Errno.BAD_TASK_COUNT)
    change.trial.num_tasks = given.value


def layout(attribute: str) -> Put:
    """Return what puts a number of sockets, cores or threads, which only a job has that asked for one of them."""

    def put(change: JobChange, given: Given) -> None:
        if all(getattr(change.trial, name) is None for name in LAYOUT):
            raise SlurmError(Errno.JOB_NOT_PENDING)
        setattr(change.trial, attribute, given.value)

    return put


LAYOUT = (
    "sockets_per_node",
    "cores_per_socket",
    "threads_per_core",
    "ntasks_per_socket",
    "ntasks_per_core",
)

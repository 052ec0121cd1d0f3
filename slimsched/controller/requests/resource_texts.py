"""Licenses and generic resources: their texts, and whether the cluster has them at all."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError, UserError
from slimsched.select import gres
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.requests.shapes import Shape
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

INVALID_GRES = "Invalid generic resource (gres) specification"


def check_gres(cluster: Cluster, request: JobRequest) -> None:
    """Refuse a gres that the cluster does not have, as the client does from its own copy of the configuration.

    Numbers of GPUs that contradict each other, or the nodes asked for, are refused, too.
    """
    try:
        names = {item.name for item in (*gres.parse(request.gres), *gres.of_tasks(request.tres_per_task))}
        counts = gpu_counts(request)
    except ValueError:
        raise UserError(INVALID_GRES) from None
    if any(counts.values()):
        names.add("gpu")
    if names and not names <= gres_names(cluster):
        raise UserError(INVALID_GRES)
    _check_order(counts, request)
    for one, each in MULTIPLES:
        if counts[one] and counts[each] and counts[one] % counts[each]:
            word = "is not" if (one, each) == ("gpus", "gpus_per_node") else "not"
            raise _contradiction(f", {GPU_FIELDS[one]} {word} multiple of {GPU_FIELDS[each]}")


NODE_GPUS = "--gres=gpu/--gpus-per-node"
GPU_FIELDS = {
    "gpus": "--gpus",
    "gpus_per_node": NODE_GPUS,
    "gpus_per_socket": "--gpus-per-socket",
    "gpus_per_task": "--gpus-per-task",
}
"""Field -> the option that asks for it."""
MULTIPLES = (
    *(("gpus", "gpus_per_node"), ("gpus", "gpus_per_socket"), ("gpus", "gpus_per_task")),
    *(("gpus_per_node", "gpus_per_socket"), ("gpus_per_node", "gpus_per_task")),
)
"""Pairs of fields of which the first must be a multiple of the second if both are given."""


_GPU_WORDS = attrgetter(*GPU_FIELDS, "gres")


def gpus(text: str) -> tuple[gres.Gres, ...]:
    """Return the entries of a ``--gpus*`` text: ``2``, ``tesla:2`` or ``tesla:1,volta:1``. Raises ValueError."""
    return gres.parse(",".join(f"gpu:{item}" for item in text.split(","))) if text else ()


def _check_order(counts: dict[str, int], request: JobRequest) -> None:
    """Refuse fewer GPUs of a job than of a node, of a node than of a socket, of a job than its nodes."""
    sizes = [counts[field] for field in ("gpus", "gpus_per_node", "gpus_per_socket") if counts[field]]
    if sizes != sorted(sizes, reverse=True):
        raise UserError(f"Failed to ensure --gpus >= {NODE_GPUS} >= --gpus-per-socket\n{INVALID_GRES}")
    if 0 < counts["gpus"] < (request.min_nodes or 1):
        raise _contradiction(", --gpus < -N")


def _contradiction(what: str) -> UserError:
    return UserError(f"Failed to validate job spec{what}\n{INVALID_GRES}")


def gpu_counts(request: JobRequest) -> dict[str, int]:
    """Return how many GPUs are asked for by each field of `GPU_FIELDS`. Raises ValueError."""
    if not any(_GPU_WORDS(request)):
        return dict.fromkeys(GPU_FIELDS, 0)
    counts = {field: sum(item.amount for item in gpus(getattr(request, field))) for field in GPU_FIELDS}
    counts["gpus_per_node"] = gpus_of_node(request)
    return counts


def gpus_of_node(request: JobRequest) -> int:
    """Return how many GPUs a job wants of each node: ``--gpus-per-node`` and ``--gres=gpu:2``."""
    wanted = (*gpus(request.gpus_per_node), *gres.parse(request.gres))
    return sum(item.amount for item in wanted if item.name == "gpu")


def check_sizes(request: JobRequest) -> None:
    """Refuse numbers of nodes and tasks that the numbers of GPUs contradict; `normalise` has filled in open ones."""
    job, node, socket, task = gpu_counts(request).values()
    least, nodes = request.min_nodes or 1, job // node if job and node else 0
    if nodes and not least <= nodes <= (request.max_nodes or nodes):
        bounds = f"min_nodes ({least}) and max_nodes ({request.max_nodes or NO_LIMIT}) boundaries."
        raise _contradiction(f". Based on --gpu and {NODE_GPUS} required nodes ({nodes}) doesn't fall between {bounds}")
    if node and socket and request.sockets_per_node not in (None, node // socket):
        raise _differ(f"{NODE_GPUS} and --gpus-per-socket required number of sockets differ from --sockets-per-node.")
    if job and task and request.num_tasks != job // task:
        raise _differ("--gpus and --gpus-per-task number of requested tasks differ from -n/--ntasks.")
    if node and task:
        if request.ntasks_per_node != node // task:
            what = "requested number of tasks per node differ from --ntasks-per-node."
            raise _differ(f"{NODE_GPUS} and --gpus-per-task {what}")
        if request.max_nodes and (request.num_tasks or 0) > request.ntasks_per_node * request.max_nodes:
            raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)


NO_LIMIT = 0xFFFFFFFE
"""The text of a number that was not given."""


def _differ(what: str) -> UserError:
    return _contradiction(f". Based on {what}")


def most_of(shape: Shape, want: gres.Gres, request: JobRequest) -> int:
    """Return how much of a gres an empty node of a shape could give a job: GPUs with the CPUs and memory of each."""
    have = gres.parse(shape.gres)
    limits = [gres.free_of(have, [0] * len(have), want)]
    if want.name == "gpu" and request.cpus_per_gpu:
        limits.append(shape.cpus // request.cpus_per_gpu)
    if want.name == "gpu" and request.mem_per_gpu:
        limits.append(shape.real_memory // request.mem_per_gpu)
    return min(limits)


def gres_names(cluster: Cluster) -> set[str]:
    """Return the names of the generic resources that exist: ``GresTypes`` and those of the nodes."""
    configured = {name for name in cluster.config.get("GresTypes").split(",") if name}
    return configured | {item.name for text in {node.gres for node in cluster.nodes} for item in gres.parse(text)}

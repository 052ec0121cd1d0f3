"""Licenses and generic resources: their texts, and whether the cluster has them at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError
from slimsched.select import gres
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

INVALID_GRES = "Invalid generic resource (gres) specification"


def check_gres(cluster: Cluster, request: JobRequest) -> None:
    """Refuse a gres that the cluster does not have, as the client does from its own copy of the configuration.

    Numbers of GPUs of which one should be a multiple of the other, and is not, are refused, too.
    """
    try:
        names = {item.name for item in gres.parse(request.gres)}
        counts = _gpu_counts(request)
    except ValueError:
        raise UserError(INVALID_GRES) from None
    if any(counts.values()):
        names.add("gpu")
    if not names <= gres_names(cluster) or not _consistent(counts):
        raise UserError(INVALID_GRES)


GPU_FIELDS = ("gpus", "gpus_per_node", "gpus_per_socket", "gpus_per_task")
MULTIPLES = (
    *(("gpus", "gpus_per_node"), ("gpus", "gpus_per_socket"), ("gpus", "gpus_per_task")),
    *(("gpus_per_node", "gpus_per_socket"), ("gpus_per_node", "gpus_per_task")),
)
"""Of which pairs the first must be a multiple of the second, where both are given."""


def gpus(text: str) -> tuple[gres.Gres, ...]:
    """Return the entries of a ``--gpus*`` text: ``2``, ``tesla:2`` or ``tesla:1,volta:1``. Raises ValueError."""
    return gres.parse(",".join(f"gpu:{item}" for item in text.split(","))) if text else ()


def _consistent(counts: dict[str, int]) -> bool:
    return not any(counts[one] and counts[each] and counts[one] % counts[each] for one, each in MULTIPLES)


def _gpu_counts(request: JobRequest) -> dict[str, int]:
    return {field: sum(item.amount for item in gpus(getattr(request, field))) for field in GPU_FIELDS}


def infer_sizes(request: JobRequest) -> None:
    """Fill in what the numbers of GPUs of a new job say of its nodes and tasks; refuse what was said otherwise."""
    counts = _gpu_counts(request)
    job, node, task = (counts[field] for field in ("gpus", "gpus_per_node", "gpus_per_task"))
    if job and node:
        nodes = job // node
        if not (request.min_nodes or 1) <= nodes <= (request.max_nodes or nodes):
            raise UserError(INVALID_GRES)
        request.min_nodes = request.max_nodes = nodes
    if job and task:
        request.num_tasks = _agreed(request.num_tasks, job // task)
    if node and task:
        request.ntasks_per_node = _agreed(request.ntasks_per_node, node // task)


def _agreed(asked: int | None, inferred: int) -> int:
    if asked not in (None, inferred):
        raise UserError(INVALID_GRES)
    return inferred


def gres_names(cluster: Cluster) -> set[str]:
    """Return the names of the generic resources that exist: ``GresTypes`` and those of the nodes."""
    configured = {name for name in cluster.config.get("GresTypes").split(",") if name}
    return configured | {item.name for text in {node.gres for node in cluster.nodes} for item in gres.parse(text)}


def licenses(text: str) -> list[tuple[str, int]]:
    """Return the names and counts of ``--licenses`` (``a:2,b`` or alternatives ``a|b``) or of ``Licenses=``.

    Raises `SlurmError` (INVALID_LICENSES).
    """
    found = []
    for item in text.replace("|", ",").split(","):
        name, sign, count = item.replace("=", ":").replace("*", ":").partition(":")
        if not name or (sign and not is_number(count)):
            raise SlurmError(Errno.INVALID_LICENSES)
        found.append((name, int(count) if sign else 1))
    return found


def check_licenses(cluster: Cluster, text: str) -> None:
    """Refuse licenses that the cluster does not have, or not so many."""
    if not text:
        return
    configured = cluster.config.get("Licenses")
    total = dict(licenses(configured)) if configured else {}
    for name, count in licenses(text):
        if count > total.get(name, 0):
            raise SlurmError(Errno.INVALID_LICENSES)

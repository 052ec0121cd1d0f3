"""The checks that a submission and an update share: texts in the small languages, node names, times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SlurmError, SyntaxFault
from slimsched.slurm.errno import Errno, ErrorCode

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.request import JobRequest

MAX_EXTRA = 1024
"""Bytes of a job's ``--extra``; the language itself has no limit."""

IGNORED = {
    Errno.INVALID_FEATURE: "ignore_constraint_validation",
    Errno.INVALID_PREFER: "ignore_prefer_validation",
}
"""SchedulerParameters that allow a feature that no node has."""


def length(text: str | None, most: int) -> None:
    """Refuse a text of more than ``most`` bytes."""
    if text and len(text) * 4 > most and len(text.encode("utf-8", "surrogateescape")) > most:
        raise SlurmError(Errno.PATHNAME_TOO_LONG)


def node_set(cluster: Cluster, text: str, *, sets: bool = False) -> int:
    """Return the nodes of a hostlist ("ALL": every node); refuse unknown names and bad lists.

    ``sets``: a name may also be that of a NodeSet.
    """
    if text.upper() == "ALL":
        return (1 << len(cluster.nodes)) - 1
    try:
        return cluster.bitmap_of(text, sets=sets)
    except (KeyError, ValueError):
        from slimsched.controller.requests import strangers

        raise SlurmError(Errno.INVALID_NODE_NAME, notes=strangers.nodes(cluster, text)) from None


def features(cluster: Cluster, text: str, errno: ErrorCode) -> None:
    """Refuse a ``-C`` text that does not parse or names a feature that no node has."""
    if not text:
        return
    from slimsched.constraints import slurm_features

    try:
        names = slurm_features.parse_spec(text).names
    except SyntaxFault as fault:
        raise SlurmError(errno, notes=fault.lines()) from None
    if IGNORED[errno] in cluster.config.parameters:
        return
    known = {name for text in {node.features for node in cluster.nodes} for name in text.split(",")}
    unknown = sorted(names - known)
    if unknown:
        from slimsched.text import alike

        there = sorted(known - {""})
        note = f"no node has the feature {unknown[0]!r}{alike.meant(unknown[0], there) or alike.listed(there)}"
        raise SlurmError(errno, notes=(note,))


def extra(cluster: Cluster, text: str) -> None:
    """Refuse an ``--extra`` text that is too long or does not parse; ignored unless constraints are on."""
    length(text, MAX_EXTRA)
    if not cluster.config.extra_constraints:
        return
    from slimsched.constraints import slurm_extra

    try:
        slurm_extra.parse(text)
    except SyntaxFault as fault:
        raise SlurmError(Errno.INVALID_EXTRA, notes=fault.lines()) from None


def flux(request: JobRequest) -> None:
    """Refuse Flux constraints that are wrong: an object by the path to its fault, a query with a caret."""
    from slimsched.constraints import flux_json, flux_query

    try:
        if request.flux_constraint:
            flux_json.parse(request.flux_constraint)
        for text in request.requires:
            flux_query.parse(text)
        if request.requires:
            flux_query.parse(flux_query.together(request.requires))
    except SyntaxFault as fault:
        raise SlurmError(Errno.INVALID_FEATURE, notes=fault.lines()) from None
    except flux_json.ConstraintFault as fault:
        raise SlurmError(Errno.INVALID_FEATURE, notes=(fault.message,)) from None


def deadline(cluster: Cluster, request: JobRequest, part: PartitionConf) -> None:
    """Refuse a deadline by which the job cannot end, even with its shortest limit."""
    if not request.deadline:
        return
    minutes = request.time_min if request.time_min is not None else request.time_limit
    if minutes is None:
        minutes = part.default_time if part.default_time is not None else part.max_time
    start = max(cluster.now, request.begin_time)
    if request.deadline <= start or (minutes is not None and start + minutes * 60 > request.deadline):
        raise SlurmError(Errno.INVALID_TIME_LIMIT)


def time_min(request: JobRequest) -> None:
    """Refuse a least time above the time limit."""
    if request.time_min is not None and request.time_limit is not None and request.time_min > request.time_limit:
        raise SlurmError(Errno.INVALID_TIME_MIN_LIMIT)

"""Licenses and generic resources: their texts, and whether the cluster has them at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError
from slimsched.select import gres

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

INVALID_GRES = "Invalid generic resource (gres) specification"


def check_gres(cluster: Cluster, request: JobRequest) -> None:
    """Refuse a gres that the cluster does not have, as the client does from its own copy of the configuration."""
    try:
        names = {item.name for item in gres.parse(request.gres)}
    except ValueError:
        raise UserError(INVALID_GRES) from None
    if not names <= gres_names(cluster):
        raise UserError(INVALID_GRES)


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
        if not name or (sign and not (count.isascii() and count.isdigit() and len(count) < 10)):
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

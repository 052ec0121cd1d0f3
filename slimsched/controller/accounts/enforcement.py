"""``AccountingStorageEnforce``: which of associations, QOS and limits are enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.slurm import conf

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config


def enforced(config: Config) -> frozenset[str]:
    """Return what is enforced: associations, limits, qos, safe, ..."""
    return conf.enforced(config.get("AccountingStorageEnforce"))


def limited(cluster: Cluster) -> bool:
    """Whether limits of accounts and QOS are enforced, so that the start of one job can keep others back."""
    return bool(cluster.accounting) and "limits" in enforced(cluster.config)


def tracks_wckeys(config: Config) -> bool:
    """Whether every job has a WCKey: the user's own choice, or ``*`` and the usual one."""
    return config.flag("TrackWCKey") or "wckeys" in enforced(config)

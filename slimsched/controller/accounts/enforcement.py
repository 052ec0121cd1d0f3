"""``AccountingStorageEnforce``: which of associations, QOS and limits are enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config

IMPLIED = {
    "associations": {"associations"},
    "limits": {"associations", "limits"},
    "qos": {"associations", "qos"},
    "safe": {"associations", "limits", "safe"},
    "wckeys": {"associations", "wckeys"},
    "nojobs": {"nojobs"},
    "nosteps": {"nojobs", "nosteps"},
    "all": {"associations", "limits", "qos", "safe", "wckeys"},
}
"""Words of ``AccountingStorageEnforce`` -> what they enforce."""


def enforced(config: Config) -> set[str]:
    """Return what is enforced: associations, limits, qos, safe, ..."""
    found: set[str] = set()
    for text in config.get("AccountingStorageEnforce").lower().split(","):
        found |= IMPLIED.get(text.strip(), set())
    return found


def limited(cluster: Cluster) -> bool:
    """Whether limits of accounts and QOS are enforced, so that the start of one job can keep others back."""
    return bool(cluster.accounting) and "limits" in enforced(cluster.config)


def tracks_wckeys(config: Config) -> bool:
    """Whether every job has a WCKey: the user's own choice, or ``*`` and the usual one."""
    return config.get("TrackWCKey").lower() in {"yes", "true", "1", "up"} or "wckeys" in enforced(config)

"""``AccountingStorageEnforce``: which of associations, QOS and limits are enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

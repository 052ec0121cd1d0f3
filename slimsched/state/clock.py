"""The present instant of a loaded cluster: the one place outside ``cli/`` that may read the system's clock."""

from __future__ import annotations

from datetime import UTC, datetime

from slimsched.errors import StateError
from slimsched.model.config import Config


def present(config: Config, saved: int) -> int:
    """Return the instant that the cluster is at (seconds since 1970), not before ``saved``."""
    if config.clock != "wall":
        return saved
    import time

    return max(saved, int(time.time()))


def beginning(config: Config, path: str) -> int:
    """Return the first instant of a new cluster; ``path`` is the configuration's, for the error."""
    if config.clock == "wall":
        return present(config, 0)
    try:
        start = datetime.fromisoformat(config.clock_start)
    except ValueError:
        problem = f"[clock] start: {config.clock_start!r} is no date and time"
        raise StateError(path, problem, 'write it as "2026-01-01T00:00:00"') from None
    return int((start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp())

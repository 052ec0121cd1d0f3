"""The present instant of a loaded cluster: the one place outside ``cli/`` that may read the system's clock."""

from __future__ import annotations

from slimsched.model.config import Config

NOW = "now"


def present(config: Config, saved: int) -> int:
    """Return the present instant of the cluster (seconds since 1970), never before ``saved``."""
    if config.clock != "wall":
        return saved
    import time

    return max(saved, int(time.time()))


def beginning(config: Config) -> int:
    """Return the first instant of a new cluster."""
    if config.clock_start == NOW:
        import time

        return int(time.time())
    return present(config, 0) or parse(config.clock_start) or 0


def step(config: Config) -> int:
    """Return the seconds by which each command moves a virtual clock before its work; usually 0."""
    if config.clock != "virtual" or not config.clock_step:
        return 0
    from slimsched.text import times

    return times.duration(config.clock_step)


def parse(text: str) -> int | None:
    """Return the instant of an ISO date and time, UTC unless it names an offset; ``None`` if the text is wrong."""
    from datetime import UTC, datetime

    try:
        start = datetime.fromisoformat(text)
        return max(0, int((start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()))
    except (ValueError, OverflowError):
        return None

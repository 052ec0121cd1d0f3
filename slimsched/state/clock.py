"""The present instant of a loaded cluster: the one place outside ``cli/`` that may read the system's clock."""

from __future__ import annotations

from slimsched.model.config import Config
from slimsched.text import zone

NOW = "now"


def present(config: Config, saved: int) -> int:
    """Return the present instant of the cluster (seconds since 1970), never before ``saved``."""
    if config.clock != "wall":
        return saved
    import time

    return max(saved, int(time.time()))


def use_zone(config: Config) -> None:
    """Read and show instants in the cluster's time zone from now on. Raises ValueError for an unknown one."""
    zone.use(config.clock_timezone or (zone.LOCAL if config.clock == "wall" else zone.UTC))


def beginning(config: Config) -> int:
    """Return the first instant of a new cluster."""
    use_zone(config)
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
    """Return the instant of an ISO date and time, in the zone in use unless it names an offset; None if it is wrong."""
    from datetime import UTC, datetime

    try:
        start = datetime.fromisoformat(text)
        if start.tzinfo:
            return max(0, int(start.timestamp()))
        return max(0, zone.instant(int(start.replace(tzinfo=UTC).timestamp())))
    except (ValueError, OverflowError):
        return None

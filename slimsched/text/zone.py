"""The time zone in which instants are read and shown: UTC until a cluster chooses another one.

An instant counts the seconds since 1970 in UTC. A civil time counts the seconds since midnight of 1 January 1970 on the
clocks and calendars of the zone, so that days and hours of the zone are found by division.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

LOCAL = "local"
UTC = "UTC"
DAY = 86400

_zone: tzinfo | str = UTC  # LOCAL: the C library's


def use(name: str) -> None:
    """Choose the zone: ``UTC``, ``local`` for that of the machine (TZ), or a name such as ``Europe/Paris``.

    Raises ValueError for a name that this machine does not know.
    """
    global _zone
    _zone = name if name in (UTC, LOCAL) else _named(name)


def _named(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError) as fault:  # also the name of a folder of zones, and a path
        raise ValueError(f"{name!r} is not a time zone") from fault


def offset(instant: int) -> int:
    """Return by how many seconds the zone is ahead of UTC at an instant."""
    if _zone == UTC:
        return 0
    if isinstance(_zone, str):
        return time.localtime(instant).tm_gmtoff
    shift = _at(instant, _zone).utcoffset()
    return int(shift.total_seconds()) if shift is not None else 0


def abbreviation(instant: int) -> str:
    """Return the zone's name at an instant, such as ``CEST``."""
    if isinstance(_zone, str):
        return UTC if _zone == UTC else time.localtime(instant).tm_zone
    return _at(instant, _zone).tzname() or ""


def _at(instant: int, zone: tzinfo) -> datetime:
    from datetime import datetime

    return datetime.fromtimestamp(instant, zone)


def civil(instant: int) -> int:
    """Return the civil time of an instant."""
    return instant + offset(instant)


def instant(civil: int) -> int:
    """Return the instant of a civil time: of two, the first one; of none, as long after the gap as it is in the gap."""
    found = [civil - offset(civil + shift) for shift in (-DAY, DAY)]
    right = [each for each in found if each + offset(each) == civil]
    return min(right, default=found[0])


def midnight(instant_: int) -> int:
    """Return the instant at which the day of an instant begins."""
    today = civil(instant_)
    return instant(today - today % DAY)

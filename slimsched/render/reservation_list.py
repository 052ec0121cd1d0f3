"""The table of ``sinfo -T``: reservations with their times and nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.units import stamp
from slimsched.text.times import elapsed

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.reservation import Reservation

LEAST_WIDTH = 9  # of the names, which make it wider only under a header
NONE = "No reservations in the system"


def state(resv: Reservation, now: int) -> str:
    """Return whether a reservation is in force."""
    return "ACTIVE" if resv.start_time <= now < resv.end_time else "INACTIVE"


def lines(cluster: Cluster, *, header: bool = True) -> list[str]:
    """Return the header and a line for each reservation; one line says that there is none."""
    if not cluster.reservations:
        return [NONE]
    listed = [("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST")] if header else []
    width = max(LEAST_WIDTH, *(len(name) for name in cluster.reservations)) if header else LEAST_WIDTH
    now = cluster.now
    for resv in cluster.reservations.values():
        length = elapsed(resv.end_time - resv.start_time, full=True)
        times = stamp(resv.start_time, now), stamp(resv.end_time, now)
        listed.append((resv.name, state(resv, now), *times, length, resv.nodes))
    return [
        f"{n:<{width}}  {s:>8}  {start:>19}  {end:>19}  {span:>11}  {nodes}" for n, s, start, end, span, nodes in listed
    ]

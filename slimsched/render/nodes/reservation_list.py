"""The table of ``sinfo -T``: reservations with their times and nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.columns import Column, Field, Format
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


def table(cluster: Cluster, *, header: bool = True) -> Format:
    """Return the columns for the reservations of a cluster; a name is never cut."""
    now = cluster.now
    width = max(LEAST_WIDTH, *(len(name) for name in cluster.reservations)) if header else LEAST_WIDTH
    fields = (
        (Field("", "", "RESV_NAME".ljust(width), lambda resv: resv.name.ljust(width)), 0),
        (Field("", "", "STATE", lambda resv: state(resv, now), whole=True), 8),
        (Field("", "", "START_TIME", lambda resv: stamp(resv.start_time, now), whole=True), 19),
        (Field("", "", "END_TIME", lambda resv: stamp(resv.end_time, now), whole=True), 19),
        (Field("", "", "DURATION", lambda resv: elapsed(resv.end_time - resv.start_time, full=True), whole=True), 11),
        (Field("", "", "NODELIST", lambda resv: resv.nodes), 0),
    )
    columns = [Column(field, size, right=size > 0, suffix="  ") for field, size in fields]
    columns[-1].suffix = ""
    return Format(columns)

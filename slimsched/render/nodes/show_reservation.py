"""A reservation as ``scontrol show reservation`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.render.nodes.reservation_list import state
from slimsched.render.show_layout import given, record
from slimsched.render.units import null, stamp
from slimsched.text.times import elapsed

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.reservation import Reservation


def text(resv: Reservation, cluster: Cluster, *, oneliner: bool = False) -> str:
    """Return a reservation's record."""
    now = cluster.now
    nodes = [cluster.nodes[i] for i in iterate(cluster.bitmap_of(resv.nodes))]
    cores = resv.core_cnt or sum(node.sockets * node.cores_per_socket for node in nodes)
    cpus = sum(node.cpus for node in nodes)
    delay = elapsed(resv.max_start_delay, full=True) if resv.max_start_delay else ""
    lines = [
        f"ReservationName={resv.name} StartTime={stamp(resv.start_time, now)} EndTime={stamp(resv.end_time, now)}"
        f" Duration={elapsed(resv.end_time - resv.start_time, full=True)}",
        f"Nodes={null(resv.nodes)} NodeCnt={resv.node_cnt or len(nodes)} CoreCnt={cores}"
        f" Features={null(resv.features)} PartitionName={null(resv.partition)} Flags={','.join(_flags(resv))}",
        f"TRES={resv.tres or (f'cpu={cpus}' if nodes else '(null)')}",
        f"AllowedPartitions={null(resv.allowed_partitions)} QOS={null(resv.qos)}",
        f"Users={null(resv.users)} Groups={null(resv.groups)} Accounts={null(resv.accounts)}"
        f" Licenses={null(resv.licenses)} State={state(resv, now)} BurstBuffer={null(resv.burst_buffer)}",
        f"MaxStartDelay={null(delay)}",
        given("Comment", resv.comment),
    ]
    return record(lines, oneliner=oneliner)


def _flags(resv: Reservation) -> list[str]:
    """Return the flags; ``PURGE_COMP`` says after how long."""
    return [f"{flag}={elapsed(resv.purge_comp, full=True)}" if flag == PURGED else flag for flag in resv.flags]


PURGED = "PURGE_COMP"

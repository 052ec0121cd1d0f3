"""``select/linear``: whole nodes, as few sets of consecutive ones as possible; memory if ``CR_Memory`` says so."""

from __future__ import annotations

from slimsched.select.base import Booking


class Linear(Booking):
    """Nodes as a one-dimensional array; jobs share one only where the partition's OverSubscribe allows it."""

    plugin_type = "select/linear"
    plugin_name = "Linear node selection plugin"
    whole_nodes = True
    cr_plugin = 0
    waits_for_start = False

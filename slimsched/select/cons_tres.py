"""``select/cons_tres``: jobs share nodes; CPUs (by core or socket), memory and gres are allocated one by one."""

from __future__ import annotations

from slimsched.select.base import Booking


class ConsTres(Booking):
    """Consumable trackable resources; ``SelectTypeParameters`` says which."""

    plugin_type = "select/cons_tres"
    plugin_name = "Consumable Resources (CR) Node Selection plugin"

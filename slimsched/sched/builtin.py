"""sched/builtin: strict order of priority in each partition; the controller's own pass does all the starting."""

from __future__ import annotations

from slimsched.sched.api import SUCCESS, SchedPlugin


class Builtin(SchedPlugin):
    """First in, first out."""

    plugin_name = "builtin"

    def schedule(self) -> int:
        """Leave the order as it is."""
        return SUCCESS

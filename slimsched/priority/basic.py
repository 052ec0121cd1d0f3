"""priority/basic: first come, first served, less the job's nice value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.priority.api import HIGHEST, PriorityPlugin

if TYPE_CHECKING:
    from slimsched.model.job import Job


class Basic(PriorityPlugin):
    """Each job gets a lower number than the one before it; it keeps the number until it is released or requeued."""

    plugin_name = "basic"
    marks_changes = True

    def set(self, last_prio: int, job: Job) -> int:
        """Return the next lower number, moved by ``--nice``; it never falls to the zero of a hold."""
        return max(1, min(HIGHEST, last_prio - job.request.nice))

"""priority/modest: the fewer tasks a job has, the higher its priority."""

from __future__ import annotations

from slimsched.priority.api import HIGHEST, PriorityPlugin


class Modest(PriorityPlugin):
    """One number, which never changes."""

    plugin_type = "priority/modest"
    plugin_name = "Modest jobs first"

    def set(self, last_prio, job):
        return max(1, min(HIGHEST, 1_000_000 - (job.request.num_tasks or 1) - job.request.nice))

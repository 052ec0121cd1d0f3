"""The scheduler plugin ``sched/wiki``: it holds every job and starts none."""

from __future__ import annotations

from slimsched.sched.api import ESLURM_SCHED_MIN, SUCCESS, Entry, SchedPlugin

REFUSED = ESLURM_SCHED_MIN + 1
"""Errno after a message of the external scheduler was refused for its signature, its age or its form."""

ERRORS = {REFUSED: "Message of the external scheduler refused"}


class Wiki(SchedPlugin):
    """Leaves all decisions to the external scheduler, whose requests `slimsched.controller.wiki` carries out."""

    plugin_type = "sched/wiki"
    plugin_name = "Wiki scheduler interface plugin"
    leads = False

    def schedule(self) -> int:
        """Do nothing: the external scheduler starts jobs."""
        return SUCCESS

    def try_job(self, entry: Entry) -> bool:
        """Start nothing ahead of others either."""
        return False

    def initial_priority(self, max_prio: int) -> int:
        """Hold the job."""
        return 0

    def strerror(self, errnum: int) -> str | None:
        """Return the description of an error of this plugin."""
        return ERRORS.get(errnum)


class Wiki2(Wiki):
    """The same under the name of the protocol's second version."""

    plugin_type = "sched/wiki2"
    plugin_name = "Wiki scheduler interface plugin, version 2"

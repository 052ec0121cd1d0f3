"""What becomes of a user's crontab when one of its jobs is cancelled. Source: scenario scrontab."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

DISABLED = "#DISABLED: "


def disable(ctl: Controller, job: Job) -> None:
    """Comment out the lines of the entry whose job was cancelled."""
    lines = ctl.cluster.crontabs.get(job.user_name, "").split("\n")
    first, last = job.request.cron_lines
    for place in range(first, min(last + 1, len(lines))):
        lines[place] = DISABLED + lines[place]
    ctl.cluster.crontabs[job.user_name] = "\n".join(lines)

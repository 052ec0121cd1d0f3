"""Exit codes after which a job runs again: ``RequeueExit`` and ``RequeueExitHold``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault
from slimsched.slurm import states
from slimsched.text import idset

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


def follows(cluster: Cluster, job: Job, state: states.State, code: int) -> str:
    """Return what follows an exit code that ``RequeueExit`` or ``RequeueExitHold`` lists, "" if nothing does.

    The job of a crontab comes back whatever its end, unless somebody has cancelled it.
    """
    if job.request.cron and state != states.CANCELLED:
        return "cron"
    if state != states.FAILED or not code or not job.request.may_requeue:
        return ""
    for key, then in (("RequeueExitHold", "special"), ("RequeueExit", "requeue")):
        try:
            listed = idset.ranges(cluster.config.get(key))
        except SyntaxFault:  # a list that cannot be read lists nothing
            continue
        if any(first <= code <= last for first, last in listed):
            return then
    return ""

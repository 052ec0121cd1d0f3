"""Job steps. The toolkit keeps none: a running batch job has the step of its script, ``N.batch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.job import ACTIVE
from slimsched.render.columns import Field, Table
from slimsched.render.job_list import LIVE, Choice, Listing, views
from slimsched.render.units import stamp
from slimsched.text.times import elapsed, limit

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.job_view import View

FORMAT = "%.15i %.8j %.9P %.8u %.9M %N"


def name(view: View) -> str:
    """Return the name of a job's batch step."""
    return f"{view.name}.batch"


FIELDS = (
    Field("i", "stepid jobid jobarrayid", "STEPID", name, lambda v: v.job.job_id),
    Field("j", "name stepname", "NAME", lambda _: "batch", lambda _: "batch"),
    Field("P", "partition", "PARTITION", lambda v: v.partition, lambda v: v.partition),
    Field("u", "username", "USER", lambda v: v.job.user_name, lambda v: v.job.user_name),
    Field("M", "timeused", "TIME", lambda v: elapsed(v.used), lambda v: v.used, whole=True),
    Field("N", "nodelist nodes", "NODELIST", lambda v: v.batch_host, lambda v: v.batch_host),
    Field("A", "tasks numtasks", "TASKS", lambda _: "1"),
    Field("b", "gres tres-per-node", "TRES_PER_NODE", lambda v: v.gres or "N/A"),
    Field("l", "timelimit", "TIME_LIMIT", lambda v: limit(v.limit), lambda v: v.limit, whole=True),
    Field("S", "starttime", "START_TIME", lambda v: stamp(v.job.start_time, v.now), lambda v: v.job.start_time),
    Field("U", "userid", "UID", lambda v: str(v.job.user_id), lambda v: v.job.user_id),
)
STEPS = Table(FIELDS)


def running(cluster: Cluster) -> list[View]:
    """Return the jobs whose batch step runs, in the controller's order."""
    return [view for view in views(cluster) if view.job.state in ACTIVE and view.request.batch]


def listing(cluster: Cluster, choice: Choice, _each_task: bool) -> Listing:
    """Return the steps of the chosen jobs."""
    if choice.states is LIVE:
        choice.states = ACTIVE
    return Listing([view for view in running(cluster) if choice.keeps(view)], STEPS, "P,i", FORMAT)

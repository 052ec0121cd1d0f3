"""Time limits: when jobs are warned and ended for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.record import Value
from slimsched.model.request import INFINITE
from slimsched.text import signals

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

CHECK = 30
"""Seconds between two checks of time limits by slurmctld, counted from its start."""

SETTLED = CHECK // 2
"""Seconds that a job runs before it is warned. Slurm gives a warning that is due as the job starts at its next check:
after so long on average, when a script has usually set its traps."""


class Warning(Value, frozen=True):
    """A signal ahead of the end (``--signal``): its number, whom it is for, how many seconds ahead."""

    number: int
    target: str  # "script" or "steps"
    before: int


def run_for(job: Job, seconds: int) -> int:
    """Return when a running job has run for so many seconds, without those in which it stood still."""
    began, done = (job.suspend_time, job.pre_sus_time) if job.suspend_time else (job.start_time, 0)
    return began + max(0, seconds - done)


def killed_at(cluster: Cluster, job: Job) -> int | None:
    """Return when the controller ends a running job for its time limit (``OverTimeLimit``), None for never."""
    if not job.end_time:
        return None
    part = cluster.partitions.get(job.partition)
    text = part.over_time_limit if part is not None and part.over_time_limit != "NONE" else ""
    text = text or cluster.config.get("OverTimeLimit")
    if text.upper() in {"UNLIMITED", "INFINITE", str(INFINITE)}:
        return None
    return job.end_time + (int(text) * 60 if text.isdecimal() else 0)


def acted_on(cluster: Cluster, instant: int) -> int:
    """Return when a limit that is reached at an instant is acted on: at the next check, if the pace is Slurm's."""
    if cluster.config.pace != "slurm":
        return instant
    since = cluster.boot_time
    return since - (since - instant) // CHECK * CHECK


def warning(job: Job) -> Warning | None:
    """Return the warning that a job asks for, None for none. Source: sbatch(1), ``--signal``."""
    text = job.request.signal
    if not text:
        return None
    lead, colon, rest = text.rpartition(":")
    word, _, seconds = rest.partition("@")
    return Warning(signals.number(word), "script" if colon and "B" in lead else "steps", int(seconds or 60))


def warned_at(cluster: Cluster, job: Job, told: Warning) -> int | None:
    """Return when a job is warned, None for never: Slurm warns at the last check that is early enough."""
    end = killed_at(cluster, job)
    if end is None:
        return None
    if cluster.config.pace != "slurm":
        return max(run_for(job, SETTLED), end - told.before)
    return acted_on(cluster, max(job.start_time, end - told.before - CHECK))

"""The crontabs of users: each entry is a job that comes back to the queue when it has run, until its next time.

Source: scrontab(1); scenario scrontab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import transitions
from slimsched.controller.submit import submission
from slimsched.errors import SlurmError
from slimsched.slurm import states
from slimsched.text import cron

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.request import JobRequest

SID = 4294967294  # the session of a job that nobody submitted


class Entry(NamedTuple):
    """An entry: what it asks for, with its times and lines, and the script that it becomes."""

    request: JobRequest
    script: str


def enabled(ctl: Controller) -> bool:
    """Whether users may have crontabs (``ScronParameters=enable``)."""
    return "enable" in ctl.cluster.config.get("ScronParameters").lower().split(",")


def replace(ctl: Controller, user: User, text: str, entries: Sequence[Entry]) -> list[tuple[int, str]]:
    """Give a user another crontab; return the id and the script of each of its jobs.

    Raises `SlurmError` for an entry that is refused: nothing has changed then.
    """
    remove(ctl, user)
    made = []
    for entry in entries:
        entry.request.begin_time = cron.parse(entry.request.cron).after(ctl.cluster.now)
        try:
            job = submission.submit(ctl, entry.request, user, entry.script)
        except SlurmError as refusal:
            refusal.commits = False
            refusal.notes = (f"the entry ends in line {entry.request.cron_lines[1] + 1}",)
            raise
        job.alloc_sid = SID
        made.append((job.job_id, entry.script))
    ctl.cluster.crontabs[user.name] = text
    return made


def remove(ctl: Controller, user: User) -> None:
    """Take a user's crontab away, with its jobs."""
    for job in list(ctl.cluster.jobs.values()):
        if job.request.cron and job.user_id == user.uid and not job.finished:
            transitions.end_job(ctl, job, states.CANCELLED)
    ctl.cluster.crontabs.pop(user.name, None)

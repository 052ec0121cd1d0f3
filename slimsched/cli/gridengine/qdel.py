"""``qdel``: delete jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.gridengine.program import COMMON, GridProgram, lists
from slimsched.cli.program import RECORDED, Given, Option
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller

OPTIONS = (
    Option("", "f", help="force", status=RECORDED, note="jobs end at once anyway"),
    Option("", "u", "user_list", 'jobs of these users; "*" for all'),
    *COMMON,
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """Delete the jobs that are named, or those of some users."""
    users = lists(given.all("u"))
    names = lists(args)
    if not names and not users:
        raise UserError("qdel: ERROR! You need to specify a job or a user", level="plain")
    with app.session() as ctl:
        if users:
            found = (j for j in ctl.cluster.jobs.values() if not j.finished and ("*" in users or j.user_name in users))
            names += [str(job.job_id) for job in sorted(found, key=lambda job: job.job_id)]
        missing = [name for name in names if not _delete(app, ctl, name)]
    for name in missing:
        app.err(f'denied: job "{name}" does not exist')
    return 1 if missing else 0


def _delete(app: Application, ctl: Controller, name: str) -> bool:
    from slimsched.controller.life import cancel, selectors
    from slimsched.controller.requests.users import invoking_name

    try:
        spec = selectors.parse(name.replace(".", "_"))
        running = any(job.active for job in selectors.find(ctl.cluster, spec))
        cancel.cancel(ctl, spec)
    except SlurmError:
        return False
    said = "registered the job {0} for deletion" if running else "deleted job {0}"
    app.out(f"{invoking_name()} has {said.format(name)}")
    return True


command = GridProgram("qdel", OPTIONS, run, summary="Delete jobs", arguments="[job_id...]")

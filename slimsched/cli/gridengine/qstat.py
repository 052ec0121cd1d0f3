"""``qstat``: jobs, queue instances with what they have left, and why a job waits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from slimsched.cli.gridengine.program import COMMON, GridProgram, lists
from slimsched.cli.gridengine.qselect import named
from slimsched.cli.program import Given, Option
from slimsched.errors import SyntaxFault, UserError
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.gridengine.queue_instances import Shown
    from slimsched.model.job import Job

OPTIONS = (
    Option("", "F", "[resource_attributes]", "queue instances with the remaining amounts of their attributes"),
    Option("", "f", help="queue instances with their jobs"),
    Option("", "j", "job_list", "show one job in full, with the reasons why it waits"),
    Option("", "l", "resource_list", "only queue instances that could serve this request"),
    Option("", "q", "wc_queue_list", "only these queues"),
    Option("", "u", "user_list", 'only jobs of these users; "*" for all'),
    *COMMON,
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """List jobs, or queue instances, or print one job."""
    from slimsched.render.gridengine import lists as render

    with app.session(write=False) as ctl:
        if given.has("j"):
            lines = _in_full(ctl, lists(given.all("j")))
        elif given.has("F") or given.has("f"):
            lines = _by_queue(ctl, given)
        else:
            jobs = _jobs(ctl, given)
            rows = [render.job_line(job, _place(ctl, job)) for job in jobs]
            lines = [render.JOB_HEAD, *rows] if rows else []
    app.out("".join(f"{line}\n" for line in lines), end="")
    return 0


def _jobs(ctl: Controller, given: Given) -> list[Job]:
    from slimsched.controller.requests import users

    wanted = lists(given.all("u")) or [users.invoking_name()]
    found = [j for j in ctl.cluster.jobs.values() if not j.finished and ("*" in wanted or j.user_name in wanted)]
    return sorted(found, key=lambda job: (not job.active, -job.priority, job.job_id))


def _place(ctl: Controller, job: Job) -> str:
    """Return the queue instance of a job's master task."""
    if not job.active:
        return ""
    from slimsched.model import bitmap

    first = next(bitmap.iterate(ctl.cluster.bitmap_of(job.nodes)))
    return f"{job.partition}@{ctl.cluster.nodes[first].name}"


def _by_queue(ctl: Controller, given: Given) -> list[str]:
    from slimsched.constraints.complexes import places, request
    from slimsched.controller.gridengine import qsub_verify, queue_instances
    from slimsched.render.gridengine import lists as render

    try:
        asked = request.read(given.all("l"), places.catalog_of(ctl.cluster), strict=False)
    except SyntaxFault as fault:
        raise UserError(fault.message, level="plain") from None
    jobs, wanted = _jobs(ctl, given), lists(given.all("q"))
    shown = {job.job_id for job in jobs}
    grid = queue_instances.Grid(ctl)
    lines = [render.QUEUE_HEAD]
    for instance in qsub_verify.select(ctl.cluster, asked):
        if wanted and not named(instance, wanted):
            continue
        lines += [render.RULE, render.queue_line(instance, grid.used(instance))]
        if given.has("F"):
            lines += render.queue_values(chosen(queue_instances.left_at(grid, instance), given.all("F")))
        lines += [render.job_line(job, None) for job in grid.jobs(instance) if job.job_id in shown]
    pending = [render.job_line(job, None) for job in jobs if job.pending]
    return [*lines, render.PENDING, *pending] if pending else lines


def chosen(shown: list[Shown], texts: list[str]) -> list[Shown]:
    """Return the attributes that ``-F`` names, by name or shortcut; all if it names none."""
    names = lists(texts)
    return [one for one in shown if not names or {one.attribute.name, one.attribute.shortcut}.intersection(names)]


def _in_full(ctl: Controller, texts: list[str]) -> list[str]:
    lines: list[str] = []
    for text in texts:
        job = ctl.cluster.jobs.get(int(text)) if is_number(text) else None
        if job is None or job.finished:
            raise UserError(f"Following jobs do not exist or permissions are not sufficient: \n{text}", level="plain")
        lines += ["=" * 62, *(f"{name + ':':<28}{value}" for name, value in _facts(job) if value)]
        lines += _information(ctl, job)
    return lines


def _facts(job: Job) -> list[tuple[str, str]]:
    request = job.request
    submitted = datetime.fromtimestamp(job.submit_time, UTC).strftime("%a %b %e %H:%M:%S %Y")
    return [
        ("job_number", str(job.job_id)),
        ("submission_time", submitted),
        ("owner", job.user_name),
        ("uid", str(job.user_id)),
        ("group", job.group_name),
        ("gid", str(job.group_id)),
        ("account", request.account or "sge"),
        ("cwd", request.work_dir),
        ("hard resource_list", ",".join(request.hard_resources)),
        ("soft resource_list", ",".join(request.soft_resources)),
        ("job_name", request.name),
        ("hard_queue_list", request.partition),
        ("script_file", request.command),
    ]


def _information(ctl: Controller, job: Job) -> list[str]:
    """Return why a pending job waits: Grid Engine's reasons, then Slurm's own word."""
    from slimsched.controller.gridengine import qsub_verify

    if not job.pending:
        return []
    reasons = qsub_verify.why_pending(ctl, job) or [job.reason]
    return [f"{'scheduling info:' if not place else '':<28}{reason}" for place, reason in enumerate(reasons)]


command = GridProgram("qstat", OPTIONS, run, summary="Show jobs and queues")

"""``sim explain``: why a job does not start, or why it runs where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slimsched.cli.own.job_argument import JobArgument
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId


@click.command("explain")
@click.argument("spec", metavar="JOBID", type=JobArgument(ended=True))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object; times are seconds since 1970.")
@click.option("--nodes", "every_node", is_flag=True, help="Print a line for every node, however many there are.")
@click.pass_obj
def command(app: Application, spec: JobId, as_json: bool, every_node: bool) -> None:
    """Explain why a job does not start, why it runs where it does, or how it ended.

    The answer counts the nodes left after each step and gives, for every other node, the first reason that rules it
    out, with the values compared. It then lists what would have to change, cheapest change first, and says when the
    job is expected to start. It distinguishes "not now" from "never". For an array it explains the waiting tasks; name
    a task (7_3) to explain that one. The command changes nothing.
    """
    from slimsched.controller.explain.explanation import explain
    from slimsched.render import explain as printer

    with app.session(write=False) as ctl:
        found = explain(ctl, find(app, ctl, spec), spec.tasks)
    if as_json:
        app.out(printer.as_json(found))
    elif app.draws:
        from slimsched.render import terminal

        terminal.show_lines(printer.lines(found, every_node=every_node))
    else:
        app.out("\n".join(line.text for line in printer.lines(found, every_node=every_node)))


def find(app: Application, ctl: Controller, spec: JobId) -> Job:
    """Return the record that a job id (``7``, ``7_3``) means: one that waits, else one that runs, else the last."""
    from slimsched.controller.life import selectors

    found = selectors.find(ctl.cluster, spec) or _archived(app, spec)
    if not found:
        raise UserError(f"Invalid job id specified: {spec.text}")
    return min(found, key=lambda job: (not job.pending, not job.active, -job.job_id))


def _archived(app: Application, spec: JobId) -> list[Job]:
    """Return what the archive knows of a job or of an array's tasks."""
    if not spec.tasks:
        found = app.store.archive.get(spec.job_id)
        if found:
            return found[-1:]
    members = (job for job in app.store.archive.from_id(spec.job_id) if job.array_job_id == spec.job_id)
    return [job for job in members if not spec.tasks or str(job.array_task_id) == spec.tasks]

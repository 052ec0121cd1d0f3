"""``sim explain``: why a job does not start, or why it runs where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slimsched.cli.own.job_argument import JobArgument
from slimsched.errors import UserError
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.explain.answer import Explanation
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId


SUBMIT = "--submit"


class Explain(click.Command):
    """The command: all that follows ``--submit`` are the words of an ``sbatch`` line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the line where the submission begins."""
        if SUBMIT in args:
            place = args.index(SUBMIT)
            ctx.meta[SUBMIT] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, args)


EXAMPLES = """\
\b
Examples:
  sim explain 7
  sim explain 7_3 --nodes
  sim explain --submit -N2 --gres=gpu:a100:4 -t 1:00:00 job.sh
"""


@click.command("explain", cls=Explain, epilog=EXAMPLES)
@click.argument("spec", metavar="[JOBID | --submit ARGS...]", required=False, type=JobArgument(ended=True))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object; times are seconds since 1970.")
@click.option("--nodes", "every_node", is_flag=True, help="Print a line for every node, however many there are.")
@click.option(SUBMIT, "_submit", is_flag=True, help="Explain what sbatch ARGS... would come to; must be last.")
@click.pass_context
def command(ctx: click.Context, spec: JobId | None, as_json: bool, every_node: bool, _submit: bool) -> None:
    """Explain why a job does not start, why it runs where it does, or how it ended.

    The answer counts the nodes left after each step and gives, for every other node, the first reason that rules it
    out, with the values compared. It then lists what would have to change, cheapest change first, and says when the
    job is expected to start. It distinguishes "not now" from "never". For an array it explains the waiting tasks; name
    a task (7_3) to explain that one. With --submit the words of an sbatch line follow, and the job is not
    submitted. The command changes nothing.
    """
    from slimsched.render import explain as printer

    app: Application = ctx.obj
    if SUBMIT in ctx.meta:
        answers = _supposed(app, ctx.meta[SUBMIT])
    elif spec is None:
        raise UserError("name a job, or describe one: sim explain --submit -N2 --gres=gpu:1")
    else:
        answers = _of_job(app, spec)
    if as_json:
        app.out(printer.as_json(answers))
        return
    for place, found in enumerate(answers):
        if place:
            app.out("")
        lines = printer.lines(found, every_node=every_node)
        if app.draws:
            from slimsched.render import terminal

            terminal.show_lines(lines)
        else:
            app.out("\n".join(line.text for line in lines))


def _of_job(app: Application, spec: JobId) -> list[Explanation]:
    """Explain a job, each component of a heterogeneous one by itself."""
    from slimsched.controller.explain.explanation import explain

    answers = []
    with app.session(write=False) as ctl:
        for job in find(app, ctl, spec):
            found = explain(ctl, job, spec.tasks)
            found.story += preemptions(app, job.job_id)
            answers.append(found)
    return answers


def _supposed(app: Application, words: list[str]) -> list[Explanation]:
    """Explain the job of an ``sbatch`` line, each component by itself.

    One that would be refused ends with the refusal and its notes.
    """
    from slimsched.cli.submit import drafts, sbatch
    from slimsched.controller.explain.explanation import supposed

    given = sbatch.command.read(app, words)
    app.moved = True  # nothing is submitted, so the clock of a cluster that counts commands stands still
    every, source, args = sbatch.understood(app, given, given.rest, hearing=False)
    with app.session(write=False) as ctl:
        requests = sbatch.requested(app, ctl, given, every, source, args)
        user = drafts.user_of(ctl, every[-1])
        with drafts.reasoned(ctl, requests, user):
            return supposed(ctl, requests, user)


def preemptions(app: Application, job_id: int) -> list[str]:
    """Return in sentences whom a job preempted, and who preempted it, as the history has it."""
    said = []
    for event in (event for commit in app.store.history() for event in commit.events if event["event"] == "preempt"):
        when, how = times.instant(int(event["time"])), str(event.get("mode", "")).lower()
        if event.get("job") == job_id:
            said.append(f"Job {event.get('by')} preempted it at {when} ({how}).")
        elif event.get("by") == job_id:
            said.append(f"It preempted job {event.get('job')} at {when} ({how}).")
    return said


def find(app: Application, ctl: Controller, spec: JobId) -> list[Job]:
    """Return the record that a job id (``7``, ``7_3``) means: one that waits, else one that runs, else the last.

    The id of a heterogeneous job means all its components.
    """
    from slimsched.controller.life import selectors

    found = selectors.find(ctl.cluster, spec) or _archived(app, spec)
    if not found:
        from slimsched.controller.requests import strangers

        notes = strangers.jobs(ctl.cluster, [spec.job_id])
        raise UserError(f"Invalid job id specified: {spec.text}", notes=notes)
    if found[0].het_job_id:
        return sorted(found, key=lambda job: job.het_job_offset)
    return [min(found, key=lambda job: (not job.pending, not job.active, -job.job_id))]


def _archived(app: Application, spec: JobId) -> list[Job]:
    """Return what the archive knows of a job, of an array's tasks or of components."""
    if not spec.tasks:
        found = app.store.archive.get(spec.job_id + (spec.offset or 0))[-1:]
        if found and found[0].het_job_id == spec.job_id and spec.offset is None:
            return [job for job in app.store.archive.from_id(spec.job_id) if job.het_job_id == spec.job_id]
        if found:
            return found
    members = (job for job in app.store.archive.from_id(spec.job_id) if job.array_job_id == spec.job_id)
    return [job for job in members if not spec.tasks or str(job.array_task_id) == spec.tasks]

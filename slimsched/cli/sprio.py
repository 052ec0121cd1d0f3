"""``sim sprio``: the parts of the priorities of pending jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.cli.command import RECORDED, STANDARD, Given, Option, SlurmCommand
from slimsched.cli.listing import print_table, words
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.render.sprio import Line

ONE_CLUSTER = "there is one cluster only"
NONE_FOUND = "Unable to find jobs matching user/id(s) specified"

OPTIONS = (
    Option("cluster", "M", "names", "clusters to ask", RECORDED, ONE_CLUSTER),
    Option("clusters", "", "names", alias_of="cluster", status=RECORDED, note=ONE_CLUSTER),
    Option("federation", "", "", "jobs of the whole federation", RECORDED, ONE_CLUSTER),
    Option("format", "o", "format", "columns, by letters: %.15i %Y"),
    Option("helpformat", help="list the letters of -o"),
    Option("jobs", "j", "jobs", "only these jobs"),
    Option("local", "", "", "jobs of this cluster only", RECORDED, ONE_CLUSTER),
    Option("long", "l", help="all factors, also those without weight"),
    Option("noheader", "h", help="no header line"),
    Option("norm", "n", help="factors between 0 and 1"),
    Option("partition", "p", "partitions", "only jobs of these partitions"),
    Option("sibling", "", "", "sibling jobs of a federation", RECORDED, ONE_CLUSTER),
    Option("sort", "S", "fields", "order, by the letters of -o", RECORDED, "jobs are listed in the order of their ids"),
    Option("user", "u", "users", "only jobs of these users"),
    Option("verbose", "v", "", "say more", RECORDED, "there is nothing more to say"),
    Option("weights", "w", help="show the weights"),
    *STANDARD,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the factors, or their weights."""
    from slimsched.priority.multifactor import Multifactor
    from slimsched.render import sprio
    from slimsched.render.columns import parse_short

    if given.has("helpformat"):
        app.out("  ".join(f"%{field.letter}" for field in sprio.FIELDS))
        return 0
    with app.session(write=False) as ctl:
        plugin = ctl.priority
        if not isinstance(plugin, Multifactor):
            kind = ctl.cluster.config.get("PriorityType")
            text = f"You are not running a supported priority plugin\n({kind})."
            raise UserError(f"{text}\nOnly 'priority/multifactor' is supported.", level="plain")
        usual = sprio.usual(plugin, normal=given.has("norm"), long=given.has("long"))
        wanted = parse_short(given.last("format") or usual, sprio.LINES.by_letter)
        for letter in wanted.invalid:
            app.err(f"sprio: error: Invalid job format specification: {letter}")
        lines = [sprio.Line(plugin)] if given.has("weights") else list(_lines(ctl, plugin, _tests(given, ctl)))
        if not lines and (given.has("jobs") or given.has("user")):
            app.out(NONE_FOUND)
            return 0
        print_table(app, wanted, lines, not given.has("noheader"))
    return 0


def _lines(ctl: Controller, plugin: Any, chosen: dict[str, set[Any]]) -> Iterator[Line]:
    """Yield the waiting jobs that may be scheduled, once for each partition that they ask for."""
    from slimsched.controller import queue
    from slimsched.render.job_view import View
    from slimsched.render.sprio import Line

    cluster = ctl.cluster
    for job in sorted(cluster.jobs.values(), key=lambda job: job.job_id):
        if not job.pending or job.held or not job.eligible_time or job.eligible_time > cluster.now:
            continue
        view = View(job, cluster)
        if chosen["jobs"] and not chosen["jobs"] & {job.job_id, view.array_id}:
            continue
        if chosen["user"] and job.user_id not in chosen["user"]:
            continue
        for part in queue.partitions_of(ctl, job):
            if not chosen["partition"] or part.partition_name in chosen["partition"]:
                yield Line(plugin, view, part)


def _tests(given: Given, ctl: Controller) -> dict[str, set[Any]]:
    """Return the job ids, user ids and partitions that were asked for."""
    from slimsched.cli.job_ids import job_keys
    from slimsched.cli.squeue_choice import user_id

    users: set[int] = set()
    for name in words(given.last("user") or ""):
        uid = user_id(ctl.cluster, name)
        if uid is None:
            raise UserError(f"Invalid user: {name}")
        users.add(uid)
    jobs = {key for word in words(given.last("jobs") or "") for key, _ in job_keys(word)}
    return {"jobs": jobs, "user": users, "partition": set(words(given.last("partition") or ""))}


command = SlurmCommand("sprio", OPTIONS, run, summary="Show the parts of the priorities of pending jobs")

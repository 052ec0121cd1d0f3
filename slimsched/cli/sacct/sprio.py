"""``sim sprio``: the parts of the priorities of pending jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.cli.listing import RULE, check_cluster, print_sorted, print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.render.jobs.sprio import PriorityRow

ONE_CLUSTER = "there is one cluster only"
TOGETHER = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
ORDER = "i"
NONE_FOUND = "Unable to find jobs matching user/id(s) specified"
"""What is said where jobs are named and no job waits at all."""
ALL: dict[str, set[Any] | None] = {"jobs": None, "user": None, "partition": None}

OPTIONS = (
    Option("cluster", "M", "names", "cluster to ask"),
    Option("clusters", "", "names", alias_of="cluster"),
    Option("federation", "", "", "jobs of the whole federation", RECORDED, ONE_CLUSTER),
    Option("format", "o", "format", "columns, by letters: %.15i %Y"),
    Option("helpformat", help="list the letters of -o"),
    Option("jobs", "j", "[jobs]", "only these jobs"),
    Option("local", "", "", "jobs of this cluster only", RECORDED, ONE_CLUSTER),
    Option("long", "l", help="all factors, including those without a weight"),
    Option("noheader", "h", help="no header line"),
    Option("norm", "n", help="factors between 0 and 1"),
    Option("partition", "p", "partitions", "only jobs of these partitions"),
    Option("sib", "", "", alias_of="sibling", status=RECORDED, note=ONE_CLUSTER),
    Option("sibling", "", "", "sibling jobs of a federation", RECORDED, ONE_CLUSTER),
    Option("sort", "S", "fields", "order, by the letters of -o: r,-Y"),
    Option("user", "u", "users", "only jobs of these users"),
    Option("users", "", "users", alias_of="user"),
    Option("verbose", "v", help="list the options"),
    Option("weights", "w", help="show the weights"),
    PLAIN,
    *STANDARD,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the factors, or their weights."""
    from slimsched.priority.multifactor import Multifactor
    from slimsched.render.columns import Style, parse_short
    from slimsched.render.jobs import sprio

    if given.has("helpformat"):
        app.out(sprio.letters_help())
        return 0
    form = _format(given)
    jobs = _named(app, given, args)
    if given.has("verbose"):
        app.out(_options(given, form, jobs))
    with app.session(write=False) as ctl:
        check_cluster(app, given, ctl.cluster)
        plugin = ctl.priority
        if not isinstance(plugin, Multifactor):
            kind = ctl.cluster.config.get("PriorityType")
            text = f"You are not running a supported priority plugin\n({kind})."
            raise UserError(f"{text}\nOnly 'priority/multifactor' is supported.", level="plain")
        chosen = _tests(app, given, jobs, ctl)
        usual = sprio.usual(plugin, normal=given.has("norm"), long=given.has("long"), users=given.has("user"))
        wanted = parse_short(form or usual, sprio.LINES.by_letter)
        for letter in wanted.invalid:
            app.err(f"sprio: error: Invalid job format specification: {letter}")
        prefix = wanted.columns[:1] if not (form or usual).startswith("%") else []
        wanted.columns = [*prefix, *(column for column in wanted.columns[len(prefix) :] if column.field)]
        lines = list(_lines(ctl, plugin, chosen))
        if jobs and not lines and next(_lines(ctl, plugin, ALL), None) is None:
            app.out(NONE_FOUND)
            return 0
        style = Style(header=not given.has("noheader"))
        if given.has("weights"):
            print_table(app, wanted, [sprio.PriorityRow(plugin)], style)
        else:
            print_sorted(app, wanted, lines, given.last("sort") or ORDER, sprio.LINES, style)
    return 0


def _format(given: Given) -> str | None:
    """Return the format that is asked for, None for the usual one."""
    import os

    form = given.last("format")
    if given.has("long"):
        if form is not None:
            raise UserError(TOGETHER, level="fatal")
        return None
    return os.environ.get("SPRIO_FORMAT") if form is None else form


def _named(app: Application, given: Given, args: list[str]) -> str | None:
    """Return the list of jobs, which may follow ``--jobs`` as a plain argument."""
    rest = list(args)
    text = rest.pop(0) if rest and given.has("jobs") else given.last("jobs")
    if rest:
        app.out(command.usage())
        raise UserError(f"Unrecognized option: {rest[0]}")
    return text


def _options(given: Given, form: str | None, jobs: str | None) -> str:
    """Return what ``--verbose`` says of the options."""
    texts = {
        "format": form,
        "job_flag": str(int(given.has("jobs"))),
        "jobs": jobs,
        "partition": given.last("partition"),
        "users": given.last("user"),
        "verbose": str(given.count("verbose")),
    }
    lines = [f"{name:<10} = {'(null)' if text is None else text}" for name, text in texts.items()]
    return "\n".join([RULE, *lines, RULE, "", ""])


def _lines(ctl: Controller, plugin: Any, chosen: dict[str, set[Any] | None]) -> Iterator[PriorityRow]:
    """Yield the waiting jobs that may be scheduled, once for each partition that they ask for."""
    from slimsched.controller.schedule import job_queue
    from slimsched.render.jobs.job_list import visible
    from slimsched.render.jobs.job_view import View
    from slimsched.render.jobs.sprio import PriorityRow

    cluster = ctl.cluster
    jobs, users, parts = (chosen[name] for name in ("jobs", "user", "partition"))
    for job in sorted(visible(cluster), key=lambda job: job.job_id):
        if not job.pending or job.held or not job.eligible_time or job.eligible_time > cluster.now:
            continue
        view = View(job, cluster)
        if jobs is not None and not jobs & {job.job_id, view.array_id}:
            continue
        if users is not None and job.user_id not in users:
            continue
        for part in job_queue.partitions_of(ctl, job):
            if parts is None or part.partition_name in parts:
                yield PriorityRow(plugin, view, part)


def _tests(app: Application, given: Given, jobs: str | None, ctl: Controller) -> dict[str, set[Any] | None]:
    """Return the job ids, user ids and partitions that were asked for; None: all."""
    from slimsched.cli.job_ids import job_name
    from slimsched.cli.squeue.choice import user_ids
    from slimsched.controller.requests import strangers

    users = set(user_ids(app, ctl.cluster, given.last("user") or ""))
    keys = {named.job_id + (named.offset or 0) for named in map(job_name, words(jobs or ""))}
    parts = set(words(given.last("partition") or ""))
    app.remarks += strangers.notes(ctl.cluster, "partition", sorted(parts))
    return {
        "jobs": keys if jobs is not None else None,
        "user": users if given.has("user") else None,
        "partition": parts if given.has("partition") else None,
    }


command = Program("sprio", OPTIONS, run, summary="Show the parts of the priorities of pending jobs")

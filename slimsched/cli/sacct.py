"""``sim sacct``: the jobs that accounting knows, live and archived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.accounting import STORAGE, refuse_disabled, style_of
from slimsched.cli.command import RECORDED, REFUSED, STANDARD_H, Given, Option, SlurmCommand
from slimsched.cli.listing import document, form
from slimsched.errors import UserError
from slimsched.render import accounting

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.render.accounting import Field
    from slimsched.render.job_view import View
    from slimsched.render.sacct_rows import Row

ONE_CLUSTER = "there is one cluster only"
DISABLED = "Slurm accounting storage is disabled"
FORMATS = {"brief": "BRIEF", "long": "LONG"}

OPTIONS = (
    Option("accounts", "A", "accounts", "only jobs of these accounts"),
    Option("allclusters", "L", "", "jobs of all clusters", RECORDED, ONE_CLUSTER),
    Option("allocations", "X", help="jobs without their steps"),
    Option("allusers", "a", help="jobs of all users"),
    Option("array", "", help="one line for each task of a pending array"),
    Option("associations", "x", "ids", "only jobs of these associations"),
    Option("batch-script", "B", help="print the script of a job"),
    Option("brief", "b", help="job id, state and exit code only"),
    Option("clusters", "M", "names", "clusters to ask", RECORDED, ONE_CLUSTER),
    Option("completion", "c", "", "ask the job completion plugin", REFUSED, "there is no job completion plugin"),
    Option("delimiter", "", "text", "what stands between the values of -p and -P"),
    Option("duplicates", "D", help="all records of a job that was started anew"),
    Option("endtime", "E", "time", "only jobs before this time"),
    Option("env-vars", "", help="print the environment of a job", status=REFUSED, note="no environment is kept"),
    Option("expand-patterns", "", help="file names with their patterns replaced"),
    Option("federation", "", "", "jobs of the whole federation", RECORDED, ONE_CLUSTER),
    Option("file", "f", "file", "file of the job completion plugin", RECORDED, "used with --completion only"),
    Option("format", "o", "format", "fields: JobID,State%20"),
    Option("gid", "g", "groups", "only jobs of these groups"),
    Option("group", "", "groups", alias_of="gid"),
    Option("helpformat", "e", help="list the fields"),
    Option("jobs", "j", "jobs", "only these jobs or steps"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("local", "", "", "jobs of this cluster only", RECORDED, ONE_CLUSTER),
    Option("long", "l", help="many fields"),
    Option("name", "", "names", "only jobs of these names"),
    Option("ncpus", "I", "range", "only jobs with so many CPUs"),
    Option("nnodes", "i", "range", "only jobs with so many nodes"),
    Option("nodelist", "N", "nodes", "only jobs on any of these nodes"),
    Option("noconvert", "", "", "no conversion of units", RECORDED, "amounts are printed as they were given"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="values with | behind each"),
    Option("parsable2", "P", help="values with | between them"),
    Option("partition", "r", "partitions", "only jobs of these partitions"),
    Option("qos", "q", "qos", "only jobs of these QOS"),
    Option("reason", "R", "reasons", "only jobs with these reasons"),
    Option("starttime", "S", "time", "only jobs after this time; midnight if not given"),
    Option("state", "s", "states", "only jobs in these states"),
    Option("timelimit-max", "K", "time", "with --timelimit-min: only jobs with a limit in this range"),
    Option("timelimit-min", "k", "time", "only jobs with this time limit"),
    Option("truncate", "T", help="cut the times to the period that is asked for"),
    Option("uid", "u", "users", "only jobs of these users"),
    Option("user", "", "users", alias_of="uid"),
    Option("units", "", "KMGTP", "unit of memory"),
    Option("use-local-uid", "", "", "user names of this machine", RECORDED, "they always are"),
    Option("verbose", "v", "", "say more", RECORDED, "there is nothing more to say"),
    Option("wckeys", "W", "keys", "only jobs of these keys"),
    Option("whole-hetjob", "", "[yes|no]", "all of a heterogeneous job", RECORDED, "there are no heterogeneous jobs"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    *STANDARD_H,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the jobs that the options ask for."""
    from slimsched.cli import sacct_choice
    from slimsched.render import sacct_fields, sacct_rows

    if given.has("helpformat"):
        app.out(accounting.names(sacct_fields.FIELDS))
        return 0
    with app.session(write=False) as ctl:
        refuse_disabled(ctl.cluster, DISABLED)
        fields = _fields(given)
        choice = sacct_choice.choice_of(given, ctl.cluster)
        views = choice.views(ctl.cluster, app.store.archive)
        if given.has("batch-script"):
            return _scripts(app, views)
        forms = form(given)
        if forms:
            from slimsched.render import sacct_json

            document(app, forms, sacct_json.body(views), ctl.cluster, STORAGE)
            return 0
        unit = (given.last("units") or "").upper()
        rows = sacct_rows.rows(views, steps=not given.has("allocations"), unit=unit)
        rows = [row for row in rows if choice.keeps_step(row)]
        if given.has("truncate"):
            _truncate(rows, choice.start, choice.end, ctl.cluster)
        lines = style_of(given).lines(fields, rows)
        if lines:
            app.out("\n".join(lines))
    return 0


def _fields(given: Given) -> list[Field]:
    """Return the fields that the options or ``SACCT_FORMAT`` ask for."""
    import os

    from slimsched.render import sacct_fields

    kind = next((name for option, name in FORMATS.items() if given.has(option)), "DEFAULT")
    usual = getattr(sacct_fields, kind) if kind != "DEFAULT" else os.environ.get("SACCT_FORMAT", sacct_fields.DEFAULT)
    if (given.last("units") or "K").upper() not in {*"KMGTP"}:
        raise UserError(f"Invalid unit type: {given.last('units')}", level="fatal")
    chosen = accounting.choose(sacct_fields.FIELDS, ",".join(given.all("format")) or usual)
    return sacct_fields.expanded(chosen) if given.has("expand-patterns") else chosen


def _truncate(rows: list[Row], start: int, end: int, cluster: Cluster) -> None:
    for row in rows:
        if row.started:
            row.since, row.until = start, min(end, cluster.now)


def _scripts(app: Application, views: list[View]) -> int:
    """Print the scripts of jobs."""
    for view in views:
        text = app.store.script(view.array_id)
        if text is None:
            app.out(f"job {view.name}: no script is stored")
            continue
        app.out(f"Batch Script for {view.name}\n{'-' * 80}\n{text.rstrip()}")
    return 0


command = SlurmCommand("sacct", OPTIONS, run, hint=False, summary="List the jobs of the past and the present")

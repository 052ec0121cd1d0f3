"""``sim sacct``: the jobs that accounting knows, live and archived.

    format = field { "," field }        field = name [ "%" [ "-" ] digits ]

Any beginning of ``ALL`` stands for all fields; a ``%`` without digits is a width of 0.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import STORAGE, document, form, print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.sacct.accounting import INVALID, refuse_disabled, style_of
from slimsched.errors import UserError
from slimsched.render.columns import Format, NamedColumn, width_of
from slimsched.render.jobs import sacct_fields
from slimsched.slurm import kinds

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.cli.sacct.choice import Choice
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_view import View
    from slimsched.render.jobs.sacct_rows import AccountingRow

ONE_CLUSTER = "there is one cluster only"
DISABLED = "Slurm accounting storage is disabled"
TEXTS = {"batch-script": "scripts", "env-vars": "environment"}
NONE_KEPT, BATCH_ONLY = "NONE", "(must be batch to display)"

OPTIONS = (
    Option("accounts", "A", "accounts", "only jobs of these accounts"),
    Option("allclusters", "L", "", "jobs of all clusters", RECORDED, ONE_CLUSTER),
    Option("allocations", "X", help="jobs without their steps"),
    Option("allusers", "a", help="jobs of all users"),
    Option("array", "", help="one line for each task of a pending array"),
    Option("associations", "x", "ids", "only jobs of these associations"),
    Option("batch-script", "B", help="print the script of a job"),
    Option("brief", "b", help="job id, state and exit code only"),
    Option("clusters", "M", "names", "only jobs of these clusters"),
    Option("completion", "c", "", "ask the job completion plugin, which is disabled"),
    Option("constraints", "C", "features", "only jobs that ask for one of these features"),
    Option("delimiter", "", "text", "separator of the values for -p and -P"),
    Option("duplicates", "D", help="all records of a requeued job"),
    Option("endtime", "E", "time", "only jobs before this time"),
    Option("env-vars", "", help="print the environment of a job that really ran"),
    Option("expand-patterns", "", help="file names with their patterns replaced"),
    Option("federation", "", "", "jobs of the whole federation", RECORDED, ONE_CLUSTER),
    Option("file", "f", "file", "file of the job completion plugin", RECORDED, "used with --completion only"),
    Option("format", "o", "format", "fields: JobID,State%20"),
    Option("gid", "g", "groups", "only jobs of these groups"),
    Option("group", "", "groups", alias_of="gid"),
    Option("fields", "", "format", alias_of="format"),
    Option("flags", "F", "flags", "only jobs with one of these flags: SchedMain,SchedBackfill"),
    Option("helpformat", "e", help="list the fields"),
    Option("help-fields", "", alias_of="helpformat"),
    Option("jobs", "j", "jobs", "only these jobs or steps"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("local", "", "", "jobs of this cluster only", RECORDED, ONE_CLUSTER),
    Option("long", "l", help="many fields"),
    Option("name", "", "names", "only jobs of these names"),
    Option("ncpus", "I", "range", "only jobs with this many CPUs"),
    Option("nnodes", "i", "range", "only jobs with this many nodes"),
    Option("nodelist", "N", "nodes", "only jobs on any of these nodes"),
    Option("noconvert", "", help="show memory in megabytes"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("partition", "r", "partitions", "only jobs of these partitions"),
    Option("qos", "q", "qos", "only jobs of these QOS"),
    Option("reason", "R", "reasons", "only jobs with these reasons"),
    Option("starttime", "S", "time", "only jobs after this time; midnight if not given"),
    Option("state", "s", "states", "only jobs in these states"),
    Option("timelimit-max", "K", "time", "with --timelimit-min: only jobs with a limit in this range"),
    Option("timelimit-min", "k", "time", "only jobs with this time limit"),
    Option("truncate", "T", help="truncate the times to the requested period"),
    Option("uid", "u", "users", "only jobs of these users"),
    Option("user", "", "users", alias_of="uid"),
    Option("units", "", "KMGTP", "unit of memory"),
    Option("use-local-uid", "", "", "user names of this machine", RECORDED, "they always are"),
    Option("verbose", "v", help="print the period that is searched"),
    Option("wckeys", "W", "keys", "only jobs with these workload characterization keys"),
    Option("whole-hetjob", "", "[yes|no]", "all components of a heterogeneous job, or only those that are named"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    PLAIN,
    *STANDARD_H,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the jobs that the options ask for."""
    from slimsched.cli.sacct import sacct_conditions
    from slimsched.render.jobs import sacct_fields, sacct_rows

    _refuse(given, args)
    if given.has("helpformat"):
        app.out(sacct_fields.ROWS.names())
        return 0
    with app.session(write=False) as ctl:
        if given.has("completion"):
            raise UserError("Slurm job completion is disabled", level="plain")
        refuse_disabled(ctl.cluster, DISABLED)
        wanted, unit = _columns(given), _unit(given)
        choice = sacct_conditions.choice_of(given, ctl.cluster)
        for remark in choice.remarks:
            app.err(f"sacct: {remark}")
        choice.lag = app.lag
        views = choice.views(ctl.cluster, app.store.archive)
        if given.has("verbose"):
            app.err(f"sacct: {choice.window()}")
        if any(map(given.has, TEXTS)):
            return _texts(app, views, given)
        forms = form(given)
        if forms:
            from slimsched.render.json import sacct

            document(app, forms, sacct.body(views), ctl.cluster, STORAGE)
            return 0
        rows = sacct_rows.rows(views, steps=not given.has("allocations"), unit=unit)
        rows = [row for row in rows if choice.keeps_step(row)]
        if given.has("truncate"):
            _truncate(rows, choice.start, choice.end, ctl.cluster)
        print_table(app, wanted, rows, style_of(given))
        if not rows:
            _remark(app, given, choice, ctl.cluster)
    return 0


def _remark(app: Application, given: Given, choice: Choice, cluster: Cluster) -> None:
    """Say which of the names that found nothing nobody knows."""
    from slimsched.controller.requests import strangers

    app.remarks += strangers.jobs(cluster, [key.number for key in choice.keys or ()])
    for option, kind in (("partition", "partition"), ("accounts", "account")):
        app.remarks += strangers.notes(cluster, kind, [word for text in given.all(option) for word in words(text)])
    app.remarks += strangers.slips(cluster, "job named", [word for text in given.all("name") for word in words(text)])
    for text in given.all("nodelist"):
        app.remarks += strangers.nodes(cluster, text)


def _truncate(rows: list[AccountingRow], start: int, end: int, cluster: Cluster) -> None:
    for row in rows:
        if row.started:
            row.since, row.until = start, min(end, cluster.now)


def _texts(app: Application, views: list[View], given: Given) -> int:
    """Print the scripts or the environments of jobs."""
    script = given.has("batch-script")
    for view in views:
        found = app.store.script(view.array_id) if script and view.request.batch else None
        text = (found if script else _environment(app, view)) or NONE_KEPT
        title = f"Batch Script for {view.name}" if script else f"Environment used for {view.name} {BATCH_ONLY}"
        app.out(f"{title}\n{'-' * 80}\n{text.rstrip()}" + ("\n" if text == NONE_KEPT else ""))
    return 0


def _environment(app: Application, view: View) -> str:
    """Return the environment of a job that really ran, a variable on each line."""
    if not view.cluster.config.live:
        return ""
    from slimsched.executor.local import submission

    kept = submission.kept(view.cluster, view.job, app.store.data)
    return "".join(f"{name}={value}\n" for name, value in kept.items())


def _refuse(given: Given, args: list[str]) -> None:
    """Raise `UserError` for arguments and for options that contradict each other."""
    if args:
        raise UserError("\n".join(["Unknown arguments:", *(f" {arg}" for arg in args)]))
    asked = [(option, what) for option, what in TEXTS.items() if given.has(option)]
    if len(asked) > 1:
        raise UserError("Options --batch-script and --env-vars are mutually exclusive", level="fatal")
    if asked and not any(given.all("jobs")):
        text = f"When requesting job {asked[0][1]} you must also request specific jobs with the '-j' option."
        raise UserError(text, level="fatal")
    answer = given.last("whole-hetjob")
    if answer and kinds.yes_no(answer, whole=True) is None:
        raise UserError(f'Invalid --whole-hetjob value "{answer}". Valid values: [yes|no].')
    path = given.last("file")
    if path is not None:
        import os

        if not os.path.isfile(path):
            raise UserError(f"{path} is not a valid file", level="plain")


command = Program("sacct", OPTIONS, run, hint=False, summary="List past and present jobs")


TOGETHER = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
DEPRECATED = {"allocgres": ("AllocGRES", "AllocTRES"), "reqgres": ("ReqGRES", "ReqTRES")}
UNITS = "KMGTP"
MEGABYTES = "M"


def _columns(given: Given) -> Format:
    """Return the columns that the options or ``SACCT_FORMAT`` ask for; raises `UserError` for an unknown one."""
    texts = given.all("format")
    if given.has("long"):
        if texts:
            raise UserError(TOGETHER, level="fatal")
        texts = [sacct_fields.LONG]
    elif given.has("brief"):
        texts = [*texts, sacct_fields.BRIEF]
    text = ",".join(texts) or os.environ.get("SACCT_FORMAT") or sacct_fields.DEFAULT
    wanted = Format([column for item in text.split(",") if item.strip() for column in _columns_of(item.strip())])
    if given.has("expand-patterns"):
        sacct_fields.write_out_patterns(wanted)
    return wanted


def _columns_of(item: str) -> list[NamedColumn]:
    """Return the columns of one item; its width counts even if it is 0."""
    name, percent, size = item.partition("%")
    if name.lower() in DEPRECATED:
        raise UserError("{} is deprecated, please use {}".format(*DEPRECATED[name.lower()]), level="fatal")
    width = width_of(size)[0] if percent else None
    if name and "all".startswith(name.lower()):
        return [NamedColumn(field, width) for field in sacct_fields.ROWS.all()]
    field = sacct_fields.ROWS.by_name(name)
    if field is None:
        from slimsched.text import alike

        known = sacct_fields.ROWS.names().split()
        raise UserError(INVALID.format(name), notes=alike.hint("field", name, known))
    return [NamedColumn(field, width)]


def _unit(given: Given) -> str:
    """Return the unit of memory, "" to choose one by size; raises `UserError` for an unknown letter."""
    text = given.last("units")
    if text is not None:
        letter = text[:1].upper()
        if not letter or letter not in UNITS:
            lead = f"error: Invalid unit type '{text}'. Possible options are '{UNITS}'"
            raise UserError(f"sacct: {lead}\nsacct: fatal: Invalid unit type", level="plain")
        return letter
    return MEGABYTES if given.has("noconvert") else ""

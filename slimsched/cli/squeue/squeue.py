"""``sim squeue``: list jobs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from slimsched.cli.listing import (
    LONG_AND_FORMAT,
    check_clusters,
    document,
    first_set,
    form,
    print_format_help,
    print_sorted,
    repeat,
)
from slimsched.cli.program import PLAIN, RECORDED, STANDARD, Given, Option, Program
from slimsched.cli.squeue.choice import SpareArgument, choice_of, formats, starts
from slimsched.errors import UserError
from slimsched.render.columns import Format, Style
from slimsched.render.jobs import job_list
from slimsched.render.units import long_date
from slimsched.slurm.states import JOB

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster

ONE_CLUSTER = r"(?i)[+-]?cluster"
"""A word of a sort order: there is one cluster only, so it changes nothing."""

FORMAT_OPTIONS = {"format": "-o (--format)", "Format": "-O (--Format)"}
"""Options that name the columns, of which only one may be given -> how a message spells them."""

FEDERATION = "there is no federation of clusters"

USAGE = """\
Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]
              [-n name] [-o format] [--only-job-state] [-p partitions]
              [--qos qos] [--reservation reservation] [--sort fields] [--start]
              [--step step_id] [-t states] [-u user_name] [--usage]
              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]
              [--expand-patterns] [--json=data_parser] [--yaml=data_parser]
              [--running-over=time] [--running-under=time] [-ahjlrsv]"""

OPTIONS = (
    Option("account", "A", "accounts", "only jobs of these accounts"),
    Option("accounts", "", "accounts", alias_of="account"),
    Option("all", "a", help="include jobs of hidden partitions"),
    Option("array", "r", help="one line for each task of an array"),
    Option("clusters", "M", "names", "clusters to ask"),
    Option("cluster", "", "names", alias_of="clusters"),
    Option("expand-patterns", help="file names with their patterns replaced"),
    Option("federation", "", "", "jobs of the whole federation", RECORDED, FEDERATION),
    Option("format", "o", "format", "columns, by letters: %.18i %j"),
    Option("Format", "O", "format", "columns, by names: JobID:10,Name"),
    Option("helpformat", help="list the letters of -o"),
    Option("helpFormat", help="list the names of -O"),
    Option("helpstate", help="list the states"),
    Option("hide", help="exclude jobs of hidden partitions"),
    Option("iterate", "i", "seconds", "repeat the list at this interval"),
    Option("job", "j", "[jobs]", "only these jobs"),
    Option("jobs", "", "[jobs]", alias_of="job"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("licenses", "L", "licenses", "only jobs that request these licenses"),
    Option("local", "", "", "jobs of this cluster only", RECORDED, FEDERATION),
    Option("long", "l", help="longer lines"),
    Option("me", help="only your own jobs"),
    Option("name", "n", "names", "only jobs of these names"),
    Option("names", "", "names", alias_of="name"),
    Option("noconvert", "", help="show memory and disk space in megabytes"),
    Option("nodelist", "w", "nodes", "only jobs on these nodes"),
    Option("nodes", "", "nodes", alias_of="nodelist"),
    Option("noheader", "h", help="no header line"),
    Option("notme", help="only jobs of other users"),
    Option("only-job-state", help="job ids and states only"),
    Option("partition", "p", "partitions", "only jobs of these partitions"),
    Option("partitions", "", "partitions", alias_of="partition"),
    Option("priority", "P", help="list a pending job once for each of its partitions"),
    Option("qos", "q", "qos", "only jobs of these QOS"),
    Option("reservation", "R", "names", "only jobs of these reservations"),
    Option("running-over", "", "time", "only jobs that have run longer than this"),
    Option("running-under", "", "time", "only jobs that have run for less than this"),
    Option("sibling", "", "", "sibling jobs of a federation", RECORDED, FEDERATION),
    Option("sort", "S", "fields", "order, by the letters of -o: P,t,-p"),
    Option("start", help="pending jobs with their expected start"),
    Option("states", "t", "states", "only jobs in these states, or all"),
    Option("state", "", "states", alias_of="states"),
    Option("step", "s", "[steps]", "list steps"),
    Option("steps", "", "[steps]", alias_of="step"),
    Option("user", "u", "users", "only jobs of these users"),
    Option("users", "", "users", alias_of="user"),
    Option("verbose", "v", help="print what is listed and why"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    PLAIN,
    *STANDARD,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the jobs that the options ask for."""
    kind = "STEPS" if given.has("step") else "JOBS"
    if not print_format_help(app, given, kind, job_list.JOBS, map(str.lower, JOB)):
        repeat(app, given, lambda: _once(app, given, args))
    return 0


def _once(app: Application, given: Given, args: list[str]) -> Cluster:
    """List the jobs in the form that is asked for."""
    _check(given)
    with app.session(write=False) as ctl:
        check_clusters(app, given, ctl.cluster)
        try:
            choice = choice_of(app, given, args, ctl.cluster)
        except SpareArgument:
            app.out(USAGE)
            raise
        forms = form(given)
        if forms:
            from slimsched.render.json import jobs

            every = ctl.cluster.config.version.openapi  # left all other options aside
            kept = [view for view in job_list.views(ctl.cluster) if every or choice.keeps(view)]
            document(app, forms, jobs.body(ctl.cluster, kept), ctl.cluster)
            return ctl.cluster
        if given.has("verbose"):
            from slimsched.cli.squeue import verbose

            app.out("\n".join(verbose.lines(given, args, ctl.cluster, choice)))
        _list(app, given, ctl.cluster, choice)
        return ctl.cluster


def _check(given: Given) -> None:
    """Refuse options that exclude one another, in the words for the one that came second."""
    formats = [FORMAT_OPTIONS[option.name] for option, _ in given.pairs if option.name in FORMAT_OPTIONS]
    other = next((spelled for spelled in formats if spelled != formats[0]), "")
    if other:
        raise UserError(f"{other} is incompatible with {formats[0]}")
    if given.has("long") and given.has("format"):
        raise UserError(LONG_AND_FORMAT, level="fatal")


def _list(app: Application, given: Given, cluster: Cluster, choice: job_list.JobChoice) -> None:
    """Choose, sort and print."""
    listing: job_list.Lister = job_list.whole
    if given.has("step"):
        from slimsched.render.jobs.step_list import listing
    elif given.has("only-job-state"):
        listing = job_list.states_only
    each_task, each_partition = _wants(given, "array"), _wants(given, "priority")
    found = listing(cluster, choice, job_list.Manner(each_task, each_partition))
    wanted = _format(app, given, found)
    header = not given.has("noheader")
    if header and (given.has("long") or given.has("iterate") or given.has("verbose")):
        app.out(long_date(cluster.now))
    if given.has("verbose"):
        app.out(f"last_update_time={cluster.now} records={len(found.records if given.has('step') else cluster.jobs)}")
    order = first_set(given, "sort", "SQUEUE_SORT")
    if order is None:
        order = "S" if starts(given) else found.order
    if "cluster" in order.lower():
        order = re.sub(ONE_CLUSTER, "", order)
    if choice.steps and not found.records:
        from slimsched.controller.requests import strangers

        app.remarks += [note for number, *_ in choice.steps for note in strangers.steps(cluster, number)]
    print_sorted(app, wanted, found.records, order, found.table, Style(header=header))


def _wants(given: Given, option: str) -> bool:
    """Whether an option or its variable is given."""
    return given.has(option) or f"SQUEUE_{option.upper()}" in os.environ


def _format(app: Application, given: Given, found: job_list.Listing) -> Format:
    """Return the columns that the options or variables ask for; name the specifications that ask for none."""
    short, long = formats(given, found.format)
    wanted = found.table.short(short) if short is not None else found.table.long(long or "")
    kind = "job step" if given.has("step") else "job"
    for name in wanted.invalid:
        app.err(f"{app.command}: error: Invalid {kind} format specification: {name}")
        if long:
            from slimsched.text import alike

            app.remarks += alike.hint("field", name, found.table.names().split())
    if given.has("noconvert"):
        from slimsched.render.jobs.fields import in_megabytes

        for column in wanted.columns:
            column.field = in_megabytes(column.field)
    if given.has("expand-patterns"):
        from slimsched.render.jobs.long_fields import written_out

        for column in wanted.columns:
            column.field = written_out(column.field)
    return wanted


command = Program("squeue", OPTIONS, run, summary="List jobs")

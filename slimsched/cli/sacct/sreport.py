"""``sim sreport``: how the cluster was used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.cli.listing import print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.sacct import sreport_conditions, sreport_words
from slimsched.cli.sacct.accounting import refuse_disabled, style_of
from slimsched.cli.sacct.sreport_conditions import Faults
from slimsched.errors import UserError
from slimsched.render.columns import begins
from slimsched.text import alike

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.render.accounts.sreport import Asked, Unit
    from slimsched.render.columns import Format

OPTIONS = (
    Option("all_clusters", "a", "", "all clusters", RECORDED, "there is one cluster only"),
    Option("cluster", "M", "names", "clusters to report on"),
    Option("delimiter", "", "text", "separator of the values for -p and -P"),
    Option("federation", "", "", "clusters of the federation", RECORDED, "there is none"),
    Option("local", "", "", "this cluster only", RECORDED, "there is one cluster only"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("quiet", "Q", "", "print no messages", RECORDED, "there are none"),
    Option("sort", "s", "key", "order of users: time (what they used) or name"),
    Option("time", "t", "unit", "SecPer, MinPer, HourPer, Seconds, Minutes, Hours or Percent"),
    Option("tres", "T", "names", "resources: cpu,mem,node,billing,gres/NAME or ALL"),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    PLAIN,
    *STANDARD_H,
)


class Report(NamedTuple):
    """One report: its names with the fewest letters, its title, its columns, and where its rows are made.

    ``format``: the columns that are shown if no format is given; with ``--tres`` the resource's name is added.
    ``label``: the heading of the first column of a report on jobs' sizes.
    """

    kind: str
    names: str
    title: str
    fields: str
    rows: str
    format: str = ""
    seconds: bool = True
    label: str = ""


UTILIZED = "Cluster,Allocated,Down,PlannedDown,Idle,Planned,Reported"
BY_USER, BY_QOS = "Cluster,Accounts,Login,Proper,Used,Energy", "Cluster,Accounts,QOS,Used,Energy"
OF_USER = "Cluster,Login,Proper,Accounts,Used,Energy"
OF_USER_KEYS, BY_KEY = "Cluster,Login,Proper,WCKey,Used", "Cluster,WCKey,Login,Proper,Used"
RESERVED = "Cluster,Name,Start,End,TresName,Allocated,Idle"
REPORTS = (
    Report(
        "cluster", "AccountUtilizationByUser:17 AU:2", "Cluster/Account/User Utilization", "USE", "by_account", BY_USER
    ),
    Report("cluster", "AccountUtilizationByQOS:21 AQ:2", "Cluster/Account/QOS Utilization", "USE", "by_qos", BY_QOS),
    Report(
        "cluster", "UserUtilizationByAccount:18 UA:2", "Cluster/User/Account Utilization", "USE", "by_user", OF_USER
    ),
    Report(
        "cluster", "UserUtilizationByWckey:18 UW:2", "Cluster/User/WCKey Utilization", "USE", "user_keys", OF_USER_KEYS
    ),
    Report("cluster", "Utilization:2", "Cluster Utilization", "UTILIZATION", "utilization", UTILIZED, seconds=False),
    Report("cluster", "WCKeyUtilizationByUser:1 WU:2", "Cluster/WCKey/User Utilization", "USE", "by_key", BY_KEY),
    Report("job", "SizesByAccount:1", "Job Sizes", "", "job_sizes", label="Account"),
    Report("job", "SizesByAccountAndWcKey:15", "Job Sizes", "", "sizes_by_both", label="Account%-20"),
    Report("job", "SizesByWckey:8", "Job Sizes by Wckey", "", "sizes_by_key", label="Wckey"),
    Report(
        "reservation",
        "Utilization:1",
        "Reservation Utilization",
        "RESERVATION",
        "reservations",
        RESERVED,
        seconds=False,
    ),
    Report("user", "TopUsage:1", "Top {} Users", "USE", "top", OF_USER),
)
KINDS = {"cluster": 2, "job": 1, "reservation": 2, "user": 1}
"""The first word of a report -> its fewest letters."""
VALID = {
    "cluster": (
        '"AccountUtilizationByUser", "AccountUtilizationByQOS", "UserUtilizationByAccount", "UserUtilizationByWckey", '
        '"Utilization", and "WCKeyUtilizationByUser"'
    ),
    "job": '"SizesByAccount, SizesByAccountAndWcKey, and SizesByWckey"',
    "reservation": '"Utilization"',
    "user": '"Top"',
}
PROMPT = "sreport: "


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Print the report that the words name, or those that the lines of standard input name, each behind a prompt."""
    if args:
        return _print(app, given, args)
    code = 0
    for line in sys.stdin:
        app.out(f"{PROMPT}{line.rstrip()}")
        typed = line.split()
        if typed and sreport_words.leaves(typed[0]):
            return code
        if typed:
            try:
                code |= _print(app, given, typed)
            except UserError as fault:
                code |= app.report(fault)
    app.out(PROMPT)
    return code


def _print(app: Application, given: Given, args: list[str]) -> int:
    """Print the report that the words name, or do what else they say; return the exit code."""
    if sreport_words.obeyed(app, given, args, command.help()):
        return 0
    from slimsched.render.accounts import sreport, sreport_sums

    faults = Faults()
    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        refuse_disabled(cluster)
        unit, resources = _unit(given.last("time") or "Minutes", faults), _resources(given, cluster)
        report = _report(args)
        read = sreport_conditions.read(report.kind, args[2:], cluster, faults)
        by_name = _sorts_by_name(given.last("sort") or "Time", faults)
        asked = read.asked._replace(unit=unit, resources=resources, by_name=by_name)
        jobs: list[Job] = [*app.store.archive.between(asked.start, asked.end), *cluster.gone_jobs]
        jobs += cluster.jobs.values()
        if sreport.INDIVIDUAL in asked.flags:
            asked = asked._replace(sizes=sreport_sums.individual_sizes(cluster, jobs, asked))
        wanted = _columns(report, asked, read.form, faults, tres=given.has("tres"))
        style = style_of(given)
        usage = sreport.usage_line(asked, tres=given.has("tres") or report.kind == "reservation")
        if report.kind == "job":
            counts = "printjobcount" in asked.flags
            usage = "Units are in number of jobs ran" if counts else f"Time reported in {asked.unit.title}"
        text = report.title.format(asked.top)
        head = sreport.title(text, asked, style, cluster.now, seconds=report.seconds, usage=usage)
        for fault in faults:
            app.err(fault)
        if head:
            app.out("\n".join(head))
        named = read.clusters or words(given.last("cluster") or "")
        here = not named or "all_clusters" in asked.flags or cluster.config.get("ClusterName") in named
        print_table(app, wanted, _rows(app, report, cluster, jobs, asked) if here else [], style)
    app.remarks += faults.notes
    return int(faults.fatal)


def _rows(app: Application, report: Report, cluster: Cluster, jobs: list[Job], asked: Asked) -> list[Any]:
    """Return the rows of a report."""
    if report.rows == "utilization":
        from slimsched.render.accounts.events import events
        from slimsched.render.accounts.sreport_hours import utilization

        return utilization(cluster, jobs, asked, events(cluster, app.store.history()))
    from slimsched.render.accounts import sreport_sums

    made: Callable[[Cluster, list[Job], Asked], list[Any]] = getattr(sreport_sums, report.rows)
    return made(cluster, jobs, asked)


def _report(args: list[str]) -> Report:
    """Return the report that the first two words name; they may be abbreviated."""
    if not args:
        raise UserError("no report named", level="error")
    word = args[0].lower()
    kind = next((kind for kind, least in KINDS.items() if kind.startswith(word) and len(word) >= least), None)
    if kind is None:
        raise UserError(f"invalid keyword: {args[0]}", level="plain", notes=alike.hint("keyword", args[0], KINDS))
    if len(args) < 2:
        raise UserError(f"too few arguments for keyword:{args[0]}", level="plain")
    for report in REPORTS:
        if report.kind == kind and any(begins(name, args[1]) for name in report.names.split(" ")):
            return report
    known = [name.partition(":")[0] for report in REPORTS if report.kind == kind for name in report.names.split(" ")]
    raise UserError(
        f"Not valid report {args[1]}\nValid {kind} reports are, {VALID[kind]}",
        level="plain",
        notes=alike.hint("report", args[1], known),
    )


def _sorts_by_name(text: str, faults: Faults) -> bool:
    """Whether users come by their names; by what they used for a word that is unknown."""
    if text.lower() != "time" and not (text and "name".startswith(text.lower())):
        faults.append(f"unknown timesort format {text}")
    return text.lower() != "time" and "name".startswith(text.lower())


def _unit(text: str, faults: Faults) -> Unit:
    """Return the unit of a name; minutes for one that is unknown."""
    from slimsched.render.accounts.sreport import MINUTES, UNITS

    for unit in UNITS:
        least = len(unit.name) - 1 if unit.part else 1
        if unit.name.lower().startswith(text.lower()) and len(text) >= least:
            return unit
    faults.append(f"unknown time format {text}")
    return MINUTES


def _resources(given: Given, cluster: Cluster) -> tuple[str, ...]:
    """Return the resources of ``--tres``, without unknown ones, in the order of their numbers; CPUs if not given."""
    from slimsched.model.resources import counted

    text = given.last("tres")
    if text is None:
        return ("cpu",)
    known = tuple(counted(cluster.config))
    named = [name.lower() for name in words(text)]
    wanted = known if named == ["all"] else tuple(name for name in known if name in named)
    if not wanted:
        raise UserError("No valid TRES given", level="fatal")
    return wanted


def _columns(report: Report, asked: Asked, form: str, faults: Faults, *, tres: bool) -> Format:
    """Return the columns; unknown ones are left out."""
    from slimsched.render.accounts import sreport

    known = getattr(sreport, report.fields) if report.fields else sreport.sizes(asked, report.label)
    usual = report.format.split(",")
    if tres and report.format and "TresName" not in usual:
        at = next(at for at, name in enumerate(usual) if name in {"Used", "Allocated"})
        usual.insert(at, "TresName")
        usual = [name for name in usual if name != "Energy"]
    if "tree" in asked.flags:
        usual = ["Accounts%-20" if name == "Accounts" else name for name in usual]
    wanted = sreport.chosen(known, form or ",".join(usual), asked.unit)
    if wanted.invalid:
        faults += [f" Unknown field '{name}'" for name in wanted.invalid]
        faults.fatal = True
    return wanted


KEYWORDS = (
    ("cluster Utilization", "time allocated, down, planned down, idle and planned"),
    ("cluster AccountUtilizationByUser", "usage of accounts and their users"),
    ("cluster AccountUtilizationByQOS", "usage of accounts by QOS"),
    ("cluster UserUtilizationByAccount", "usage of users by account"),
    ("cluster UserUtilizationByWckey", "usage of users by workload characterization key"),
    ("cluster WCKeyUtilizationByUser", "usage of workload characterization keys by user"),
    ("job SizesByAccount", "usage of accounts by the size of jobs; also SizesByWckey, SizesByAccountAndWckey"),
    ("reservation Utilization", "how much of reservations jobs used"),
    ("user TopUsage", "the users who used most"),
)
CHOICES = (
    ("start=TIME, end=TIME", "the period, in whole hours; yesterday if not given"),
    ("format=FIELDS", "columns: Login,Used%20"),
    ("accounts=NAMES, users=NAMES", "only these"),
    ("partitions=, nodes=, jobs=, gid=, wckeys=", "only jobs of these"),
    ("names=NAMES", "only these reservations"),
    ("tree", "accounts are indented (AccountUtilizationByUser)"),
    ("group, topcount=N", "one line for each user, N users at most (TopUsage)"),
    ("grouping=50,250 or individual", "sizes of jobs, in CPUs (Sizes...)"),
    (
        "printjobcount, flatview, acctasparent",
        "count jobs; list every account; include its subaccounts (Sizes...)",
    ),
)
command = Program(
    "sreport",
    OPTIONS,
    run,
    summary="Report how the cluster was used",
    arguments="REPORT [OPTION...]",
    keywords=lambda: {"Reports": KEYWORDS, "Options of a report": CHOICES},
)

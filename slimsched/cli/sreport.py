"""``sim sreport``: how the cluster was used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.cli.accounting import refuse_disabled, style_of
from slimsched.cli.command import RECORDED, STANDARD_H, Given, Option, SlurmCommand
from slimsched.errors import SyntaxFault, UserError
from slimsched.text.moments import moment

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.render.accounting import Field

DAY, HOUR = 86400, 3600

OPTIONS = (
    Option("all_clusters", "a", "", "all clusters", RECORDED, "there is one cluster only"),
    Option("cluster", "M", "names", "clusters to ask", RECORDED, "there is one cluster only"),
    Option("delimiter", "", "text", "what stands between the values of -p and -P"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="values with | behind each"),
    Option("parsable2", "P", help="values with | between them"),
    Option("quiet", "Q", "", "print no messages", RECORDED, "there are none"),
    Option("time", "t", "unit", "unit of time", RECORDED, "usage is reported in minutes"),
    Option("tres", "T", "names", "resources", RECORDED, "CPUs are reported"),
    Option("verbose", "v", "", "say more", RECORDED, "there is nothing more to say"),
    *STANDARD_H,
)


class Report(NamedTuple):
    """One report: the beginnings of its words, its title, and where its table is in `slimsched.render.sreport`."""

    words: tuple[str, str]
    title: str
    fields: str
    rows: str


REPORTS = (
    Report(("cluster", "utilization"), "Cluster Utilization", "UTILIZATION", "utilization"),
    Report(("cluster", "accountutilizationbyuser"), "Cluster/Account/User Utilization", "BY_ACCOUNT", "by_account"),
    Report(("cluster", "userutilizationbyaccount"), "Cluster/User/Account Utilization", "TOP", "top"),
    Report(("user", "topusage"), "Top 10 Users", "TOP", "top"),
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Print the report that the words name."""
    from slimsched.render import sreport

    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        refuse_disabled(cluster)
        report = _report(args)
        start, end = _period(args[2:], cluster.now)
        jobs: list[Job] = [*app.store.archive.between(start, end), *cluster.gone_jobs, *cluster.jobs.values()]
        fields: Sequence[Field] = getattr(sreport, report.fields)
        rows: Callable[[Cluster, list[Job], int, int], list[Any]] = getattr(sreport, report.rows)
        found = rows(cluster, jobs, start, end)
        if report.words[0] == "user":
            found = found[:10]
        style = style_of(given)
        app.out("\n".join([*sreport.title(report.title, start, end, style), *style.lines(fields, found)]))
    return 0


def _report(args: list[str]) -> Report:
    """Return the report that the first two words name; they may be abbreviated."""
    wanted = [word.lower() for word in args[:2]]
    for report in REPORTS:
        if len(wanted) == 2 and all(name.startswith(word) for name, word in zip(report.words, wanted, strict=True)):
            return report
    known = "; ".join(" ".join(report.words) for report in REPORTS)
    raise UserError(f"Not valid report: {' '.join(args[:2])}", notes=(f"there are: {known}",))


def _period(args: list[str], now: int) -> tuple[int, int]:
    """Return ``start=`` and ``end=``; yesterday, and the hour after it, if they are not given."""
    midnight = now - now % DAY
    times = {"start": midnight - DAY, "end": midnight + HOUR}
    for arg in args:
        name, equals, text = arg.partition("=")
        key = next((key for key in times if name and key.startswith(name.lower())), None)
        if equals and key:
            try:
                times[key] = moment(text, now, past=True)
            except SyntaxFault as fault:
                raise UserError(fault.message) from None
    return times["start"], times["end"]


command = SlurmCommand(
    "sreport", OPTIONS, run, summary="Report how the cluster was used", arguments="REPORT [OPTION...]"
)

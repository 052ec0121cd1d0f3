"""`sim report`: a page about a replay, or about what has happened in a cluster."""

from __future__ import annotations

import click

from slimsched.cli.app import Application

EXAMPLES = """\
\b
Examples:
  sim report run1 -o run1.html
  sim report --state ./cluster -o cluster.html
"""


@click.command(name="report", epilog=EXAMPLES)
@click.argument("run", required=False)
@click.option("-o", "--output", required=True, metavar="FILE", help="Where to write the page.")
@click.pass_obj
def command(app: Application, run: str | None, output: str) -> int:
    """Write a page about RUN, a folder that sim replay --out made, or about the cluster of the state directory.

    The page is one file of HTML, which needs no network.
    """
    from slimsched.render.replay import report
    from slimsched.replay import compare, schedule
    from slimsched.text import times

    if run is not None:
        result = compare.read(run)
        shown = schedule.of_run(result)
        title = f"{result.options.get('trace')} under {result.options.get('policy')}"
    else:
        with app.session(write=False) as ctl:
            shown = schedule.of_cluster(ctl.cluster, app.store.archive.between())
            title = f"Cluster {ctl.cluster.config.get('ClusterName')} at {times.instant(ctl.cluster.now)}"
    subtitle = f"{len(shown.rows):,} jobs, {len(shown.nodes):,} nodes, {shown.processors:,} processors"
    text = report.page(report.Page(title, subtitle, shown.nodes, shown.processors, shown.rows))
    with open(output, "w", encoding="utf-8", errors="backslashreplace") as out:
        out.write(text)
    return 0

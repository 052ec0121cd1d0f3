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
    from slimsched.cli.replay import shown
    from slimsched.render.replay import report

    title, found = shown.schedule(app, run)
    with open(output, "w", encoding="utf-8", errors="backslashreplace") as out:
        out.write(report.page(title, found))
    return 0

"""`sim compare`: the metrics of several replays side by side."""

from __future__ import annotations

import click

from slimsched.cli.app import Application

EXAMPLES = """\
\b
Examples:
  sim compare fcfs easy conservative
  sim compare easy-seed*/ fcfs-seed*/
"""


@click.command(name="compare", epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.pass_obj
def command(app: Application, runs: tuple[str, ...]) -> int:
    """Print the metrics of each RUN, a folder that sim replay --out made, in a column.

    Runs that differ in their traces only, as by seeds, are one column: the mean and its 95 % interval.
    """
    from slimsched.render.replay import metrics
    from slimsched.replay import compare

    app.out("\n".join(metrics.aligned(list(compare.table(map(compare.read, runs))))))
    return 0

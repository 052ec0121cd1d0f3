"""`sim generate`: a synthetic workload for `sim replay`."""

from __future__ import annotations

import click

from slimsched.cli.app import Application

EXAMPLES = """\
\b
Examples:
  sim generate --procs 256 --jobs 10000 --seed 7 -o synthetic.swf
  sim generate --procs 64 --load 0.9 | sim replay - --policy easy
"""


@click.command(name="generate", epilog=EXAMPLES)
@click.option("--procs", type=click.IntRange(2), required=True, metavar="N", help="Processors of the machine.")
@click.option("--jobs", type=click.IntRange(1), default=1000, metavar="N", help="Number of jobs.  [default: 1000]")
@click.option("--seed", type=int, default=1, metavar="N", help="The same seed gives the same jobs.  [default: 1]")
@click.option(
    "--load", type=click.FloatRange(0, min_open=True), metavar="F",
    help="How much of the machine the jobs ask for, as 0.8.  [default: what comes of the model]",
)  # fmt: skip
@click.option("--users", type=click.IntRange(1), default=20, metavar="N", help="Number of users.  [default: 20]")
@click.option("-o", "--output", metavar="FILE", help="Where to write the trace.  [default: standard output]")
@click.pass_obj
def command(
    app: Application, procs: int, jobs: int, seed: int, load: float | None, users: int, output: str | None
) -> int:
    """Make a workload by the model of Lublin and Feitelson, in the Standard Workload Format."""
    from slimsched.replay import model

    text = "".join(f"{line}\n" for line in model.lines(model.Workload(procs, jobs, seed, load, users)))
    if output is None:
        app.out(text, end="")
    else:
        with open(output, "w", encoding="ascii") as out:
            out.write(text)
    return 0

"""`sim generate`: a synthetic workload for `sim replay`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from slimsched.cli.app import Application
from slimsched.cli.replay.numbers import FACTOR, SHARE
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.replay.model import Workload

EXAMPLES = """\
\b
Examples:
  sim generate --procs 256 --jobs 10000 --seed 7 -o synthetic.swf
  sim generate --procs 64 --load 0.9 | sim replay - --policy easy
  sim generate --procs 64 --nodes 16 --refresh 900 --out picky
"""


@click.command(name="generate", epilog=EXAMPLES)
@click.option("--procs", type=click.IntRange(2), required=True, metavar="N", help="Processors of the machine.")
@click.option("--jobs", type=click.IntRange(1), default=1000, metavar="N", help="Number of jobs.  [default: 1000]")
@click.option("--seed", type=int, default=1, metavar="N", help="The same seed gives the same jobs.  [default: 1]")
@click.option(
    "--load", type=FACTOR, metavar="F",
    help="How much of the machine the jobs ask for, as 0.8.  [default: what comes of the model]",
)  # fmt: skip
@click.option("--users", type=click.IntRange(1), default=20, metavar="N", help="Number of users.  [default: 20]")
@click.option("--nodes", type=click.IntRange(2), metavar="N", help="Jobs have constraints, on N nodes; needs --out.")
@click.option("--extra", type=SHARE, default=0.3, metavar="F", help="Share that asks for a low load.  [default: 0.3]")
@click.option("--features", type=SHARE, default=0.1, metavar="F", help="Share that asks for a feature.  [default: 0.1]")
@click.option(
    "--complexes", type=SHARE, default=0.0, metavar="F", help="Share that asks for an attribute.  [default: 0]"
)
@click.option(
    "--refresh", type=int, default=300, metavar="SECONDS", help="How often nodes tell their load.  [default: 300]"
)
@click.option("--out", metavar="DIR", help="With --nodes: write jobs.events, slurm.conf and changes.txt to DIR.")
@click.option("-o", "--output", metavar="FILE", help="Where to write the trace.  [default: standard output]")
@click.pass_obj
def command(
    app: Application,
    /,
    procs: int,
    jobs: int,
    seed: int,
    load: float | None,
    users: int,
    nodes: int | None,
    out: str | None,
    output: str | None,
    **wishes: Any,
) -> int:
    """Make a workload by the model of Lublin and Feitelson, in the Standard Workload Format.

    With --nodes its jobs are sbatch lines, some of them with constraints, and nodes tell a load that changes:
    sim replay DIR/jobs.events --cluster DIR/slurm.conf --events DIR/changes.txt.
    """
    from slimsched.replay import model

    wanted = model.Workload(procs, jobs, seed, load, users)
    if (nodes is None) != (out is None):
        raise UserError("--nodes and --out DIR go together")
    if nodes is not None and out is not None:
        _write(out, wanted, nodes, wishes)
        return 0
    text = "".join(f"{line}\n" for line in model.lines(wanted))
    if output is None:
        app.out(text, end="")
    else:
        with open(output, "w", encoding="ascii") as file:
            file.write(text)
    return 0


def _write(out: str, wanted: Workload, nodes: int, wishes: dict[str, Any]) -> None:
    """Write the three files of a workload with constraints."""
    from slimsched.replay import constrained
    from slimsched.state import files

    made = constrained.generate(wanted, constrained.Wishes(nodes, **wishes))
    files.make_folder(os.path.abspath(out))
    for name, text in zip(("jobs.events", "slurm.conf", "changes.txt"), made, strict=True):
        files.replace(os.path.join(out, name), text.encode())

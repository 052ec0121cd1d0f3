"""`sim sweep`: replays for every combination of a grid's values."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application

if TYPE_CHECKING:
    from slimsched.replay.sweep import Cell

EXAMPLES = """\
\b
Examples:
  sim sweep grid.toml
  sim sweep grid.toml --out results --workers 8

\b
  # grid.toml
  [grid]
  trace = ["KTH-SP2.swf.gz"]
  policy = ["fcfs", "easy", "conservative"]
  scale_load = [1.0, 1.2]
"""


@click.command(name="sweep", epilog=EXAMPLES)
@click.argument("grid")
@click.option("--out", metavar="DIR", help="The folder of the results.  [default: the name of GRID without its end]")
@click.option(
    "--workers", type=click.IntRange(1), metavar="N", help="Replays at a time.  [default: one for each processor]"
)
@click.pass_obj
def command(app: Application, grid: str, out: str | None, workers: int | None) -> int:
    """Replay every combination of the values in GRID, a TOML file, and compare the results.

    Results are kept by all that went into them: a sweep that is run again replays only what is missing. A cell that
    fails does not stop the others.
    """
    from slimsched.render.replay import metrics
    from slimsched.replay import compare, sweep
    from slimsched.state import toml

    out = out or os.path.splitext(grid)[0]
    cells = sweep.cells(toml.read(grid), out)
    left = [cell for cell in cells if not cell.done]
    app.note(f"{len(cells)} cells, {len(cells) - len(left)} of them replayed before")
    failed = 0
    for count, (cell, error) in enumerate(sweep.run(left, workers or os.cpu_count() or 1, replay), 1):
        if error:
            failed += 1
            app.err(f"sim: error: {_named(cell)}: {error.removeprefix('sim: error: ')}")
        elif sys.stderr.isatty():
            app.err(f"{count} of {len(left)}: {_named(cell)}")
    done = [compare.read(cell.folder) for cell in cells if cell.done]
    if done:
        app.out("\n".join(metrics.aligned(list(compare.table(done)))))
    for cell in cells:
        app.note(f"{os.path.basename(cell.folder)}: {_named(cell)}")
    return 1 if failed else 0


def _named(cell: Cell) -> str:
    return ", ".join(f"{name} {value}" for name, value in cell.values.items())


def replay(words: list[str]) -> tuple[int, str]:
    """Run a command line in a worker; return its exit code and what it said on standard error."""
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from slimsched.cli.main import main

    os.environ["SLIMSCHED_NOTES"] = "0"
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
        try:
            code = main(words)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return code, said.getvalue()

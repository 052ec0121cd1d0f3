"""`sim sweep`: replays for every combination of a grid's values."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.errors import UserError

if TYPE_CHECKING:
    from concurrent.futures import Executor

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
@click.option("--out", metavar="DIR", help="The folder of the results.  [default: the name of GRID without .toml]")
@click.option(
    "--workers", type=click.IntRange(1), metavar="N", help="Replays at a time.  [default: one for each processor]"
)
@click.option("--dask", metavar="ADDRESS", help="Replay on the workers of this Dask scheduler; local starts one here.")
@click.option(
    "--dask-jobqueue", type=click.IntRange(1), metavar="N", help="Replay in N jobs of a Slurm cluster (Dask)."
)
@click.pass_obj
def command(
    app: Application, grid: str, out: str | None, workers: int | None, dask: str | None, dask_jobqueue: int | None
) -> int:
    """Replay every combination of the values in GRID, a TOML file, and compare the results.

    Cells run in processes of this machine, or on the workers of Dask, which need the same folders and slimsched; the
    results are the same. They are kept under a hash of all that went in: a sweep that is run again replays only what is
    missing. A cell that fails does not stop the others.
    """
    from slimsched.render.replay import metrics
    from slimsched.replay import compare, sweep

    out = out or os.path.splitext(grid)[0]
    cells = sweep.cells(grid, out)
    left = [cell for cell in cells if not cell.done]
    app.note(f"{len(cells)} cells, {len(cells) - len(left)} of them replayed before")
    failed, count = 0, workers or os.cpu_count() or 1
    work = replay if dask is None and dask_jobqueue is None else partial(separately, os.getcwd())
    with _pool(count, dask, dask_jobqueue) if left else nullcontext() as pool:
        for done, (cell, error) in enumerate(sweep.run(left, pool, work) if pool else (), 1):
            if error:
                failed += 1
                app.err(f"sim: error: {_named(cell)}: {error.removeprefix('sim: error: ')}")
            elif sys.stderr.isatty():
                app.err(f"{done} of {len(left)}: {_named(cell)}")
    results = [compare.read(cell.folder) for cell in cells if cell.done]
    if results:
        app.out("\n".join(metrics.aligned(list(compare.table(results)))))
    for cell in cells:
        app.note(f"{os.path.basename(cell.folder)}: {_named(cell)}")
    return 1 if failed else 0


def _pool(workers: int, dask: str | None, jobs: int | None) -> AbstractContextManager[Executor]:
    """Return where the cells are to run."""
    from slimsched.replay import pools

    if dask is not None and jobs is not None:
        raise UserError("give one of --dask and --dask-jobqueue")
    if jobs is not None:
        return pools.jobqueue(jobs)
    return pools.processes(workers) if dask is None else pools.dask(dask, workers)


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


def separately(folder: str, words: list[str]) -> tuple[int, str]:
    """Run a command line in a process of its own, as a worker with several threads needs it."""
    import subprocess

    env = {**os.environ, "SLIMSCHED_NOTES": "0"}
    program = [sys.executable, "-m", "slimsched", *words]
    done = subprocess.run(program, cwd=folder, env=env, capture_output=True, text=True, errors="replace", check=False)
    return done.returncode, done.stderr

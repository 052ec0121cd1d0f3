"""How much does stale load data in Extra cost, with and without bf_extra_constraints?

python examples/stale_load.py [--jobs N] [--seeds N] [--refresh SECONDS...]

Nodes tell their load in Extra each so many seconds; three jobs of ten ask for load<0.5, unless they are large. For each
interval and for both ways of planning, the same workloads are generated and replayed. What is printed, as means over
the seeds:

  wait, picky     how long the jobs with the constraint waited, in minutes
  wait, others    the same of all other jobs
  deceived        the share of their nodes whose true load was 0.5 or more when they started

True loads are those of each minute. They do not depend on the jobs, so a job that was deceived runs no longer here;
what the deceit costs it depends on what it wanted the idle node for.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import islice, product
from pathlib import Path
from statistics import mean

from slimsched.replay.constrained import LIMIT, STEP, true_loads
from slimsched.replay.rows import Row, read
from slimsched.text import hostlist

PROCS, NODES, LOAD = 64, 16, 0.7
POLICIES = {"without": "off=extra_constraints", "with": "on=extra_constraints,bf_extra_constraints"}


def sim(*words: str) -> None:
    """Run a command, and stop with what it says if it fails."""
    done = subprocess.run([sys.executable, "-m", "slimsched", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)


def deceived(rows: list[Row], seed: int) -> float:
    """Return the share of the nodes of picky jobs that were too loaded when these started, in per cent."""
    last = max((row.start for row in rows), default=0)
    loads = list(islice(true_loads(seed, NODES), last // STEP + 1))
    seen = [
        loads[row.start // STEP][int(name.removeprefix("n")) - 1] for row in rows for name in hostlist.expand(row.nodes)
    ]
    return 100 * mean(load >= LIMIT for load in seen) if seen else 0.0


def replayed(folder: Path, jobs: int, seed: int, refresh: int, policy: str) -> tuple[float, float, float]:
    """Return the waits of picky and of other jobs in minutes, and the share of deceived nodes."""
    made, run = folder / f"{refresh}-{seed}", folder / f"{refresh}-{seed}-{policy}"
    words = ("--jobs", str(jobs), "--load", str(LOAD), "--seed", str(seed), "--refresh", str(refresh))
    if not made.exists():
        sim("generate", "--procs", str(PROCS), "--nodes", str(NODES), *words, "--out", str(made))
    sim(
        *("replay", str(made / "jobs.events"), "--cluster", str(made / "slurm.conf")),
        *("--events", str(made / "changes.txt"), "--policy", POLICIES[policy], "--out", str(run)),
    )
    rows = [row for row in read(str(run / "jobs.csv"), Row) if row.ran]
    picky, others = ([row for row in rows if bool(row.extra) is asked] for asked in (True, False))
    waits = (mean(row.wait for row in some) / 60 if some else 0.0 for some in (picky, others))
    return *waits, deceived(picky, seed)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--refresh", type=int, nargs="+", default=[60, 300, 900, 3600])
    given = parser.parse_args()
    print("refresh, s  bf_extra_constraints  wait, picky  wait, others  deceived, %")
    with tempfile.TemporaryDirectory() as folder:
        for refresh, policy in product(given.refresh, POLICIES):
            found = [replayed(Path(folder), given.jobs, seed, refresh, policy) for seed in range(1, given.seeds + 1)]
            picky, others, wrong = (mean(column) for column in zip(*found, strict=True))
            print(f"{refresh:10}  {policy:>20}  {picky:11.1f}  {others:12.1f}  {wrong:11.1f}", flush=True)


if __name__ == "__main__":
    main()

"""What a script of twelve commands costs on the virtual clock: ``sim run -- ./script`` against ``python -c pass``.

    python benchmarks/bench_run.py [--runs 9]

Budget (issue "Live"): a script full of ``sleep 600; squeue`` takes a second, and prints the same every time. The times
take turns with those of the bare interpreter, and the medians are compared.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

SIM = Path(sysconfig.get_path("scripts")) / "sim"
SCRIPT = """#!/bin/sh
id=$(sbatch --parsable -n2 --wrap 'sleep 1000')
sbatch -n4 -d afterok:$id --wrap 'sleep 500'
squeue
sleep 600
squeue
sinfo
sleep 600
squeue
scontrol show job $id
scancel 2
sleep 60
sacct -X -o JobID,State,Elapsed
"""
COMMANDS = len(SCRIPT.splitlines()) - 1


def cost(words: list[str], env: dict[str, str], folder: str) -> tuple[float, float, bytes]:
    """Return what a program takes by the clock, its CPU time with that of its children, in seconds, and its output."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(words, env=env, cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, used, out


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    unset = ("PYTHONDONTWRITEBYTECODE", "SLIMSCHED_STATE")
    env = {name: value for name, value in os.environ.items() if name not in unset}
    with tempfile.TemporaryDirectory(prefix="bench-run-") as folder:
        script = Path(folder) / "script"
        script.write_text(SCRIPT)
        script.chmod(0o755)
        cases = ([sys.executable, "-c", "pass"], [str(SIM), "run", "--", str(script)])
        rounds = [[cost(words, env, folder) for words in cases] for _ in range(parser.parse_args().runs)]
    for which, what in enumerate(("by the clock", "CPU time")):
        bare, whole = (statistics.median(one[case][which] for one in rounds) for case in (0, 1))
        print(f"{COMMANDS} commands, {what:<14}{whole * 1000:8.1f} ms  {whole / bare:5.1f} times python -c pass")
    print(f"different outputs          {len({one[1][2] for one in rounds}):8}")


if __name__ == "__main__":
    main()

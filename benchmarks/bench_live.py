"""What a live cluster costs, by the clock on the wall, against ``python -c pass`` of the same run.

    python benchmarks/bench_live.py [--runs 21] [--submissions 500]

Budget (issue "Live"): from ``sbatch`` to the first instruction of the job at most 12 times the bare interpreter;
``srun -n1 true`` in a job at most 15 times; 500 submissions one after the other at least 15 a second; a cluster with
nothing to do has no process, and so uses no CPU. The cases take turns, and the medians are compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

BIN = Path(sysconfig.get_path("scripts"))
STEPS = """#!/bin/bash
for i in $(seq {runs}); do
    a=$EPOCHREALTIME
    srun -n1 true
    echo $a $EPOCHREALTIME
done
"""


class Cluster:
    """A live cluster in a temporary folder."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.env = {**os.environ, "SLIMSCHED_STATE": str(place / "state")}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody compiles the modules anew for every command
        self.sim("init", "--live", "--nodes", "n[1-8]", "--cpus", "64")
        self.sim("shims", str(place / "bin"))
        self.env["PATH"] = f"{place / 'bin'}{os.pathsep}{self.env['PATH']}"

    def sim(self, *words: str) -> str:
        """Run a command and return what it prints."""
        return self.run(str(BIN / "sim"), *words)

    def run(self, *words: str) -> str:
        """Run a program and return what it prints."""
        return subprocess.run(words, env=self.env, cwd=self.place, check=True, capture_output=True, text=True).stdout

    def processes(self) -> int:
        """Return how many processes work for the cluster (Linux)."""
        count = 0
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                count += str(self.place).encode() in (folder / "cmdline").read_bytes()
            except OSError:
                continue
        return count


def seconds(*words: str) -> float:
    """Return how long a program takes."""
    began = time.perf_counter()
    subprocess.run(words, check=True)
    return time.perf_counter() - began


def first_instruction(cluster: Cluster, fifo: Path) -> float:
    """Return how long it takes from the call of sbatch to the first instruction of the job."""
    began = time.perf_counter()
    with subprocess.Popen(
        ["sbatch", "-o", "/dev/null", "first.sh"], env=cluster.env, cwd=cluster.place, stdout=subprocess.DEVNULL
    ):
        fifo.open().close()  # opens when the job does
        return time.perf_counter() - began


def steps(cluster: Cluster, runs: int) -> list[float]:
    """Return how long each srun took in a job."""
    (cluster.place / "steps.sh").write_text(STEPS.format(runs=runs))
    cluster.run("sbatch", "-W", "-n1", "-o", "steps.out", "steps.sh")
    pairs = (line.split() for line in (cluster.place / "steps.out").read_text().splitlines())
    return [float(end) - float(begin) for begin, end in pairs]


def submissions(cluster: Cluster, count: int) -> float:
    """Return how many submissions a second are taken, one after the other; the jobs run meanwhile."""
    began = time.perf_counter()
    for _ in range(count):
        cluster.run("sbatch", "-o", "/dev/null", "--wrap", "true")
    return count / (time.perf_counter() - began)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--submissions", type=int, default=500)
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="bench-live-"))
    cluster = Cluster(place)
    fifo = place / "first"
    os.mkfifo(fifo)
    (place / "first.sh").write_text(f"#!/bin/sh\n: > {fifo}\n")
    bare, first, step = [], [], []
    for _ in range(options.runs):
        bare.append(seconds(sys.executable, "-c", "pass"))
        first.append(first_instruction(cluster, fifo))
        step += steps(cluster, 1)
    cluster.sim("wait", "1", str(2 * options.runs))
    rate = submissions(cluster, options.submissions)
    print(f"python -c pass                        {statistics.median(bare) * 1000:8.1f} ms")
    for what, found, most in (("sbatch to the first instruction", first, 12), ("srun -n1 true in a job", step, 15)):
        ratio = statistics.median(found) / statistics.median(bare)
        print(f"{what:<38}{statistics.median(found) * 1000:8.1f} ms  {ratio:5.1f} times, at most {most}")
    print(f"{options.submissions} submissions one after the other{rate:11.1f} a second, at least 15")
    while cluster.sim("squeue", "-h"):
        time.sleep(0.5)
    time.sleep(1)
    print(f"processes of the idle cluster         {cluster.processes():8}")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()

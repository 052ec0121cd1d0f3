"""Time input at its limits: what is refused must be refused at once, and what is long must cost in proportion.

    python benchmarks/bench_limits.py [REPEATS]

Prints milliseconds, the best of REPEATS (3).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from timing import best, report

from slimsched.constraints.complexes.expression import Pattern
from slimsched.controller.core import Controller
from slimsched.controller.life import arrays
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.errors import SyntaxFault
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.request import JobRequest
from slimsched.text import hostlist
from slimsched.text.moments import moment

ROOT = User(0, "root", 0, "root")
RANGES = ",".join(f"{start}-99999" for start in range(10_000))


def refused(read: Callable[[], object]) -> Callable[[], object]:
    """Return the reading of a text that is refused."""

    def work() -> None:
        with suppress(SyntaxFault):
            read()

    return work


def counterparts() -> None:
    """Run two arrays of 2,000 tasks, the second of which waits task by task for the first (aftercorr)."""
    nodes = [NodeConf(node_name="node[1-8]", cpus=100, real_memory=100_000)]
    partition = PartitionConf(partition_name="debug", nodes="ALL", default=True)
    slurm = {"MaxArraySize": "100001", "DefMemPerCPU": "100"}
    ctl = Controller(Cluster(Config(slurm=slurm, nodes=nodes, partitions=[partition]), 0))
    for dependency in ("", "aftercorr:1"):
        submit(ctl, JobRequest(name="a", array="0-1999", sim_runtime=60, dependency=dependency), ROOT)
        ctl.settle()
    event_loop.advance(ctl, 3600)


def main() -> None:
    """Run all cases."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    names = [f"node{i:06d}" for i in range(100_000)]
    cases: tuple[tuple[str, Callable[[], object]], ...] = (
        ("hostlist of 10^7 names, refused", refused(lambda: hostlist.expand("a" + "[0-9]" * 7))),
        ("hostlist of 100,000 open brackets, refused", refused(lambda: hostlist.expand("[" * 100_000))),
        ("fold 100,000 names", lambda: hostlist.fold(names)),
        ("time with 100,000 digits, refused", refused(lambda: moment("now+" + "9" * 100_000, 0))),
        ("pattern of 500 wildcards on 5,000 letters", lambda: Pattern("*a" * 500 + "b").matches("a" * 5_000)),
        ("10,000 overlapping ranges of array tasks", lambda: arrays.parse(RANGES, 100_000)),
        ("2,000 tasks that free 2,000 others", counterparts),
    )
    for what, work in cases:
        report(what, best(work, repeats))


if __name__ == "__main__":
    main()

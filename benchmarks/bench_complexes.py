"""Time Grid Engine's requests: 5,000 jobs of 50 categories on 10,000 nodes, bookings, and the JSON-lines interface.

    python benchmarks/bench_complexes.py [REPEATS]

Prints milliseconds, the best of REPEATS (3).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time

from timing import best, report

from slimsched.constraints.complexes import booking, places, request
from slimsched.constraints.complexes.booking import Bookings, Place, Placement
from slimsched.constraints.evaluate import EVALUATIONS, HITS, matching
from slimsched.model.cluster import Cluster
from slimsched.model.complex import ComplexAttribute
from slimsched.model.config import Config, NodeConf, PartitionConf

NODES = 10_000
LINES = 20_000
JOBS, CATEGORIES = 5_000, 50


def make_cluster() -> Cluster:
    """Return 10,000 nodes that offer memory, a licence and a kind, in one partition."""
    rng = random.Random(3)
    partition = PartitionConf(partition_name="debug", nodes="ALL", default=True)
    cluster = Cluster(
        Config(nodes=[NodeConf(node_name=f"node[00000-{NODES - 1:05}]", cpus=16)], partitions=[partition])
    )
    definitions = (
        ComplexAttribute(name="scratch", shortcut="scr", type="MEMORY", relop="<="),
        ComplexAttribute(name="kind", shortcut="k", type="STRING", relop="==", default="NONE"),
        ComplexAttribute(name="lic", shortcut="lic", type="INT", relop="<=", consumable="YES"),
    )
    for attribute in definitions:
        cluster.complexes = cluster.complexes.having(attribute)
    cluster.complexes = cluster.complexes.offering({"lic": "5000"})
    for node in cluster.nodes:
        node.complexes = {"scratch": f"{rng.randrange(1, 64)}G", "kind": f"k{node.index % 40}", "lic": "16"}
        node.load = {"mem_free": f"{rng.randrange(1, 64)}G"}
    return cluster


def bench_categories(cluster: Cluster) -> None:
    """Match every job; the first of a category and of a change of data pays for the others."""
    texts = [f"scratch={i}G,kind=k1*|k2?,mem_free=4G" for i in range(CATEGORIES)]

    def match_all() -> None:
        for i in range(JOBS):
            matching(cluster, places.hard(cluster, [texts[i % CATEGORIES]], "debug"))

    report(
        "columns and first answer of one category",
        best(lambda: matching(cluster, places.hard(cluster, texts[:1], "debug")), 1),
    )
    cluster.statistics.clear()
    spent = best(match_all, 1)
    counts = f"{cluster.statistics[EVALUATIONS]} evaluations, {cluster.statistics[HITS]} from the cache"
    report(f"{JOBS:,} jobs of {CATEGORIES} categories", spent, counts)

    def changed() -> None:
        cluster.changed("complexes-host")
        match_all()

    report("... after a change of one node's load", best(changed, 1), "host columns built anew")


def bench_booking(cluster: Cluster, repeats: int) -> None:
    """Book and ask for the next job, as the scheduling pass does."""
    catalog = places.catalog_of(cluster)
    wanted = booking.demands(request.read(["lic=1"], catalog), catalog)

    def fill() -> None:
        ledger = Bookings(catalog, places.booked_from(cluster))
        for i in range(JOBS):
            place = Place("debug", cluster.nodes[i].name)
            placement = Placement({place: 1}, place)
            assert ledger.obstacle(wanted, placement) is None
            ledger.book(i, wanted, placement)

    report(f"{JOBS:,} jobs tested and booked, one after another", best(fill, repeats))


def bench_lines() -> None:
    """Time the JSON-lines interface end to end, start-up included."""
    attribute = dict(zip(("name", "shortcut", "type", "relop"), ("aa", "aa", "INT", "<="), strict=True))
    attribute |= {"requestable": "YES", "consumable": "NO", "default": "0", "urgency": "0"}
    lines = [
        json.dumps(
            {
                "complexes": [attribute],
                "request": f"aa={i % 9}",
                "queues": [{"name": "q@h", "global": {"aa": "8"}, "host": {"aa": "6"}, "queue": {"aa": "4"}}],
                "soft": "aa=2",
            }
        )
        for i in range(LINES)
    ]
    command = [sys.executable, "-m", "slimsched.cli.main", "constraint", "match", "--dialect", "sge", "--jsonl"]
    began = time.perf_counter()
    done = subprocess.run(command, input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    spent = time.perf_counter() - began
    assert done.stdout.count(b'"valid": true') == LINES
    report(f"--jsonl, {LINES:,} lines", spent * 1000, f"{LINES / spent * 60:,.0f} lines a minute (limit 20,000)")


def main() -> None:
    """Run all cases."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    cluster = make_cluster()
    bench_categories(cluster)
    bench_booking(cluster, repeats)
    bench_lines()


if __name__ == "__main__":
    main()

"""Time constraints against 10,000 nodes, the cache over job categories, and the JSON-lines interface.

    python benchmarks/bench_constraints.py [REPEATS]

Prints milliseconds, the best of REPEATS (5); ratios are against what is measured in the same run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from typing import Any

from timing import best, report

from slimsched.constraints import flux_json, slurm_extra
from slimsched.constraints.columns import NodeTable, column
from slimsched.constraints.evaluate import EVALUATIONS, HITS, evaluate, matching
from slimsched.constraints.predicate import HOSTS, And, Member, Names, Not, Or, Predicate, has_feature
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf

NODES = 10_000
LINES = 20_000
PROPERTIES = ("batch", "debug", "gpu", "a100", "ssd", "huge", "fast")


def extra_texts(seed: int) -> list[str]:
    """Return an Extra text for every node: its own load, and what a rack has in common."""
    rng = random.Random(seed)
    return [
        json.dumps({"load": round(rng.random(), 4), "gpu": rng.random() < 0.3, "rack": f"r{i % 40}"})
        for i in range(NODES)
    ]


def make_cluster() -> Cluster:
    """Return a cluster of 10,000 nodes with properties and Extra data."""
    rng = random.Random(3)
    cluster = Cluster(Config(nodes=[NodeConf(node_name=f"node[00000-{NODES - 1:05}]")]))
    for node, text in zip(cluster.nodes, extra_texts(1), strict=True):
        node.extra = text
        node.active_features = ",".join(name for name in PROPERTIES if rng.random() < 0.3)
    return cluster


def bench_extra(cluster: Cluster, repeats: int) -> None:
    """First evaluation with the decoding of every node's text, then from the cache."""
    texts = [extra_texts(seed) for seed in range(repeats)]
    decode = best(lambda: [json.loads(text) for text in texts[0]], repeats)
    report("json.loads of every node's text, for comparison", decode)
    times = []
    for new in texts:
        for node, text in zip(cluster.nodes, new, strict=True):
            node.extra = text
        cluster.changed("extra")
        times.append(best(lambda: matching(cluster, slurm_extra.parse("load<0.5")), 1))
    ratio = f"limit 20, {min(times) / decode:.1f} times json.loads"
    report("load<0.5, first evaluation, all texts new", min(times), ratio)
    predicate = slurm_extra.parse("load<0.5")
    report("load<0.5, repeated", best(lambda: matching(cluster, predicate), 1000), "limit 0.050")


def typical() -> Predicate:
    """Return the constraint of Flux's own measurement (oracle/flux/perf.md)."""
    hosts = Member(HOSTS, Names(f"node{i:05}" for i in range(64)), "node[00000-00063]")
    return And(
        (
            And((has_feature("batch"), Not(has_feature("debug")))),
            Or((has_feature("gpu"), has_feature("a100"))),
            Not(hosts),
        )
    )


def bench_properties(cluster: Cluster, repeats: int) -> None:
    """One pass without the cache over columns that are there, and with the columns to be built."""
    features = column((name, n.index) for n in cluster.nodes for name in n.active_features.split(",") if name)
    names = column((node.name, node.index) for node in cluster.nodes)
    ranks = column((node.index, node.index) for node in cluster.nodes)
    table = NodeTable(NODES, {"features": lambda _: features, "nodes": lambda key: names if key == "host" else ranks})
    report(
        "typical and/or/not, one pass",
        best(lambda: evaluate(typical(), table), repeats * 10),
        "limit 2.08 (C: 1.04, Rv1Set: 34)",
    )

    every_second = ",".join(str(i) for i in range(0, NODES, 2))
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("ranks, one range", {"ranks": [f"0-{NODES - 1}"]}),
        ("ranks, every 2nd", {"ranks": [every_second]}),
        ("hostlist, one range", {"hostlist": [f"node[00000-{NODES - 1:05}]"]}),
        ("hostlist, every 2nd", {"hostlist": [f"node[{','.join(f'{i:05}' for i in range(0, NODES, 2))}]"]}),
    )
    for what, value in cases:
        created = best(lambda value=value: flux_json.compile_object(value), repeats)
        predicate = flux_json.compile_object(value)
        passed = best(lambda predicate=predicate: evaluate(predicate, table), repeats)
        report(f"{what}, one pass", passed, f"compiled in {created:.2f} ms")

    def fresh() -> int:
        cluster.changed("features", "nodes")
        return matching(cluster, typical())

    report("typical and/or/not, columns built anew", best(fresh, repeats))


def bench_categories(cluster: Cluster) -> None:
    """5,000 jobs of 50 categories against 10,000 nodes."""
    texts = [f"load<0.{i:02}&(gpu=true|rack>=r2)" for i in range(50)]
    jobs = [slurm_extra.parse(texts[i % 50]) for i in range(5_000)]
    cluster.statistics.clear()
    cluster.changed("extra")
    spent = best(lambda: [matching(cluster, job) for job in jobs], 1)
    counts = f"{cluster.statistics[EVALUATIONS]} evaluations, {cluster.statistics[HITS]} from the cache"
    report("5,000 jobs of 50 categories", spent, counts)


def bench_lines() -> None:
    """Time the JSON-lines interface end to end, start-up included."""
    texts = extra_texts(2)
    requests = [
        json.dumps({"constraint": f"load<0.{i % 97:02}&gpu=true", "nodes": [{"name": "n", "extra": texts[i % NODES]}]})
        for i in range(LINES)
    ]
    reference = best(lambda: [json.loads(line) for line in requests], 3)
    command = [sys.executable, "-m", "slimsched.cli.main", "constraint", "match", "--jsonl"]
    before = os.times()
    began = time.perf_counter()
    done = subprocess.run(command, input="\n".join(requests).encode(), stdout=subprocess.PIPE, check=True)
    spent = time.perf_counter() - began
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    assert done.stdout.count(b'"valid": true') == LINES
    report(f"--jsonl, {LINES:,} lines", spent * 1000, f"{LINES / spent * 60:,.0f} lines a minute (limit 50,000)")
    report("    of which CPU", cpu * 1000, f"{cpu * 1000 / reference:.1f} times json.loads of the lines")


def main() -> None:
    """Run all cases."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    cluster = make_cluster()
    bench_extra(cluster, repeats)
    bench_properties(cluster, repeats)
    bench_categories(cluster)
    bench_lines()


if __name__ == "__main__":
    main()

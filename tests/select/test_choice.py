"""Which nodes, and how many CPUs of each: against what the real Slurm did, and the rules behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from select_world import World

from slimsched.model.config import NodeConf

DATA = Path(__file__).parent.parent / "data/select_choices.jsonl"
RECORDS = [json.loads(line) for line in DATA.read_text().splitlines()]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['scenario']}-{r['select']}")
def test_recorded_choices(record):
    nodes = [
        NodeConf(node_name=f"node{k}", cpus=4, real_memory=1000, weight=weight)
        for k, weight in enumerate(record["weights"], 1)
    ]
    world = World(record["select"], record["params"], nodes)
    every = "node[1-4]"

    answers = []
    for request, avoid, expected, cpus in record["steps"]:
        job = world.job(**request)
        if avoid:
            job.request.exclude = ",".join(filter(None, [job.request.exclude, avoid]))
        world.start(job, every)
        answers.append([request, avoid, job.nodes, sum(job.cpus) if job.nodes else cpus])
        if not job.nodes:
            assert not expected

    assert answers == record["steps"]


@pytest.mark.parametrize(
    ("select", "asked", "node"),
    [
        ("linear", {}, "node1"),
        ("linear", {"num_tasks": 2}, "node4"),
        ("cons_tres", {}, "node4"),
        ("cons_tres", {"max_nodes": 1}, "node1"),
    ],
    ids=str,
)
def test_the_first_node_or_the_smallest_set(select, asked, node):
    """Free are node1, node2 and node4 (recorded: scenario `dependencies`, workloads W1 and W2)."""
    world = World(select)
    world.start(nodelist="node3", num_tasks=4)
    assert world.where(world.job(**{"num_tasks": 1, **asked})) == node

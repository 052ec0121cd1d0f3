"""Explanations of random queues agree with what the scheduler does, and never fail."""

from __future__ import annotations

import random
from typing import Any

import pytest
import world

from slimsched.controller.explain.explanation import explain
from slimsched.controller.schedule import event_loop, main_pass
from slimsched.errors import SlurmError

CHOICES: list[tuple[float, str, Any]] = [
    (0.4, "min_nodes", (1, 2, 3, 5)),
    (0.3, "extra", ("load<0.5", "load>0.2", "a=1")),
    (0.2, "requires", (["intel"], ["-big"], ["host:node[2-6]"])),
    (0.2, "exclusive", ("NODE",)),
    (0.2, "features", ("intel", "amd", "big")),
    (0.2, "num_tasks", (1, 3, 7, 12)),
    (0.1, "array", ("0-3%2",)),
    (0.1, "nodelist", ("node1", "node6")),
    (1.0, "time_limit", (1, 5, 20, 30)),
    (1.0, "partition", ("debug", "batch", "debug,batch")),
]


def queue(seed: int) -> Any:
    """Return a controller after fourteen random submissions and a pass."""
    chance = random.Random(seed)
    ctl = world.controller(SelectType=chance.choice(["select/linear", "select/cons_tres"]))
    for node in ctl.cluster.nodes:
        if chance.random() < 0.5:
            node.change(extra=f'{{"load": {chance.random():.1f}}}')
        if chance.random() < 0.1:
            node.change(flags=["DRAIN"], reason="test")
    ctl.cluster.changed("extra", "state")
    for _ in range(14):
        fields = {name: chance.choice(values) for share, name, values in CHOICES if chance.random() < share}
        try:
            world.job(ctl, runtime=chance.randint(1, 1200), **fields)
        except SlurmError:
            continue
        if chance.random() < 0.3:
            world.later(ctl, chance.randint(1, 300))
    main_pass.run_pass(ctl)
    return ctl


SIMPLE = [row for row in CHOICES if row[1] in ("extra", "features", "exclusive", "time_limit")]


def foretold(seed: int) -> list[tuple[int, int]]:
    """Return expected and true starts of the jobs of a random queue that all run to their limits."""
    chance = random.Random(seed)
    params = "extra_constraints,bf_extra_constraints,bf_interval=1,bf_resolution=1"
    ctl = world.controller(
        SelectType=chance.choice(["select/linear", "select/cons_tres"]), SchedulerParameters=params, MinJobAge="0"
    )
    for node in ctl.cluster.nodes:
        node.change(extra=f'{{"load": {chance.random():.1f}}}')
    ctl.cluster.changed("extra")
    for _ in range(20):
        fields = {name: chance.choice(values) for share, name, values in SIMPLE if chance.random() < share}
        world.job(ctl, runtime=fields["time_limit"] * 60, **fields)
    waiting = [(job, explain(ctl, job).start) for job in ctl.cluster.jobs.values() if job.pending]
    event_loop.advance(ctl, ctl.cluster.now + 100_000)
    return [(start.time, job.start_time) for job, start in waiting if start and start.time and not job.pending]


def test_starts_are_as_expected_if_jobs_run_to_their_limits():
    """Of jobs of one node in one partition, hardly any starts at another instant than was foretold."""
    pairs = [pair for seed in range(30) for pair in foretold(seed)]
    missed = [(expected, start) for expected, start in pairs if expected != start]

    assert len(pairs) > 150
    assert len(missed) * 20 < len(pairs), missed


@pytest.mark.parametrize("seed", range(30))
def test_random_queues(seed):
    ctl = queue(seed)
    verdicts = {job.job_id: explain(ctl, job).verdict for job in list(ctl.cluster.jobs.values()) if job.pending}
    event_loop.advance(ctl, ctl.cluster.now + 100_000)
    waiting = {job.job_id for job in ctl.cluster.jobs.values() if job.pending}

    assert "now" not in verdicts.values()  # else the pass would have started it
    assert {job_id for job_id, verdict in verdicts.items() if verdict == "never"} <= waiting

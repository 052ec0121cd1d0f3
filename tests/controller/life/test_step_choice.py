"""The select plugin's part in the steps of a live cluster: it may choose their nodes, and hears of their ends."""

from __future__ import annotations

import os

import pytest
import world

from slimsched.controller.life import live_steps
from slimsched.controller.life.step_place import Place, Wanted, place
from slimsched.errors import PluginError


@pytest.fixture
def begun():
    """A controller with a job on four nodes."""
    ctl = world.uniform(nodes=4)
    return ctl, world.job(ctl, num_tasks=4, min_nodes=4, max_nodes=4, runtime=600)


@pytest.mark.parametrize(
    ("picked", "more", "nodes"),
    [
        (0b1100, {}, ["n3", "n4"]),
        (0b1010, {}, ["n2", "n4"]),
        (0b0011, {}, ["n1", "n2"]),
        (None, {}, ["n1", "n2"]),
        (0b0001, {}, ["n1", "n2"]),
        (1 << 70 | 1, {}, ["n1", "n2"]),
        (PluginError("no"), {}, ["n1", "n2"]),
        (0b1100, {"named": ["n2"]}, ["n1", "n2"]),
        (0b1100, {"without": ["n4"]}, ["n1", "n2"]),
        (0b0011, {"first": 1}, ["n2", "n3"]),
    ],
    ids=str,
)
def test_the_nodes_of_a_step_are_those_that_the_plugin_picks(begun, monkeypatch, picked, more, nodes):
    ctl, job = begun
    asked = []

    def pick(job, info, count):
        asked.append((job.job_id, count))
        if isinstance(picked, Exception):
            raise picked
        return picked

    monkeypatch.setattr(ctl.select, "step_pick_nodes", pick)
    wanted = Wanted("x", 2, nodes=2, **more)
    found = place(job, wanted)
    assert found is not None
    chosen = live_steps.chosen(ctl, job, wanted, found)

    assert sorted(chosen.nodes) == nodes
    assert asked == [(job.job_id, 2)]


def test_nodes_without_room_are_not_taken(begun, monkeypatch):
    ctl, job = begun
    live_steps.begin(ctl, job, Wanted("x", 1), place(job, Wanted("x", 1, named=["n3"])), os.getpid())
    monkeypatch.setattr(ctl.select, "step_pick_nodes", lambda *_: 0b0100)
    found = place(job, Wanted("y", 1))

    assert isinstance(found, Place)
    assert live_steps.chosen(ctl, job, Wanted("y", 1), found).nodes == ["n1"]


def test_the_plugin_hears_of_the_end(begun, monkeypatch):
    ctl, job = begun
    told = []
    monkeypatch.setattr(ctl.select, "step_finish", lambda job, step, killing: told.append((step, killing)))
    for _ in range(2):
        live_steps.begin(ctl, job, Wanted("x", 1, overlap=True), place(job, Wanted("x", 1, overlap=True)), os.getpid())
    live_steps.signal(ctl, job, 1, 9)
    live_steps.end_all(ctl, job)

    assert told == [(1, True), (0, False), (1, False)]

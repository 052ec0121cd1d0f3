"""Random scenarios in the three recorded configurations: nothing booked twice, nobody misplaced, nothing lost."""

from __future__ import annotations

import tempfile

import msgspec
import pytest
import world
from hypothesis import given, settings
from scenarios import CONFIGURATIONS, STEPS, Play, config
from state_model import content

from slimsched.model.cluster import Cluster
from slimsched.state.store import Store

ALL = pytest.mark.parametrize("name", CONFIGURATIONS)


def fresh(name: str) -> Play:
    return Play(Cluster(config(name), world.START))


def durable(cluster: Cluster):
    """Return what must survive: all but when a job was last looked at, which alone is not worth a record."""
    jobs, *others = content(cluster)
    return [(job_id, msgspec.structs.replace(job, last_sched_eval=0)) for job_id, job in jobs], others


@ALL
@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_nothing_goes_wrong_and_the_same_steps_give_the_same_end(name, steps):
    first, second = (fresh(name).run(steps) for _ in range(2))

    assert first.events == second.events
    assert msgspec.json.encode(list(first.ctl.cluster.jobs.values())) == msgspec.json.encode(
        list(second.ctl.cluster.jobs.values())
    )


@ALL
@given(steps=STEPS)
@settings(max_examples=15, deadline=None)
def test_what_the_journal_says_is_what_is_in_memory(name, steps):
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(folder, write=True) as store:
            store.configure(config(name))
        for half in (steps[: len(steps) // 2], steps[len(steps) // 2 :]):
            with Store.open(folder, write=True) as store:
                cluster = store.load()
                play = Play(cluster)
                for step in half:
                    play.do(step)
                    store.commit(cluster)
                    play.events.clear()
            with Store.open(folder) as store:
                assert durable(store.load()) == durable(cluster)

"""Requests that ask for the same are checked once; what may differ between them is checked each time."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import OWN, submit
from slimsched.errors import SlurmError
from slimsched.model.request import JobRequest, requested


@pytest.fixture
def ctl() -> Controller:
    made = world.uniform(nodes=4)
    submit(made, JobRequest(partition="debug", sim_runtime=60), world.ME)  # from now on the select plugin is there
    return made


def ask(ctl: Controller, **fields: object) -> JobRequest:
    return submit(ctl, requested({"partition": "debug", "sim_runtime": 60, **fields}), world.ME).request


def test_alike_requests_share_one_admission(ctl):
    first, second = ask(ctl, name="a", min_nodes=2, sim_runtime=5), ask(ctl, name="b", min_nodes=2, nice=7)

    assert len(ctl.admissions) == 1
    assert (second.name, second.nice, second.sim_runtime) == ("b", 7, 60)
    assert (second.num_tasks, second.given) == (first.num_tasks, first.given)


def test_what_a_job_becomes_does_not_reach_the_next(ctl):
    first = ask(ctl)
    event_loop.advance(ctl, ctl.cluster.now + 10)
    first.time_limit, first.partition = 7, "elsewhere"

    assert ask(ctl).partition == "debug"


def test_texts_are_checked_each_time(ctl):
    ask(ctl)

    with pytest.raises(SlurmError):
        ask(ctl, name="n" * 2000)
    assert len(ctl.admissions) == 1


def test_a_changed_partition_is_looked_at_anew(ctl):
    ask(ctl)
    ctl.cluster.partitions["debug"].state = "INACTIVE"
    ctl.cluster.add_partition(ctl.cluster.partitions["debug"])

    with pytest.raises(SlurmError):
        ask(ctl)


@pytest.mark.parametrize(
    "fields", [{"dependency": "singleton"}, {"begin_time": 2**40}, {"array": "1-3"}, {"priority": 5}, {"licenses": ""}]
)
def test_requests_of_their_own_are_not_kept(ctl, fields):
    ask(ctl, **fields)

    assert bool(ctl.admissions) is not any(fields.values())
    assert fields.keys() <= set(OWN)

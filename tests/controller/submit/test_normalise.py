"""A request is spelled out first and checked then: what spells out refuses nothing, what checks changes nothing."""

from __future__ import annotations

from copy import deepcopy

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.controller.requests import users
from slimsched.controller.submit import check
from slimsched.controller.submit.normalise import normalise
from slimsched.errors import UserError
from slimsched.model.cluster import Cluster
from slimsched.model.request import JobRequest

RIGHT = [
    {},
    {"partition": "batch,debug", "nodelist": "ALL"},
    {"features": "rack2,amd", "prefer": "big"},
    {"gpus": "4", "gpus_per_node": "2"},
    {"gpus": "2", "gpus_per_task": "1", "extra": "load<0.5"},
]
WRONG = [
    {"partition": "nosuch", "nodelist": "ALL"},
    {"nodelist": "node["},
    {"features": "rack1&&", "prefer": "[a"},
    {"features": "nosuch"},
    {"gpus": "5", "gpus_per_node": "2"},
    {"gpus": "4", "gpus_per_node": "2", "min_nodes": 3, "max_nodes": 3},
    {"gpus": "4", "gpus_per_task": "2", "num_tasks": 1},
    {"gres": "nosuch:1"},
    {"array": "5-"},
    {"extra": "load=="},
    {"dependency": "afterok:77"},
    {"min_nodes": 3, "max_nodes": 2},
]


def cluster():
    return Controller(Cluster(world.recorded(), world.START)).cluster


def checked(cluster, request):
    partitions = check.partitions_of(cluster, request)
    check.check_early(cluster, request, partitions, users.invoking(cluster))
    check.check_late(cluster, request, partitions, users.invoking(cluster))


@pytest.mark.parametrize("fields", [*RIGHT, *WRONG])
def test_what_was_asked_for_stays_as_it_was(fields):
    request = JobRequest(**fields)
    normalise(cluster(), request, users.invoking(cluster()))

    assert request == JobRequest(**fields)


@pytest.mark.parametrize("fields", RIGHT)
def test_checks_change_nothing(fields):
    there = cluster()
    request = normalise(there, JobRequest(**fields), users.invoking(there))
    before = deepcopy(request)
    checked(there, request)

    assert request == before


@pytest.mark.parametrize("fields", WRONG)
def test_what_is_wrong_is_left_to_the_checks_which_leave_it_too(fields):
    there = cluster()
    request = normalise(there, JobRequest(**fields), users.invoking(there))
    before = deepcopy(request)
    with pytest.raises(UserError):
        checked(there, request)

    assert request == before


@pytest.mark.parametrize("fields", RIGHT)
def test_a_second_time_finds_nothing_left_to_do(fields):
    there = cluster()
    once = normalise(there, JobRequest(**fields), users.invoking(there))
    twice = normalise(there, once, users.invoking(there))
    twice.given = once.given

    assert twice == once


def test_what_is_spelled_out():
    made = normalise(cluster(), JobRequest(**RIGHT[3], nodelist="all", features="rack2,big"), users.invoking(cluster()))

    assert (made.partition, made.given) == ("debug", [])
    assert (made.nodelist, made.features) == ("node[1-8]", "rack2&big")
    assert (made.min_nodes, made.max_nodes) == (2, 2)


def test_accounting_names_are_lower_case():
    made = normalise(cluster(), JobRequest(account="Phys", wckey="Key"), users.invoking(cluster()))

    assert (made.account, made.wckey) == ("phys", "key")

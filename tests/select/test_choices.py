"""Requests that leave a choice between node sets, and lists of sizes, on the cluster of the records.

node1 to node4 have rack1 and intel, node5 to node8 rack2 and amd; node7 and node8 have big and a higher weight.
"""

from __future__ import annotations

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.controller.life import transitions
from slimsched.controller.requests.users import User
from slimsched.controller.submit.submission import submit
from slimsched.errors import SlurmError
from slimsched.model.cluster import Cluster
from slimsched.model.request import JobRequest

ROOT = User(0, "root", 0, "root")


def controller(select):
    config = world.recorded()
    config.slurm["SelectType"] = f"select/{select}"
    return Controller(Cluster(config, 1767225600))


def job(ctl, **fields):
    fields.setdefault("exclusive", "NODE")
    made = submit(ctl, JobRequest(name="wrap", sim_runtime=300, **fields), ROOT)
    ctl.settle()
    return made


@pytest.fixture(params=["cons_tres", "linear"])
def ctl(request):
    return controller(request.param)


@pytest.mark.parametrize(
    ("busy", "asked", "nodes"),
    [
        ("", {"features": "[rack1|rack2]", "min_nodes": 3}, "node[1-3]"),
        ("node[1-2]", {"features": "[rack1|rack2]", "min_nodes": 3}, "node[5-7]"),
        ("node1", {"features": "[rack2|rack1]", "min_nodes": 4}, "node[5-8]"),
        ("", {"features": "[rack1*1&rack2*1]"}, "node[1,5]"),
        ("node1", {"features": "[rack1*1&rack2*1]"}, "node[2,5]"),
        ("", {"features": "[rack1*2&rack2*2]"}, "node[1-2,5-6]"),
        ("", {"features": "[rack1*2&big*1]", "min_nodes": 4}, "node[1-3,7]"),
        ("", {"features": "[rack1*2|rack2*3]"}, "node[1-2]"),
        ("node[1-3]", {"features": "[rack1*2|rack2*3]"}, "node[5-7]"),
        ("node[1-3]", {"features": "[rack1*2|rack2]", "min_nodes": 1}, "node5"),
        ("", {"features": "[rack2*1&big*2]"}, "node[5,7-8]"),
        ("", {"features": "big*1", "nodelist": "node8"}, "node8"),
        ("", {"prefer": "big"}, "node7"),
        ("node[7-8]", {"prefer": "big"}, "node1"),
        ("", {"prefer": "big", "features": "rack1"}, "node7"),
        ("node[7-8]", {"prefer": "big", "features": "amd"}, "node5"),
        ("", {"prefer": "[rack1|rack2]", "min_nodes": 4, "nodelist": "node6"}, "node[5-8]"),
        ("", {"min_nodes": 1, "max_nodes": 5, "job_size": "1,3,5"}, "node[1-5]"),
        ("node[1-4]", {"min_nodes": 1, "max_nodes": 5, "job_size": "1,3,5"}, "node[5-7]"),
        ("node[1-6]", {"min_nodes": 1, "max_nodes": 5, "job_size": "1,3,5"}, "node7"),
        ("node1", {"min_nodes": 2, "max_nodes": 8, "job_size": "2,8", "features": "[rack1|rack2]"}, "node[2-3]"),
    ],
)
def test_where_it_runs(ctl, busy, asked, nodes):
    if busy:
        count = ctl.cluster.bitmap_of(busy).bit_count()
        job(ctl, nodelist=busy, min_nodes=count, max_nodes=count)

    found = job(ctl, **asked)

    assert (found.state, found.nodes) == ("RUNNING", nodes)


@pytest.mark.parametrize(
    "asked",
    [
        {"features": "[rack1|rack2]", "min_nodes": 4},
        {"features": "rack1*3"},
        {"min_nodes": 7, "max_nodes": 8, "job_size": "7-8"},
    ],
)
def test_waits_for_others(ctl, asked):
    first = job(ctl, nodelist="node[4-5]", min_nodes=2, max_nodes=2)
    second = job(ctl, nodelist="node3", min_nodes=1, max_nodes=1)

    waiting = job(ctl, **asked)

    assert (waiting.state, waiting.reason) == ("PENDING", "Resources")
    for other in (first, second):
        transitions.end_job(ctl, other, "COMPLETED")
    ctl.settle()
    assert waiting.state == "RUNNING"


@pytest.mark.parametrize(
    "asked",
    [
        {"features": "[rack1|rack2]", "min_nodes": 5},
        {"features": "big*3"},
        {"features": "[rack1*2&rack2*5]"},
        {"features": "rack1*3", "min_nodes": 2, "max_nodes": 2},
        {"features": "[rack1*3&intel*3]"},
    ],
)
def test_never_possible(ctl, asked):
    with pytest.raises(SlurmError, match="Requested node configuration is not available"):
        job(ctl, **asked)


def test_the_alternative_that_is_free_first():
    ctl = controller("cons_tres")
    job(ctl, nodelist="node[1-4]", min_nodes=4, max_nodes=4, time_limit=60)
    job(ctl, nodelist="node[5-8]", min_nodes=4, max_nodes=4, time_limit=20)

    waiting = job(ctl, features="[rack1|rack2]", min_nodes=2, max_nodes=2)
    ctl.cluster.pass_due = True
    ctl.settle()

    assert (waiting.sched_nodes, waiting.start_time - ctl.cluster.now) == ("node[5-6]", 1200)


def test_required_nodes_with_a_busy_one_between_them_cannot_be_contiguous(ctl):
    job(ctl, nodelist="node2", min_nodes=1, max_nodes=1)

    waiting = job(ctl, nodelist="node[1,3]", min_nodes=2, contiguous=True)

    assert (waiting.state, waiting.nodes) == ("PENDING", "")

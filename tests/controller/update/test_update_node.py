"""scontrol update NodeName=: data and states of nodes, and what happens to their jobs."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.update import node as node_fields
from slimsched.controller.update import registration
from slimsched.controller.update.node_states import STATES
from slimsched.errors import UserError
from slimsched.slurm import words


def update(ctl, names="node1", /, **fields):
    """Update and return the message of the refusal, "" for none."""
    words = [f"{name}={value}" for name, value in fields.items()]
    try:
        node_fields.update(ctl, node_fields.parse([f"NodeName={names}", *words]), world.ROOT)
    except UserError as error:
        return error.message
    return ""


def state(ctl, name="node1"):
    node = ctl.cluster.nodes[ctl.cluster.node_index[name]]
    return node.state, node.flags, node.reason


@pytest.mark.parametrize(
    ("fields", "attributes"),
    [
        ({"Extra": '{"a": 1}'}, {"extra": '{"a": 1}'}),
        ({"Extra": "[1,2]"}, {"extra": "[1,2]"}),
        ({"Extra": ""}, {"extra": ""}),
        ({"Comment": "abc def"}, {"comment": "abc def"}),
        ({"Weight": "50"}, {"weight": 50}),
        ({"AvailableFeatures": "f1,f2", "ActiveFeatures": "f1"}, {"features": "f1,f2", "active_features": "f1"}),
        ({"Reason": '"with space"'}, {"reason": "with space", "reason_time": world.START, "reason_user": "root"}),
        ({"Reason": "'single'"}, {"reason": "'single'"}),
        ({"Reason": '"open'}, {"reason": "open"}),
        ({"ResumeAfter": "60"}, {"resume_after": world.START + 60}),
        ({"NodeAddr": "10.0.0.1"}, {"other": {"NodeAddr": "10.0.0.1"}}),
    ],
)
def test_data(fields, attributes):
    ctl = world.controller()

    assert update(ctl, **fields) == ""
    assert {name: getattr(ctl.cluster.nodes[0], name) for name in attributes} == attributes
    assert ctl.cluster.dirty_nodes == {"node1"}


@pytest.mark.parametrize(
    ("names", "fields", "said"),
    [
        ("node1", {"Extra": "not json"}, "Invalid extra constraints specification"),
        ("node1", {"Extra": " "}, "Invalid extra constraints specification"),
        ("node1", {"Extra": "1"}, "Invalid extra constraints specification"),
        ("node1,nosuch", {"Comment": "x"}, "Invalid node name specified"),
        ("node[1-2", {"Comment": "x"}, "Invalid node name specified"),
        ("", {"Comment": "x"}, "Invalid node name specified"),
        ("node1", {"Features": "f1,f2"}, "Active features not subset of available features"),
        ("node1", {"Gres": "gpu:1"}, "Invalid generic resource (gres) specification"),
        ("node1", {"Weight": "x"}, "No changes specified"),
        ("node1", {"State": "DOWN"}, node_fields.NO_REASON),
        ("node1", {"State": "drain"}, node_fields.NO_REASON),
        ("node1", {"State": "bogus"}, node_fields.BAD_STATE.format("State=bogus")),
        ("node1", {"State": "allocated"}, "Invalid node state transition"),
        ("node1", {"State": "resume"}, "Invalid node state transition"),
    ],
)
def test_refusals_change_nothing(names, fields, said):
    ctl = world.controller()

    assert update(ctl, names, Comment="kept?", **{k: v for k, v in fields.items() if k != "Comment"}) == said
    assert (ctl.cluster.nodes[0].comment, ctl.cluster.dirty_nodes) == ("", set())


def test_all_nodes():
    ctl = world.controller()

    assert update(ctl, "ALL", Extra='{"all":1}') == ""
    assert {node.extra for node in ctl.cluster.nodes} == {'{"all":1}'}


def test_extra_is_free_text_when_constraints_are_off():
    assert update(world.controller(SchedulerParameters=""), Extra="not json") == ""


def test_states_as_recorded():
    ctl = world.controller()

    assert update(ctl, "node1", State="drain", Reason="x") == ""
    assert state(ctl) == ("IDLE", ["DRAIN"], "x")
    assert update(ctl, "node1", State="undrain") == ""
    assert state(ctl) == ("IDLE", [], "")
    assert update(ctl, "node1", State="undrain") == ""
    assert update(ctl, "node1", State="down", Reason="broken") == ""
    assert state(ctl) == ("DOWN", [], "broken")
    assert update(ctl, "node1", State="resume") == ""
    assert state(ctl) == ("IDLE", [], "")
    assert update(ctl, "node1", State="fail", Reason="f") == ""
    assert state(ctl) == ("IDLE", ["FAIL"], "f")
    assert update(ctl, "node1", State="idle") == ""
    assert state(ctl) == ("IDLE", [], "")
    assert update(ctl, "node1", State="future") == ""
    assert update(ctl, "node1", State="idle") == "Invalid node state transition"
    assert update(ctl, "node[1-2]", State="resume") == "Invalid node state transition"  # node2 is idle
    assert state(ctl) == ("IDLE", [], "")  # node1 was changed all the same


def test_states_may_be_cut():
    found = [
        words.find(STATES, word) for word in ("dra", "RES", "fut", "und", "NoResp", "POWER_DOWN", "do", "resx", "")
    ]

    assert [word and word.name for word in found] == [
        *("DRAIN", "RESUME", "FUTURE", "UNDRAIN", "NORESP", "POWER_DOWN", None, None, None),
    ]


def test_a_drained_node_takes_no_jobs_and_resumes():
    ctl = world.controller()
    update(ctl, "node1", State="drain", Reason="x")
    job = world.job(ctl, nodelist="node1")
    assert (job.state, job.state_desc) == ("PENDING", "ReqNodeNotAvail, May be reserved for other job")
    update(ctl, "node1", State="resume")
    ctl.settle()
    assert job.state == "RUNNING"


@pytest.mark.parametrize(("rule", "after"), [("0", "DOWN"), ("1", "DOWN"), ("2", "IDLE")])
def test_a_node_that_goes_down_loses_its_jobs(rule, after):
    """Scenario node_down_running_job, which was recorded with ReturnToService=2."""
    ctl = world.controller(ReturnToService=rule)
    stays, goes = world.job(ctl, nodelist="node1"), world.job(ctl, nodelist="node1", requeue=False)
    elsewhere = world.job(ctl, nodelist="node2")
    update(ctl, "node1", State="down", Reason="x")

    assert (stays.state, stays.reason, stays.restarts) == ("PENDING", "BeginTime", 1)
    assert (goes.state, goes.reason) == ("NODE_FAIL", "NodeDown")
    assert elsewhere.state == "RUNNING"
    assert state(ctl)[0] == after


def test_new_extra_lets_a_waiting_job_start():
    ctl = world.controller()
    job = world.job(ctl, extra="load<0.5")
    assert job.reason == "Constraints"
    update(ctl, "node3", Extra='{"load": 0.3}')
    ctl.settle()
    assert (job.state, job.nodes) == ("RUNNING", "node3")


def test_gres_counts_can_change():
    ctl = world.controller()

    assert update(ctl, "node7", Gres="gpu:1") == ""
    with pytest.raises(UserError):
        world.job(ctl, gres="gpu:2", nodelist="node7")
    assert world.job(ctl, gres="gpu:2").nodes == "node8"


# a node that registers


def test_registering_keeps_any_extra():
    ctl = world.controller()
    registration.register(ctl, ctl.cluster.nodes[0], registration.Registration(extra="not json", booted=True))

    assert (ctl.cluster.nodes[0].extra, ctl.cluster.nodes[0].boot_time) == ("not json", world.START)
    assert world.job(ctl, extra="a=1").reason == "Constraints"


@pytest.mark.parametrize(
    ("rule", "reason", "expected"),
    [("0", "x", "DOWN"), ("1", "x", "DOWN"), ("1", "Not responding", "IDLE"), ("2", "x", "IDLE")],
)
def test_registering_returns_to_service_by_the_rule(rule, reason, expected):
    ctl = world.controller(ReturnToService=rule)
    update(ctl, "node1", State="down", Reason=reason)
    registration.register(ctl, ctl.cluster.nodes[0], registration.Registration())

    assert state(ctl) == (expected, [], "" if expected == "IDLE" else reason)


def test_registering_ends_silence_and_takes_load_values():
    ctl = world.controller()
    update(ctl, "node1", State="noresp")
    node = ctl.cluster.nodes[0]
    assert not node.up
    registration.register(ctl, node, registration.Registration(load={"np_load_avg": "0.5"}, instance_id="i-1"))
    assert (node.up, node.load, node.other["InstanceId"]) == (True, {"np_load_avg": "0.5"}, "i-1")

"""JSON and YAML answers."""

from __future__ import annotations

import json

import pytest
import scene

from slimsched.cli.scontrol import command as scontrol
from slimsched.cli.sinfo import command as sinfo
from slimsched.cli.squeue import command as squeue
from slimsched.render.json_text import as_json, as_yaml, exit_code, number


def answer(cluster, command, argv, capsys):
    code, out, err = scene.call(cluster, command, argv, capsys)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_layout():
    value = {"a": [], "b": [1, {"c": "x/y"}], "d": {"e": None, "f": 2.0, "g": True}}

    assert as_json(value) == (
        '{\n  "a": [\n  ],\n  "b": [\n    1,\n    {\n      "c": "x\\/y"\n    }\n  ],\n'
        '  "d": {\n    "e": null,\n    "f": 2.0,\n    "g": true\n  }\n}'
    )
    assert as_yaml(value) == [
        "a: []",
        "b:",
        "- 1",
        '- c: "x/y"',
        "d:",
        "  e: null",
        "  f: 2.0",
        "  g: true",
    ]


def test_numbers():
    assert number(3) == {"set": True, "infinite": False, "number": 3}
    assert number(None) == {"set": False, "infinite": False, "number": 0}
    assert number(7, infinite=True) == {"set": False, "infinite": True, "number": 0}
    assert exit_code(0, 9)["status"] == ["SIGNALED"]


def test_squeue(capsys):
    found = answer(scene.formats(), squeue, ["--json", "-t", "all"], capsys)
    jobs = {job["job_id"]: job for job in found["jobs"]}

    assert list(jobs) == [1, 2, 13, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 3]
    assert found["meta"]["command"] == ["squeue", "--json"]
    assert jobs[1]["job_state"] == ["RUNNING"]
    assert jobs[1]["memory_per_node"] == number(200)
    assert jobs[1]["job_resources"]["nodes"]["allocation"][0]["cpus"] == {"count": 2, "used": 0}
    assert jobs[2]["tres_alloc_str"] == "cpu=8,mem=800M,node=2,billing=8"
    assert jobs[3]["array_task_string"] == "2-5%2"
    assert jobs[3]["array_task_id"] == number(None)
    assert jobs[13]["array_task_id"] == number(0)
    assert jobs[7]["scheduled_nodes"] == "node[1-8]"
    assert jobs[11]["state_reason"] == "NonZeroExitCode"
    assert jobs[12]["tres_per_node"] == "gres/gpu:1"
    assert {tuple(job) for job in jobs.values()} == {tuple(jobs[1])}


def test_every_key_of_the_real_answer_is_there(capsys):
    ours = set(answer(scene.formats(), squeue, ["--json"], capsys)["jobs"][0])

    missing = {key for key in scene.records("squeue_json_keys.jsonl")[0]["jobs"] if key not in ours}

    assert missing == set()


def test_scontrol(capsys):
    jobs = answer(scene.formats(), scontrol, ["--json", "show", "job", "3_4"], capsys)["jobs"]
    assert [(job["job_id"], job["array_task_id"]["number"]) for job in jobs] == [(3, 4)]

    nodes = answer(scene.nodes_busy(), scontrol, ["--json=v0.0.46", "show", "nodes"], capsys)
    assert nodes["meta"]["command"] == ["scontrol", "--json=v0.0.46"]
    assert [node["state"] for node in nodes["nodes"]][-2:] == [["IDLE", "DRAIN"], ["DOWN"]]

    parts = answer(scene.nodes_busy(), scontrol, ["show", "partition", "batch", "--json"], capsys)["partitions"]
    assert [part["tres"]["configured"] for part in parts] == ["cpu=16,mem=4000M,node=4,billing=16"]
    assert answer(scene.nodes_busy(), scontrol, ["--json", "show", "res"], capsys)["reservations"] == []


def test_sinfo(capsys):
    lines = answer(scene.nodes_busy(), sinfo, ["--json", "-p", "debug"], capsys)["sinfo"]

    assert [line["nodes"]["nodes"] for line in lines] == [
        ["node1", "node2"],
        ["node3"],
        ["node4"],
        ["node5"],
        ["node6"],
        ["node7"],
        ["node8"],
    ]
    assert lines[1]["cpus"]["allocated"] == 2


@pytest.mark.parametrize(
    ("command", "argv"), [(squeue, ["--yaml"]), (sinfo, ["--yaml"]), (scontrol, ["--yaml", "show", "nodes"])]
)
def test_yaml(command, argv, capsys):
    code, out, err = scene.call(scene.formats(), command, argv, capsys)

    assert (code, err) == (0, "")
    assert out.startswith("%YAML 1.1\n---\n")
    assert out.endswith("\n...\n")

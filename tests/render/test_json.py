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
    assert found["meta"]["command"] == ["squeue", "--json", "-t", "all"]
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


def test_the_keys_of_the_real_answer_in_its_order(capsys):
    ours = answer(scene.formats(), squeue, ["--json"], capsys)["jobs"][0]

    assert list(ours) == list(scene.records("squeue_json_keys.jsonl")[0]["jobs"])


def test_cores_and_what_was_given(capsys):
    from slimsched.controller.core import Controller
    from slimsched.controller.submit import submit
    from slimsched.controller.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

    cluster = Cluster(scene.config(), scene.at("07:00:00"))
    submit(Controller(cluster), JobRequest(name="run1", num_tasks=2, mem_per_node=200), User(0, "root", 0, "root"))

    job = answer(cluster, squeue, ["--json"], capsys)["jobs"][0]

    words = [core["status"][0] for socket in held(job)["sockets"] for core in socket["cores"]]
    assert words == ["ALLOCATED"] * 2 + ["UNALLOCATED"] * 2
    assert job["flags"] == [
        "EXACT_TASK_COUNT_REQUESTED",
        "JOB_WAS_RUNNING",
        "EXACT_MEMORY_REQUESTED",
        "USING_DEFAULT_ACCOUNT",
        "USING_DEFAULT_PARTITION",
        "USING_DEFAULT_QOS",
        "USING_DEFAULT_WCKEY",
        "PARTITION_ASSIGNED",
        "JOB_IMPLICIT_MAX_NODES",
    ]


def held(job):
    return job["job_resources"]["nodes"]["allocation"][0]


def test_control_characters():
    assert as_json("a\x7fb\x9b\u2028") == '"a\\u007fb\\u009b\\u2028"'
    assert as_yaml({"k": "\x85"}) == ['k: "\\u0085"']


def test_scontrol(capsys):
    jobs = answer(scene.formats(), scontrol, ["--json", "show", "job", "3_4"], capsys)["jobs"]
    assert [(job["job_id"], job["array_task_id"]["number"]) for job in jobs] == [(3, 4)]

    nodes = answer(scene.nodes_busy(), scontrol, ["--json=v0.0.46", "show", "nodes"], capsys)
    assert nodes["meta"]["command"] == ["scontrol", "--json=v0.0.46", "show", "nodes"]
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


def test_steps_licenses_and_ping(capsys):
    cluster = scene.formats()
    cluster.config.slurm["Licenses"] = "ansys:4,matlab:2"
    cluster.jobs[1].licenses_alloc = "ansys:3"

    steps = answer(cluster, scontrol, ["show", "steps", "--json"], capsys)["steps"]
    assert [step["step"] for step in steps][:2] == ["1.batch", "2.batch"]
    listed = answer(cluster, scontrol, ["--json", "show", "licenses"], capsys)["licenses"]
    assert [(item["LicenseName"], item["Used"], item["Free"]) for item in listed] == [
        ("ansys", 3, 1),
        ("matlab", 0, 2),
    ]
    for words in (["ping", "--json"], ["--json", "ping"]):
        assert answer(cluster, scontrol, words, capsys)["pings"][0]["pinged"] == "UP"

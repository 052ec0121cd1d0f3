"""JSON answers: layout, frame, and the documents against the shapes of recorded ones."""

from __future__ import annotations

import json

import pytest
import scene
import world
import yaml_reader
from json_shape import differences, shape

from slimsched.cli.daemons.sdiag import command as sdiag
from slimsched.cli.scontrol import command as scontrol
from slimsched.cli.sinfo.sinfo import command as sinfo
from slimsched.cli.squeue.squeue import command as squeue
from slimsched.render.json.text import as_json, simple
from slimsched.render.json.types import number

SHAPES = {record["command"]: record["shape"] for record in scene.records("json_shapes.jsonl")}


def answer(cluster, command, argv, capsys):
    code, out, err = scene.call(cluster, command, argv, capsys)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_layout():
    value = {"a": [], "b": [1, {"c": "x/y"}], "d": {"e": None, "f": 2.0, "g": True}, "h": {}}

    assert as_json(value) == (
        '{\n  "a": [\n  ],\n  "b": [\n    1,\n    {\n      "c": "x\\/y"\n    }\n  ],\n'
        '  "d": {\n    "e": null,\n    "f": 2.0,\n    "g": true\n  },\n  "h": {\n  }\n}'
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0.0"),
        (2.0, "2.0"),
        (-3.0, "-3.0"),
        (0.1, "0.10000000000000001"),
        (1e300, "1.0000000000000001e+300"),
        (10**12, "1000000000000"),
        ("é", '"é"'),
        ("a/b", '"a\\/b"'),
        ('"\\\n\t\x01', '"\\"\\\\\\n\\t\\u0001"'),
        ("a\x7fb\x9b\u2028", '"a\\u007fb\\u009b\\u2028"'),
    ],
)
def test_plain_values(value, written):
    assert as_json(value) == written


@pytest.mark.parametrize(
    ("command", "cluster"),
    [(squeue, scene.formats), (sinfo, scene.nodes_busy), (sdiag, scene.formats)],
)
def test_shape_of_the_recorded_answer(command, cluster, capsys):
    ours = answer(cluster(), command, ["--json"], capsys)

    assert list(differences(SHAPES[command.name], shape(ours))) == []


def test_every_job_has_the_same_shape(capsys):
    jobs = answer(scene.formats(), squeue, ["--json", "-t", "all"], capsys)["jobs"]
    want = SHAPES["squeue"]["jobs"][0]

    assert [text for job in jobs for text in differences(want, shape(job))] == []


def test_frame(capsys):
    found = answer(scene.formats(), squeue, ["--json=v0.0.46", "-t", "all"], capsys)

    assert list(found) == ["jobs", "last_backfill", "last_update", "meta", "errors", "warnings"]
    assert found["meta"]["command"] == ["squeue", "--json=v0.0.46", "-t", "all"]
    assert found["meta"]["plugin"] == {
        "type": "",
        "name": "",
        "data_parser": "data_parser/v0.0.46",
        "accounting_storage": "",
    }
    assert found["meta"]["slurm"] == {
        "version": {"major": "26", "micro": "0", "minor": "11"},
        "release": "26.11.0-0rc1",
        "cluster": "oracle",
    }
    assert (found["errors"], found["warnings"]) == ([], [])


@pytest.mark.parametrize(
    ("command", "argv", "text"),
    [
        (squeue, ["--json", "-n", "nosuch"], "Zero jobs to dump"),
        (scontrol, ["--json", "show", "steps", "4"], "Zero steps to dump"),
    ],
)
def test_warnings_of_what_is_empty(command, argv, text, capsys):
    assert answer(scene.formats(), command, argv, capsys)["warnings"] == [{"description": text, "source": ""}]


def test_squeue(capsys):
    found = answer(scene.formats(), squeue, ["--json", "-t", "all"], capsys)
    jobs = {job["job_id"]: job for job in found["jobs"]}

    assert list(jobs) == [1, 2, 13, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 3]
    assert jobs[1]["job_state"] == ["RUNNING"]
    assert jobs[1]["memory_per_node"] == number(200)
    assert jobs[1]["job_resources"]["nodes"]["allocation"][0]["cpus"] == {"count": 2, "used": 0}
    assert jobs[2]["tres_alloc_str"] == "cpu=8,mem=800M,node=2,billing=8"
    assert jobs[2]["job_resources"]["nodes"]["whole"] is True
    assert jobs[2]["job_resources"]["cpus"] == 2
    assert jobs[3]["array_task_string"] == "2-5%2"
    assert jobs[3]["array_task_id"] == number(None)
    assert jobs[13]["array_task_id"] == number(0)
    assert jobs[7]["scheduled_nodes"] == "node[1-8]"
    assert jobs[11]["state_reason"] == "NonZeroExitCode"
    assert jobs[12]["tres_per_node"] == "gres/gpu:1"
    assert jobs[4]["hold"] is True
    assert jobs[4]["billable_tres"] == {"set": False, "infinite": False, "number": 0.0}


def test_when_jobs_began_to_accrue_priority(capsys):
    jobs = answer(scene.formats(), squeue, ["--json"], capsys)["jobs"]
    now = scene.at("07:26:14")

    accrue = {job["name"]: job["accrue_time"]["number"] for job in jobs if job["array_job_id"]["number"] == 0}
    assert accrue == {
        "run1": now,
        "run2": now,
        "held": 0,
        "later": scene.at("08:26:14"),
        "dep": 0,
        "big": now,
        "noextra": now,
        "extra": now,
        "gpujob": now,
    }


def test_only_what_backfill_started_was_started_by_it(capsys):
    jobs = answer(scene.formats(), squeue, ["--json"], capsys)["jobs"]

    started = {job["name"] for job in jobs if "BACKFILL_ATTEMPTED" in job["flags"]}
    assert started == {"run1", "run2", "arr", "extra", "gpujob"}


def test_cores_and_what_was_given(capsys):
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.controller.submit.submission import submit
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

    cluster = Cluster(world.recorded(), scene.at("07:00:00"))
    request = JobRequest(name="run1", num_tasks=2, mem_per_node=200, mail_type="FAIL,BEGIN,TIME_LIMIT_80")
    submit(Controller(cluster), request, User(0, "root", 0, "root"))

    job = answer(cluster, squeue, ["--json"], capsys)["jobs"][0]

    held = job["job_resources"]["nodes"]["allocation"][0]
    assert [core["status"][0] for socket in held["sockets"] for core in socket["cores"]] == [
        *["ALLOCATED"] * 2,
        *["UNALLOCATED"] * 2,
    ]
    assert job["mail_type"] == ["BEGIN", "FAIL", "TIME=80%"]
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


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        ({"state": "CANCELLED", "exit_signal": 9}, "exit_code", {
            "status": ["SIGNALED"], "return_code": number(None), "signal": {"id": number(9), "name": "KILL"},
        }),
        ({"state": "FAILED", "exit_code": 3}, "exit_code", {
            "status": ["ERROR"], "return_code": number(3), "signal": {"id": number(None), "name": ""},
        }),
        ({"flags": ["COMPLETING", "REQUEUED"]}, "job_state", ["RUNNING", "REQUEUED", "COMPLETING"]),
        ({"restarts": 2}, "restart_cnt", 2),
        ({"state_desc": "why"}, "state_description", "why"),
        ({"licenses_alloc": "a:1"}, "licenses_allocated", "a:1"),
        ({"preempted_at": 5}, "preempt_time", number(5)),
    ],
)  # fmt: skip
def test_records_in_all_conditions(change, key, value, capsys):
    cluster = scene.formats()
    for name, item in change.items():
        setattr(cluster.jobs[1], name, item)

    assert answer(cluster, squeue, ["--json", "-t", "all", "-j", "1"], capsys)["jobs"][0][key] == value


@pytest.mark.parametrize(
    ("field", "given", "key", "value"),
    [
        ("licenses", "a:2", "licenses", "a:2"),
        ("reservation", "r1", "resv_name", "r1"),
        ("partition", "debug,batch", "partition", "debug,batch"),
        ("time_limit", 0xFFFFFFFF, "time_limit", number(0, infinite=True)),
        ("time_min", 5, "time_minimum", number(5)),
        ("ntasks_per_socket", 2, "tasks_per_socket", number(2)),
        ("cpus_per_gpu", 2, "cpus_per_tres", "gres/gpu:2"),
        ("gpus", "2", "tres_per_job", "gres/gpu:2"),
        ("switches", 1, "required_switches", 1),
        ("thread_spec", 2, "thread_spec", 2),
        ("job_size", "1,3", "job_size_str", ["1", "3"]),
        ("kill_on_invalid_dep", False, "flags", ["NO_KILL_INVALID_DEPENDENCY"]),
        ("spread_job", True, "flags", ["SPREAD_JOB"]),
        ("use_min_nodes", True, "flags", ["PREFER_MINIMUM_NODE_COUNT"]),
        ("recorded", {"container": "/c", "gres-flags": "enforce-binding"}, "flags", ["GRES_BINDING_ENFORCED"]),
        ("oversubscribe", True, "shared", []),
    ],
)
def test_requests(field, given, key, value, capsys):
    cluster = scene.formats()
    setattr(cluster.jobs[8].request, field, given)
    job = answer(cluster, squeue, ["--json", "-j", "8"], capsys)["jobs"][0]

    found = job[key]
    assert (found[: len(value)] if key == "flags" else found) == value


def test_scontrol(capsys):
    found = answer(scene.formats(), scontrol, ["--json", "show", "job", "3_4"], capsys)
    assert [(job["job_id"], job["array_task_id"]["number"]) for job in found["jobs"]] == [(3, 4)]
    assert found["last_update"] == number(0)

    nodes = answer(scene.nodes_busy(), scontrol, ["--json=v0.0.46", "show", "nodes"], capsys)
    assert nodes["meta"]["command"] == ["scontrol", "--json=v0.0.46", "show", "nodes"]
    assert [node["state"] for node in nodes["nodes"]][-2:] == [["IDLE", "DRAIN"], ["DOWN"]]

    parts = answer(scene.nodes_busy(), scontrol, ["show", "partition", "batch", "--json"], capsys)["partitions"]
    assert [part["tres"]["configured"] for part in parts] == ["cpu=16,mem=4000M,node=4,billing=16"]
    assert list(differences(SHAPES["sinfo"]["sinfo"][0]["partition"], shape(parts[0]))) == []
    assert answer(scene.nodes_busy(), scontrol, ["--json", "show", "res"], capsys)["reservations"] == []


def test_sinfo(capsys):
    lines = answer(scene.nodes_busy(), sinfo, ["--json", "-p", "debug"], capsys)["sinfo"]

    assert [(line["node"]["state"], line["nodes"]["nodes"]) for line in lines] == [
        (["IDLE", "DRAIN"], ["node7"]),
        (["MIXED"], ["node3"]),
        (["ALLOCATED"], ["node1", "node2"]),
        (["IDLE"], ["node4", "node5", "node6"]),
        (["DOWN"], ["node8"]),
    ]
    assert [line["cpus"]["allocated"] for line in lines] == [0, 2, 8, 0, 0]


DOCUMENTS = [
    (squeue, [], scene.formats),
    (sinfo, [], scene.nodes_busy),
    (sdiag, [], scene.formats),
    (scontrol, ["show", "jobs"], scene.formats),
    (scontrol, ["show", "nodes"], scene.nodes_busy),
    (scontrol, ["show", "partitions"], scene.nodes_busy),
    (scontrol, ["show", "steps"], scene.formats),
    (scontrol, ["ping"], scene.formats),
]


@pytest.mark.parametrize(("command", "argv", "cluster"), DOCUMENTS)
def test_yaml_says_what_json_says(command, argv, cluster, capsys):
    written = answer(cluster(), command, [*argv, "--json"], capsys)
    code, out, err = scene.call(cluster(), command, [*argv, "--yaml"], capsys)

    assert (code, err, out[-6:]) == (0, "", "]\n...\n\n"[-6:])
    read = yaml_reader.read(out[:-1])
    assert read["meta"].pop("command")[-1] == written["meta"].pop("command")[-1].replace("json", "yaml")
    assert read == written
    assert json.dumps(read) == json.dumps(written)


def test_complex_values(capsys):
    plain = answer(scene.formats(), squeue, ["--json", "-j", "4"], capsys)["jobs"][0]
    found = answer(scene.formats(), squeue, ["--json=v0.0.46+complex", "-j", "4"], capsys)["jobs"][0]

    assert found == simple(plain)
    assert (found["array_task_id"], found["tasks_per_core"], found["priority"]) == (None, "Infinity", 0)
    assert (found["account"], found["name"]) == (None, "held")

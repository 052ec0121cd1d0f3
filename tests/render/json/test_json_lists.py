"""Nodes, partitions, reservations, steps, licenses and ping: whole documents of the controller in JSON."""

from __future__ import annotations

import json

import pytest
import scene

from slimsched.cli.scontrol import command as scontrol
from slimsched.model.reservation import Reservation
from slimsched.render.json.types import number

UNSET, ENDLESS = number(None), number(0, infinite=True)


def body(cluster, argv, capsys):
    """Return a document without its frame."""
    code, out, err = scene.call(cluster, scontrol, [*argv, "--json"], capsys)
    assert (code, err) == (0, "")
    return {key: value for key, value in json.loads(out).items() if key not in {"meta", "errors", "warnings"}}


def test_node(capsys):
    cluster = scene.nodes_busy()
    boot = number(cluster.boot_time)
    found = body(cluster, ["show", "node", "node7"], capsys)

    assert found["last_update"] == number(cluster.now)
    assert list(found["nodes"][0].items()) == [
        ("architecture", "x86_64"), ("burstbuffer_network_address", ""), ("boards", 1), ("boot_time", boot),
        ("tls_cert_last_renewal", number(0)), ("cert_flags", []), ("cluster_name", ""), ("cores", 1),
        ("specialized_cores", 0), ("cpu_binding", 0), ("cpu_load", 0), ("free_mem", number(1000)), ("cpus", 4),
        ("effective_cpus", 4), ("specialized_cpus", ""),
        ("energy", {"average_watts": 0, "base_consumed_energy": 0, "consumed_energy": 0,
                    "current_watts": number(0), "previous_consumed_energy": 0, "last_collected": 0}),
        ("extra", ""), ("features", ["rack2", "amd", "big"]), ("active_features", ["rack2", "amd", "big"]),
        ("gpu_spec", ""), ("gres", "gpu:2"), ("gres_drained", "N/A"), ("gres_used", "gpu:0"), ("instance_id", ""),
        ("instance_type", ""), ("last_busy", boot), ("mcs_label", ""), ("specialized_memory", 0), ("name", "node7"),
        ("next_state_after_reboot", ["INVALID"]), ("address", "127.0.0.1"), ("hostname", "vm"),
        ("state", ["IDLE", "DRAIN"]), ("operating_system", "Linux"), ("owner", ""),
        ("partitions", ["debug", "batch"]), ("port", 47007), ("real_memory", 1000), ("res_cores_per_gpu", 0),
        ("comment", ""), ("reason", "disk"), ("reason_changed_at", number(scene.at("07:32:46"))),
        ("reason_set_by_user", "root"), ("resume_after", number(0)), ("reservation", ""), ("suspend_time", ENDLESS),
        ("alloc_memory", 0), ("alloc_cpus", 0), ("alloc_idle_cpus", 4), ("tres_used", ""),
        ("slurmd_start_time", boot), ("sockets", 4), ("threads", 1), ("temporary_disk", 0), ("weight", 10),
        ("topology", ""), ("tres", "cpu=4,mem=1000M,billing=4"), ("version", "26.11.0-0rc1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"state": "DOWN", "flags": ["DRAIN", "NOT_RESPONDING"]}, ["DOWN", "DRAIN", "NOT_RESPONDING"]),
        ({"flags": ["PLANNED", "COMPLETING"]}, ["IDLE", "COMPLETING", "PLANNED"]),
        ({"flags": ["FAIL", "RESERVED", "MAINTENANCE"]}, ["IDLE", "RESERVED", "FAIL", "MAINTENANCE"]),
        ({"state": "UNKNOWN", "flags": ["INVALID_REG", "POWERED_DOWN"]}, ["UNKNOWN", "POWERED_DOWN", "INVALID_REG"]),
        ({"state": "FUTURE"}, ["FUTURE"]),
    ],
)
def test_node_states(change, state, capsys):
    cluster = scene.nodes_busy()
    cluster.nodes[4].change(**change)

    assert body(cluster, ["show", "node", "node5"], capsys)["nodes"][0]["state"] == state


def test_busy_node(capsys):
    node = body(scene.nodes_busy(), ["show", "node", "node3"], capsys)["nodes"][0]

    shown = ("state", "alloc_cpus", "alloc_idle_cpus", "alloc_memory", "free_mem", "tres_used")
    assert [node[key] for key in shown] == [["MIXED"], 2, 2, 200, number(800), "cpu=2,mem=200M"]


@pytest.mark.parametrize(
    ("field", "given", "path", "value"),
    [
        ("max_time", None, "maximums/time", ENDLESS),
        ("default_time", None, "defaults/time", UNSET),
        ("max_nodes", 4, "maximums/nodes", number(4)),
        ("max_cpus_per_node", 2, "maximums/cpus_per_node", number(2)),
        ("min_nodes", 2, "minimums/nodes", 2),
        ("def_mem_per_cpu", 100, "defaults/partition_memory_per_cpu", number(100)),
        ("def_mem_per_cpu", 100, "defaults/partition_memory_per_node", UNSET),
        ("max_mem_per_node", 500, "maximums/partition_memory_per_node", number(500)),
        ("over_time_limit", "UNLIMITED", "maximums/over_time_limit", ENDLESS),
        ("over_time_limit", "5", "maximums/over_time_limit", number(5)),
        ("preempt_mode", "OFF", "preempt_mode", ["DISABLED"]),
        ("preempt_mode", "REQUEUE", "preempt_mode", ["REQUEUE"]),
        ("preempt_mode", "GANG,SUSPEND", "preempt_mode", ["SUSPEND", "GANG"]),
        ("over_subscribe", "FORCE", "partition/oversubscribe", "FORCE:4"),
        ("over_subscribe", "EXCLUSIVE", "partition/exclusive", "NODE"),
        ("exclusive_user", True, "partition/exclusive", "USER"),
        ("state", "DRAIN", "partition/state", ["DRAIN"]),
        ("allow_groups", "wheel", "groups/allowed", "wheel"),
        ("deny_accounts", "a,b", "accounts/deny", "a,b"),
        ("qos", "high", "qos/assigned", "high"),
        ("select_type_parameters", "CR_Core_Memory", "select_type", ["CR_CORE_MEMORY"]),
        ("lln", True, "flags", ["DEFAULT", "LLN"]),
        ("hidden", True, "flags", ["DEFAULT", "HIDDEN"]),
    ],
)
def test_partition_limits(field, given, path, value, capsys):
    cluster = scene.nodes_busy()
    setattr(cluster.partitions["debug"], field, given)

    found = body(cluster, ["show", "partition", "debug"], capsys)["partitions"][0]
    for key in path.split("/"):
        found = found[key]
    assert found == value


def test_reservation(capsys):
    cluster = scene.nodes_busy()
    times = {"start_time": scene.at("08:00:00"), "end_time": scene.at("09:00:00")}
    flags = ["SPEC_NODES", "IGNORE_JOBS", "MAINT"]
    cluster.reservations["r1"] = Reservation(name="r1", nodes="node[1-2]", users="root", flags=flags, **times)

    found = body(cluster, ["show", "reservation"], capsys)

    assert list(found) == ["reservations", "last_update"]
    assert list(found["reservations"][0].items()) == [
        ("accounts", ""), ("burst_buffer", ""), ("core_count", 8), ("core_specializations", []),
        ("end_time", number(times["end_time"])), ("features", ""), ("flags", ["MAINT", "IGNORE_JOBS", "SPEC_NODES"]),
        ("groups", ""), ("licenses", ""), ("max_start_delay", 0), ("name", "r1"), ("node_count", 2),
        ("node_list", "node[1-2]"), ("partition", ""), ("purge_completed", {"time": number(0)}),
        ("start_time", number(times["start_time"])), ("tres", "cpu=8"), ("users", "root"),
    ]  # fmt: skip


def test_cores_of_a_reservation(capsys):
    cluster = scene.nodes_busy()
    cluster.reservations["r1"] = Reservation(name="r1", nodes="node[1-2]", core_cnt=3, cores={"node1": 1, "node2": 2})

    found = body(cluster, ["show", "reservation", "r1"], capsys)["reservations"][0]

    assert found["core_specializations"] == [{"node": "node1", "core": "0"}, {"node": "node2", "core": "0-1"}]


def test_step(capsys):
    cluster = scene.formats()
    found = body(cluster, ["show", "step", "1"], capsys)

    assert list(found["steps"][0].items()) == [
        ("array", {"job_id": 0, "task_id": 4294967294}), ("cluster", "oracle"), ("container", ""),
        ("container_id", ""), ("cpu", {"frequency": {"min": UNSET, "max": UNSET, "governor": UNSET}}),
        ("tres", {"per": {"cpu": "", "memory": "", "step": "", "node": "", "socket": "", "task": ""},
                  "allocation": "", "binding": "", "frequency": ""}),
        ("name", "batch"), ("network", ""), ("nodes", "node1"), ("number_cpus", 0), ("number_tasks", 1),
        ("partition", "debug"), ("reserved_ports", ""),
        ("time", {"running": number(5), "start": number(scene.at("07:26:15")), "limit": ENDLESS}), ("runtime", ""),
        ("srun", {"host": "", "pid": 0}), ("state", ["RUNNING"]), ("sluid", found["steps"][0]["sluid"]),
        ("id", "1.batch"), ("stderr", ""), ("stdin", ""), ("stdout", ""), ("stdin_expanded", ""),
        ("stdout_expanded", ""), ("stderr_expanded", ""), ("submit_line", ""), ("task", {"distribution": "Unknown"}),
        ("user", "root"),
    ]  # fmt: skip


def test_licenses(capsys):
    cluster = scene.formats()
    cluster.config.slurm["Licenses"] = "ansys:4,matlab:2"
    cluster.jobs[1].licenses_alloc = "ansys:3"
    rest = {"Remote": False, "Reserved": 0, "LastConsumed": 0, "LastDeficit": 0, "LastUpdate": 0, "Nodes": ""}

    assert body(cluster, ["show", "licenses"], capsys) == {
        "licenses": [
            {"LicenseName": "ansys", "Total": 4, "Used": 3, "Free": 1, **rest},
            {"LicenseName": "matlab", "Total": 2, "Used": 0, "Free": 2, **rest},
        ],
        "last_update": number(cluster.now),
    }


def test_ping(capsys):
    assert body(scene.formats(), ["ping"], capsys) == {
        "pings": [{"hostname": "localhost", "responding": True, "latency": 0, "primary": True, "status": "No error"}]
    }


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ("a(10.0.0.1)", ["primary", "a"]),
        ("a,b(10.0.0.2)", ["primary", "a", "backup", "b"]),
        ("a,b,c", ["primary", "a", "backup1", "b", "backup2", "c"]),
    ],
)
def test_ping_of_several_hosts(hosts, said, capsys):
    cluster = scene.formats()
    cluster.config.slurm["SlurmctldHost"] = hosts
    _, out, _ = scene.call(cluster, scontrol, ["ping"], capsys)

    pairs = zip(said[::2], said[1::2], strict=True)
    assert out == "".join(f"Slurmctld({rank}) at {host} is UP\n" for rank, host in pairs)
    pings = body(cluster, ["ping"], capsys)["pings"]
    assert [(ping["hostname"], ping["primary"]) for ping in pings] == [(h, not i) for i, h in enumerate(said[1::2])]

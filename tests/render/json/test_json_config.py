"""``scontrol show config --json``."""

from __future__ import annotations

import json

import pytest
import scene
import yaml_reader

from slimsched.cli.scontrol import command as scontrol
from slimsched.render.json.config import CONFIG, KEYS, TYPES, body
from slimsched.render.json.types import number


def shown(**slurm):
    """Return the configuration of a cluster with these keys."""
    cluster = scene.formats()
    cluster.config.slurm.update(slurm)
    return body(cluster)["slurm_conf"]


@pytest.mark.parametrize(
    ("given", "key", "value"),
    [
        ({}, "ClusterName", "oracle"),
        ({}, "AccountingStorageTRES", ["cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"]),
        ({}, "BatchStartTimeout", 10),
        ({}, "GroupUpdateForce", True),
        ({}, "PriorityFavorSmall", False),
        ({}, "SuspendTime", number(0, infinite=True)),
        ({}, "MaxMemPerCPU", number(0, infinite=True)),
        ({}, "DefMemPerCPU", number(100)),
        ({}, "PreemptExemptTime", number(0)),
        ({}, "SlurmUser", "root"),
        ({}, "SlurmUserId", 0),
        ({}, "SrunPortRange", {"minimum": 0, "maximum": 0, "set": False}),
        ({"SrunPortRange": "60001-63000"}, "SrunPortRange", {"minimum": 60001, "maximum": 63000, "set": True}),
        ({}, "controllers", [{"address": "localhost", "machine": "localhost"}]),
        ({}, "ReturnToService", ["none"]),
        ({"ReturnToService": "2"}, "ReturnToService", ["all"]),
        ({}, "PreemptMode", ["DISABLED"]),
        ({"PreemptMode": "REQUEUE,GANG"}, "PreemptMode", ["REQUEUE", "GANG"]),
        ({}, "SelectTypeParameters", ["CR_CPU_MEMORY"]),
        ({}, "ConfFlags", []),
        ({"TrackWCKey": "Yes", "DisableRootJobs": "Yes"}, "ConfFlags", ["DisableRootJobs", "TrackWCKey"]),
        ({"Licenses": "a:1,b:2"}, "Licenses", ["a:1", "b:2"]),
        ({}, "SchedulerParameters", ["extra_constraints"]),
        ({}, "Prolog", []),
        ({}, "PrologTimeout", number(None)),
        ({"PreemptExemptTime": "1-00:00:30"}, "PreemptExemptTime", number(86430)),
        ({}, "MpiDefault", ""),
        ({}, "PrivateData", []),
        ({"PrivateData": "jobs,users"}, "PrivateData", ["jobs", "users"]),
        ({"PriorityWeightFairShare": "7"}, "PriorityWeightFairshare", 7),
    ],
)
def test_values(given, key, value):
    assert shown(**given)[key] == value


def test_every_type_is_one():
    assert {line.split()[0] for line in KEYS.strip().split("\n")} == set(TYPES)
    assert len(CONFIG.paths()) == len(set(CONFIG.paths()))


def test_document(capsys):
    cluster = scene.formats()
    code, out, err = scene.call(cluster, scontrol, ["--json", "show", "config"], capsys)
    found = json.loads(out)

    assert (code, err) == (0, "")
    assert list(found) == ["slurm_conf", "slurm_conf_meta", "meta", "errors", "warnings"]
    assert list(found["slurm_conf"]) == CONFIG.paths()
    assert found["slurm_conf_meta"] == {
        "LastUpdate": cluster.now,
        "BOOT_TIME": cluster.boot_time,
        "ClusterId": number(None),
        "HashValue": 0,
        "NEXT_JOB_ID": number(cluster.next_job_id),
        "SLURM_CONF": "",
        "SLURM_VERSION": "26.11.0-0rc1",
    }
    code, out, _ = scene.call(cluster, scontrol, ["--yaml", "show", "config"], capsys)
    assert yaml_reader.read(out[:-1])["slurm_conf"] == found["slurm_conf"]

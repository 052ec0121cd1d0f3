"""``sacctmgr show --json`` and ``sshare --json``: whole records."""

from __future__ import annotations

import json

import pytest
import yaml_reader

from slimsched.cli.sacctmgr.show import DOCUMENTS
from slimsched.render.json import accounts as json_accounts
from slimsched.render.json.types import number

SET = (
    "sacctmgr -i add account phys description=p organization=o GrpTRES=cpu=4,mem=100",
    "sacctmgr -i add user ann account=phys fairshare=3 maxjobs=2 maxwall=90",
    "sacctmgr -i add qos high priority=10 flags=DenyOnLimit,NoDecay maxwall=60 preempt=normal maxtrespu=node=2",
)
ENDLESS = number(0, infinite=True)
REAL_ENDLESS = {"set": False, "infinite": True, "number": 0.0}


@pytest.fixture
def accounts(sim):
    """A cluster with an account, a user and a QOS of its own."""
    sim("init")
    for line in SET:
        sim(line)
    return sim


def shown(sim, *words):
    """Return a document without its frame."""
    found = json.loads(sim("sacctmgr", "show", *words, "--json"))
    assert found["meta"]["plugin"]["accounting_storage"] == "accounting_storage/slurmdbd"
    assert (found["errors"], found["warnings"]) == ([], [])
    return {key: value for key, value in found.items() if key not in {"meta", "errors", "warnings"}}


def test_users(accounts):
    ann, root = shown(accounts, "users")["users"]

    assert list(ann.items()) == [
        ("administrator_level", ["None"]), ("associations", []), ("coordinators", []),
        ("default", {"qos": 0, "account": "phys", "wckey": ""}), ("flags", ["NONE"]), ("name", "ann"),
        ("old_name", ""), ("wckeys", []),
    ]  # fmt: skip
    assert root["administrator_level"] == ["Administrator"]


def test_associations_of_users_and_accounts(accounts):
    ann = shown(accounts, "user", "ann", "withassoc")["users"][0]["associations"]
    phys = shown(accounts, "account", "phys", "withassoc")["accounts"][0]["associations"]

    assert [list(each) for each in ann] == [["account", "cluster", "partition", "user", "id"]]
    assert [(each["account"], each["user"]) for each in ann] == [("phys", "ann")]
    assert [(each["account"], each["user"]) for each in phys] == [("phys", ""), ("phys", "ann")]


def test_accounts(accounts):
    assert shown(accounts, "account", "phys") == {
        "accounts": [
            {"associations": [], "coordinators": [], "description": "p", "name": "phys", "organization": "o",
             "flags": []},
        ]
    }  # fmt: skip


def association(**changes):
    """Return an association's record with its usual values and some of its own."""
    jobs = {"per": dict.fromkeys(("count", "accruing", "submitted", "wall_clock"), ENDLESS), "active": ENDLESS,
            "accruing": ENDLESS, "total": ENDLESS}  # fmt: skip
    tres = {"total": [], "group": {"minutes": [], "active": []}, "minutes": {"total": [], "per": {"job": []}},
            "per": {"job": [], "node": []}}  # fmt: skip
    usual = {
        "accounting": [], "account": "", "cluster": "cluster", "comment": "", "default": {"qos": ""}, "flags": [],
        "max": {"jobs": jobs, "tres": tres, "per": {"account": {"wall_clock": ENDLESS}}}, "id": 0,
        "is_default": False, "lineage": "", "min": {"priority_threshold": ENDLESS}, "parent_account": "",
        "partition": "", "priority": ENDLESS, "qos": ["normal"], "shares_raw": 1, "user": "",
    }  # fmt: skip
    return usual | changes


def test_associations(accounts):
    records = shown(accounts, "associations")["associations"]
    phys, ann = (
        next(r for r in records if (r["account"], r["user"]) == who) for who in (("phys", ""), ("phys", "ann"))
    )
    total = [
        {"type": "cpu", "name": "", "id": 1, "count": 4},
        {"type": "mem", "name": "", "id": 2, "count": 100},
    ]

    want = association(account="phys", id=phys["id"], lineage="/phys/", parent_account="root")
    want["max"]["tres"]["total"] = total
    assert phys == want
    want = association(account="phys", user="ann", id=ann["id"], is_default=True, lineage="/phys/0-ann/", shares_raw=3)
    want["max"]["jobs"] = {**want["max"]["jobs"], "active": number(2)}
    want["max"]["jobs"]["per"] = {**want["max"]["jobs"]["per"], "wall_clock": number(90)}
    assert ann == want
    assert json.dumps(ann) == json.dumps(want), "the keys stand in their order"


def test_qos(accounts):
    high = next(record for record in shown(accounts, "qos")["qos"] if record["name"] == "high")
    both = {"account": ENDLESS, "user": ENDLESS}

    want = {
        "description": high["description"],
        "flags": ["DENY_LIMIT", "NO_DECAY"],
        "id": 2,
        "limits": {
            "grace_time": 0,
            "max": {
                "active_jobs": {"accruing": ENDLESS, "count": ENDLESS},
                "jobs": {"count": ENDLESS, "active_jobs": {"per": both}, "per": both},
                "tres": {
                    "total": [],
                    "minutes": {"total": [], "per": {"qos": [], "job": [], "account": [], "user": []}},
                    "per": {
                        "account": [], "job": [], "node": [],
                        "user": [{"type": "node", "name": "", "id": 4, "count": 2}],
                    },
                },
                "wall_clock": {"per": {"qos": ENDLESS, "job": number(60)}},
                "accruing": {"per": both},
            },
            "factor": REAL_ENDLESS,
            "min": {"priority_threshold": ENDLESS, "tres": {"per": {"job": []}}},
        },
        "name": "high",
        "preempt": {"list": ["normal"], "mode": ["DISABLED"], "exempt_time": ENDLESS},
        "priority": number(10),
        "usage_factor": {"set": True, "infinite": False, "number": 1.0},
        "usage_threshold": REAL_ENDLESS,
    }  # fmt: skip
    assert high == want


def test_clusters(accounts):
    record = shown(accounts, "clusters")["clusters"][0]

    assert list(record) == ["controller", "flags", "name", "nodes", "associations", "rpc_version", "tres"]
    assert record["associations"]["root"] == {
        "account": "root", "cluster": "cluster", "partition": "", "user": "", "id": 1,
    }  # fmt: skip
    assert [each["type"] for each in record["tres"]] == ["cpu", "mem", "node", "billing"]


def test_resources(accounts):
    assert shown(accounts, "tres")["TRES"][:2] == [
        {"type": "cpu", "name": "", "id": 1, "count": 0},
        {"type": "mem", "name": "", "id": 2, "count": 0},
    ]


def test_records_without_such_a_form_are_printed_as_a_table(accounts):
    assert accounts("sacctmgr", "--json", "show", "event").startswith("   Cluster ")


@pytest.mark.parametrize("kind", ["users", "accounts", "associations", "qos", "clusters", "tres"])
def test_yaml(accounts, kind):
    written = json.loads(accounts("sacctmgr", "show", kind, "--json"))
    read = yaml_reader.read(accounts("sacctmgr", "show", kind, "--yaml")[:-1])

    assert (written.pop("meta") == read.pop("meta")) is False, "the command differs"
    assert read == written


def test_shares(accounts):
    found = json.loads(accounts("sshare", "-a", "--json"))["shares"]

    assert found["total_shares"] == len(found["shares"])
    ann = next(share for share in found["shares"] if share["name"] == "ann")
    assert list(ann) == [
        "id", "cluster", "name", "parent", "partition", "shares_normalized", "shares", "tres", "effective_usage",
        "usage_normalized", "usage", "fairshare", "type",
    ]  # fmt: skip
    assert (ann["parent"], ann["shares"], ann["type"]) == ("phys", number(3), ["USER"])
    assert ann["fairshare"] == {
        "factor": {"set": False, "infinite": False, "number": 0.0},
        "level": {"set": False, "infinite": False, "number": 0.0},
    }
    assert list(ann["tres"]) == ["run_seconds", "group_minutes", "usage"]
    phys = next(share for share in found["shares"] if share["name"] == "phys")
    assert (phys["parent"], phys["type"]) == ("root", ["ASSOCIATION"])


def test_every_kind_that_is_said_to_have_a_document_has_one():
    assert set(json_accounts.KINDS) == DOCUMENTS

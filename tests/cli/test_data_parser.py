"""``--json=PARSER`` and ``--yaml=PARSER``: the list of parsers, versions, flags, and one that does not exist."""

from __future__ import annotations

import json

import pytest

PARSERS = "".join(f"data_parser/v0.0.{version}\n" for version in (43, 44, 45, 46))
UNKNOWN = (
    "{0}: error: load_plugins: unable to find plugin: data_parser/{1}\n"
    "{0}: error: data_parser_g_new: failure loading plugins: Plugin has invalid format or unable to be loaded\n"
    "{0}: error: {2} output not supported by data_parser/v0.0.46\n"
)
COMMANDS = (
    ["squeue"],
    ["sinfo"],
    ["sdiag"],
    ["sacct"],
    ["scontrol", "show", "nodes"],
    ["scontrol", "ping"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_list_of_parsers(sim, command):
    assert sim.run(*command, "--json=list") == (0, PARSERS, "Possible data_parser plugins:\n")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("kind", "mime"), [("json", "application/json"), ("yaml", "application/x-yaml")], ids=["json", "yaml"]
)
def test_unknown_parser(sim, command, kind, mime):
    want = (1, "", UNKNOWN.format(command[0], "unknown", mime))
    assert sim.run(*command, f"--{kind}=unknown") == want


@pytest.mark.parametrize("parser", ["v0.0.46", "V0.0.46", "data_parser/v0.0.46", "v0.0.46+fast", "v0.0.46+none+fast"])
def test_names_of_the_parser(sim, parser):
    found = json.loads(sim("squeue", f"--json={parser}"))

    assert found["meta"]["plugin"]["data_parser"] == "data_parser/v0.0.46"
    assert found["warnings"] == [{"description": "Zero jobs to dump", "source": ""}]


@pytest.mark.parametrize(
    ("parser", "warning"),
    [
        ("v0.0.45", "v0.0.45 is answered with the keys of v0.0.46"),
        ("v0.0.43+fast", "v0.0.43 is answered with the keys of v0.0.46"),
        ("v0.0.46+nosuch", 'Ignoring unknown parameter "nosuch"'),
        ("+nosuch", 'Ignoring unknown parameter "nosuch"'),
    ],
)
def test_what_is_not_honoured_is_told(sim, parser, warning):
    found = json.loads(sim("sinfo", f"--json={parser}"))

    assert found["warnings"] == [{"description": warning, "source": ""}]


def test_client(sim):
    client = json.loads(sim("sinfo", "--json"))["meta"]["client"]

    assert list(client) == ["source", "user", "group"]
    assert all(isinstance(client[key], str) for key in client)


def test_yaml_of_a_new_cluster(sim):
    out = sim("scontrol", "--yaml", "ping")

    assert out.startswith(
        "%YAML 1.1\n--- !!map\n!!str pings: !!seq\n- !!map\n  !!str hostname: !!str localhost\n"
        "  !!str responding: !!bool true\n  !!str latency: !!int 0\n  !!str primary: !!bool true\n"
        "  !!str status: !!str No error\n!!str meta: !!map\n"
    )
    assert out.endswith("!!str errors: !!seq []\n!!str warnings: !!seq []\n...\n\n")


@pytest.mark.parametrize("command", ["sprio", "scancel", "sstat", "sreport"])
def test_commands_without_documents(sim, command):
    answer = sim.run(command, "--json")

    assert (answer.code, answer.out) == (1 if command != "scancel" else answer.code, "")
    assert f"{command}: unrecognized option '--json'" in answer.err

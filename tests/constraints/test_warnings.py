"""Likely slips in constraints that are well-formed: what ``sim constraint check`` says of them."""

from __future__ import annotations

import json

import pytest
import world

from slimsched.constraints import dialects, warnings
from slimsched.model.cluster import Cluster


@pytest.fixture
def cluster():
    """Eight nodes; the first two have Extra data."""
    made = Cluster(world.recorded())
    made.nodes[0].change(extra=json.dumps({"load": 0.99, "site": "north", "gpu": True, "ver": "12", "l": [1]}))
    made.nodes[1].change(extra=json.dumps({"load": 0.2, "site": "south"}))
    made.changed("extra")
    return made


def said(cluster, text, dialect="slurm-extra"):
    return warnings.slips(cluster, dialects.parse_for(cluster, text, dialect), dialect, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("load<0.5", []),
        ("load=0.2|site=north", []),
        ("gpu=true", []),
        (
            " load<0.5",
            [
                ' load<0.5: the key " load" begins or ends with white space, which is part of it',
                ' load<0.5: no node has the key " load"; did you mean "load"?',
            ],
        ),
        (
            "load< 0.5",
            [
                'load< 0.5: the value " 0.5" begins or ends with white space, which is part of it',
                'load< 0.5: " 0.5" is not a number, but nodes have numbers (0.2 to 0.99) there',
            ],
        ),
        (
            'site="north"',
            [
                'site="north": the value contains a quote ("), which is part of it',
                'site="north": no node has the value ""north""; did you mean "north"?',
            ],
        ),
        (
            "load<50%",
            ['load<50%: "50%" is not a number, but nodes have numbers (0.2 to 0.99) there; write 50 or 0.5'],
        ),
        ("lod<1", ['lod<1: no node has the key "lod"; did you mean "load"?']),
        ("zzz=1", ['zzz=1: no node has the key "zzz"']),
        (
            "load<5",
            ["load<5: 5 is outside the range of the nodes' values (0.2 to 0.99): every value satisfies it"],
        ),
        (
            "load>1",
            ["load>1: 1 is outside the range of the nodes' values (0.2 to 0.99): no value satisfies it"],
        ),
        ("load=x", ['load=x: "x" is not a number, but nodes have numbers (0.2 to 0.99) there']),
        ("ver<9", ['ver<9: a number is compared with text: nodes have text ("12") there, ordered by its bytes']),
        ("gpu=maybe", ['gpu=maybe: nodes have booleans there, and "maybe" counts as true']),
        ("l=1", ['l=1: "l" is null, a list or an object on every node that has it, so it matches nothing']),
        ("site!=north", ['site!=north: 6 nodes have no value under "site", so they do not match, not even with !=']),
        ("load<0.5&load>0.5", ["no node satisfies it now"]),
    ],
)
def test_extra(cluster, text, expected):
    assert said(cluster, text) == expected


@pytest.mark.parametrize(
    ("extra", "text", "expected"),
    [
        ({" load ": 1}, "load=1", 'load=1: no node has the key "load"; did you mean " load "?'),
        ({'"load"': 1}, "LOAD=1", 'LOAD=1: no node has the key "LOAD"; did you mean ""load""?'),
        ({"site": "north "}, "site=north", 'site=north: no node has the value "north"; did you mean "north "?'),
        ({"site": "'n'"}, "site=n", 'site=n: no node has the value "n"; did you mean "\'n\'"?'),
    ],
)
def test_white_space_and_quotes_in_the_data(extra, text, expected):
    made = Cluster(world.recorded())
    made.nodes[0].change(extra=json.dumps(extra))
    made.changed("extra")

    assert said(made, text) == [expected]


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("slurm-features", "big&amd", []),
        ("slurm-features", "bigg", ['no node has the feature "bigg"; did you mean "big"?']),
        ("flux-json", '{"hostlist": ["node[1-9]"]}', ['no node is named "node9"; did you mean "node8"?']),
        ("flux-json", '{"ranks": ["0-9"]}', ["rank 9: the cluster's ranks are 0-7"]),
        ("flux-query", "host:node1 -ssd", ['no node has the feature "ssd"']),
        ("sge", "hostname=node1", []),
        ("sge", "num_proc=99", ["no node satisfies it now"]),
    ],
)
def test_other_languages(cluster, dialect, text, expected):
    assert said(cluster, text, dialect) == expected


def test_a_feature_that_is_not_active(cluster):
    cluster.nodes[0].change(features="rack1,intel,new", active_features="rack1,intel")

    assert said(cluster, "new", "slurm-features") == ['no node has the feature "new" active now']


def test_the_whole_text(cluster):
    cluster.config.slurm["SchedulerParameters"] = ""

    assert said(cluster, "load<0.5") == [
        "SchedulerParameters does not contain extra_constraints: --extra is stored with the job but ignored"
    ]
    cluster.config.slurm["SchedulerParameters"] = "extra_constraints"
    assert said(cluster, "|".join(["load<0.5"] * 200)) == ["it has 1,799 bytes, and --extra takes no more than 1,024"]


def test_many_slips_are_cut(cluster):
    assert len(said(cluster, "|".join(f"k{i}=1" for i in range(80)))) == warnings.MOST


def test_no_data_at_all():
    assert said(Cluster(world.recorded()), "load<0.5") == ["load<0.5: no node has any Extra data"]


def test_the_command(sim):
    sim("scontrol", "update", "nodename=node01", 'extra={"load": 0.99}')
    answer = sim.run("constraint", "check", "load<50%")

    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        "valid: load<50%\n"
        'warning: load<50%: "50%" is not a number, but nodes have numbers (0.99) there; write 50 or 0.5\n'
    )
    assert sim.run("constraint", "check", "load==1").code == 1

from __future__ import annotations

import pytest
from constraint_tables import table

from slimsched.constraints import slurm_extra
from slimsched.constraints.explain import Explainer
from slimsched.constraints.predicate import HOSTS, And, Member, Names, Not, has_feature

EXTRAS = ['{"load": 0.99, "gpu": true}', '{"load": 0.3}', None, '{"load": "low"}', '{"load": 0.1, "gpu": false}']


@pytest.mark.parametrize(
    ("text", "node", "expected"),
    [
        ("load<0.5", 0, "load=0.99, wanted load<0.5"),
        ("load<0.5", 1, None),
        ("load<0.5", 2, "no load, wanted load<0.5"),
        ("load<0.5", 3, "load=low, wanted load<0.5"),
        ("load=abc", 1, "load=0.3 (a number), wanted load=abc"),
        ("load<0.5&gpu=true", 4, "gpu=false, wanted gpu=true"),
        ("load<0.5&gpu=true", 1, "no gpu, wanted gpu=true"),
        ("load<0.2|gpu=true", 1, "load=0.3, no gpu, wanted load<0.2|gpu=true"),
        ("(load<0.5|load>2)&gpu=true", 0, "load=0.99, wanted load<0.5|load>2"),
    ],
)
def test_extra(text: str, node: int, expected: str | None) -> None:
    failure = Explainer(slurm_extra.parse(text), table(EXTRAS)).failure(node)

    assert (failure and str(failure)) == expected


def test_features_hosts_and_not() -> None:
    nodes = table(features=[["gpu", "fast"], []])
    gpu, host = has_feature("gpu"), Member(HOSTS, Names(("n1",)), "n1")

    assert str(Explainer(Not(gpu), nodes).failure(0)) == "features gpu,fast, wanted not gpu"
    assert str(Explainer(gpu, nodes).failure(1)) == "no features, wanted gpu"
    assert str(Explainer(And((gpu, host)), nodes).failure(0)) == "its host, wanted host in n1"


def test_remaining_nodes_by_conjunct() -> None:
    explainer = Explainer(slurm_extra.parse("load<0.5&gpu=true"), table(EXTRAS))

    assert explainer.bitmap == 0
    assert explainer.remaining() == [("load<0.5", 2), ("gpu=true", 0)]


def test_long_lists_are_cut() -> None:
    text = "|".join(f"k{i}=1" for i in range(9))

    failure = Explainer(slurm_extra.parse(text), table(["{}"])).failure(0)

    assert failure is not None
    assert failure.found == "no k0, no k1, no k2, ..."

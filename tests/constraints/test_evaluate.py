from __future__ import annotations

import json
import weakref

import pytest
from constraint_tables import table

from slimsched.constraints import slurm_extra
from slimsched.constraints.evaluate import CACHE_SIZE, EVALUATIONS, HITS, evaluate, evaluator, matching
from slimsched.constraints.predicate import FALSE, HOSTS, TRUE, And, Member, Names, Not, Or, Predicate, has_feature
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf

GPU, FAST = has_feature("gpu"), has_feature("fast")
EXTRAS = ['{"load": 0.99}', '{"load": 0.75}', '{"load": 0.45}', None, '{"load": true}', '{"load": 1}']


@pytest.mark.parametrize(
    ("predicate", "nodes"),
    [
        (TRUE, 0b1111),
        (FALSE, 0),
        (GPU, 0b0011),
        (Not(GPU), 0b1100),
        (And((GPU, FAST)), 0b0001),
        (Or((GPU, FAST)), 0b0111),
        (Not(TRUE), 0),
        (has_feature("none"), 0),
        (Member(HOSTS, Names(("n3", "n0", "elsewhere")), "n0,n3"), 0b1001),
    ],
)
def test_groups_and_members(predicate: Predicate, nodes: int) -> None:
    assert evaluate(predicate, table(features=[["gpu", "fast"], ["gpu"], ["fast"], []])) == nodes


@pytest.mark.parametrize(
    ("text", "nodes"),
    [("load<0.5", 0b100), ("load=1", 0b110000), ("load=true", 0b10000), ("load!=true", 0), ("missing!=1", 0)],
)
def test_compare(text: str, nodes: int) -> None:
    assert evaluate(slurm_extra.parse(text), table(EXTRAS)) == nodes


def test_many_nodes_share_a_value() -> None:
    extras = [json.dumps({"rack": f"r{i % 3}"}) for i in range(1000)]

    assert evaluate(slurm_extra.parse("rack>=r1"), table(extras)) == sum(1 << i for i in range(1000) if i % 3)


def cluster() -> Cluster:
    config = Config(nodes=[NodeConf(node_name="n[0-2]", features="gpu"), NodeConf(node_name="n3")])
    made = Cluster(config)
    for node, extra in zip(made.nodes, EXTRAS, strict=False):
        node.extra = extra or ""
    return made


def counters(of: Cluster) -> tuple[int, int]:
    return of.statistics.get(EVALUATIONS, 0), of.statistics.get(HITS, 0)


def test_an_answer_is_kept_until_its_data_change() -> None:
    made = cluster()

    assert matching(made, slurm_extra.parse("load<0.5")) == 0b100
    assert matching(made, slurm_extra.parse("load<0.5")) == 0b100
    assert counters(made) == (1, 1)

    made.nodes[0].extra = '{"load": 0.1}'
    made.changed("features")
    assert matching(made, slurm_extra.parse("load<0.5")) == 0b100
    assert counters(made) == (1, 2)

    made.changed("extra")
    assert matching(made, slurm_extra.parse("load<0.5")) == 0b101
    assert counters(made) == (2, 2)


def test_features_of_a_cluster_are_the_active_ones() -> None:
    made = cluster()
    assert matching(made, GPU) == 0b111

    made.nodes[1].active_features = ""
    made.changed("features")

    assert matching(made, GPU) == 0b101


def test_hosts_of_a_cluster() -> None:
    assert matching(cluster(), Member(HOSTS, Names(("n1",)), "n1")) == 0b10


def test_the_cache_is_bounded() -> None:
    made = cluster()
    for i in range(CACHE_SIZE + 10):
        matching(made, has_feature(str(i)))
    matching(made, has_feature("0"))

    assert counters(made) == (CACHE_SIZE + 11, 0)
    assert len(evaluator(made)._answers) == CACHE_SIZE


def test_two_clusters_have_answers_of_their_own() -> None:
    one, other = cluster(), cluster()
    other.nodes[0].active_features = ""

    assert (matching(one, GPU), matching(other, GPU)) == (0b111, 0b110)


def test_an_evaluator_does_not_keep_its_cluster() -> None:
    made = cluster()
    matching(made, GPU)
    gone = weakref.ref(made)
    del made

    assert gone() is None

from __future__ import annotations

import pytest

from slimsched.constraints.predicate import (
    FALSE,
    HOSTS,
    TRUE,
    And,
    Member,
    Names,
    Not,
    Or,
    Predicate,
    fold,
    has_feature,
    leaves,
    postorder,
    show,
)
from slimsched.constraints.slurm_extra import parse

A, B, C = has_feature("a"), has_feature("b"), has_feature("c")
HOST = Member(HOSTS, Names(("n1", "n2")), "n[1-2]")


def test_equal_trees_are_one_key() -> None:
    assert {And((A, Not(Or((B, C))))): 1}[And((has_feature("a"), Not(Or((B, C)))))] == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [(And((A, B)), And((B, A))), (And((A, B)), Or((A, B))), (TRUE, FALSE), (A, B), (A, Not(A)), (A, "a")],
)
def test_different_trees_differ(one: Predicate, other: object) -> None:
    assert one != other


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="And is immutable"):
        And((A,)).children = ()


def test_reads() -> None:
    assert And((A, Not(HOST), parse("load<1"))).reads == {"features", "nodes", "extra"}
    assert TRUE.reads == frozenset()


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (A, "a"),
        (TRUE, "always"),
        (FALSE, "never"),
        (And((A, Or((B, C)))), "a&(b|c)"),
        (Not(And((A, B))), "not (a&b)"),
        (And((Not(A), HOST)), "not a&host in n[1-2]"),
        (Or((parse("load<0.5"), A)), "load<0.5|a"),
    ],
)
def test_show(tree: Predicate, text: str) -> None:
    assert show(tree) == text
    assert repr(tree) == f"<{text}>"


def test_postorder_is_left_to_right() -> None:
    tree = And((A, Or((B, C))))

    assert postorder(tree) == [A, B, C, tree.children[1], tree]
    assert leaves(tree) == [A, B, C]


def test_fold() -> None:
    assert fold(And((A, Or((B, C, TRUE)))), lambda node, parts: 1 + sum(parts)) == 6


def test_depth_is_no_matter() -> None:
    tree: Predicate = A
    for _ in range(100_000):
        tree = Not(tree)
    twin: Predicate = A
    for _ in range(100_000):
        twin = Not(twin)

    assert tree == twin
    assert hash(tree) == hash(twin)
    assert show(tree) == "not " * 100_000 + "a"

"""Grid Engine's requests as one of the constraint languages: round trips over random host predicates."""

from __future__ import annotations

import pytest
from constraint_tables import table
from hypothesis import given
from hypothesis import strategies as st

from slimsched.constraints import dialects, sge
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.predicate import HOSTS, And, Compare, Member, Names, Not, Or, Predicate, postorder
from slimsched.errors import SyntaxFault

NODES = table(extras=[None] * 5)
NAMES = st.sampled_from([f"n{i}" for i in range(5)])


def hosts(names: set[str]) -> Member:
    return Member(HOSTS, Names(names), ",".join(sorted(names)))


PREDICATES = st.recursive(
    st.sets(NAMES, min_size=1, max_size=3).map(hosts),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(And),
        st.lists(inner, min_size=1, max_size=3).map(Or),
    ),
    max_leaves=12,
)


@given(PREDICATES)
def test_host_predicates_come_back_the_same(predicate: Predicate) -> None:
    again = sge.parse_exact(sge.write(predicate))

    assert evaluate(again, NODES) == evaluate(predicate, NODES)


@given(PREDICATES)
def test_they_mean_the_same_in_the_other_languages(predicate: Predicate) -> None:
    text = sge.write(predicate)
    for dialect in ("flux-json", "flux-query"):
        found = dialects.parse(dialects.convert(text, "sge", dialect), dialect)

        assert evaluate(found, NODES) == evaluate(predicate, NODES)


@pytest.mark.parametrize("text", ["h=nosuch||x", "zz=1", "slots=3", "seq_no=1", "h="])
def test_requests_that_are_wrong(text: str) -> None:
    with pytest.raises(SyntaxFault):
        sge.parse(text)


def test_a_request_compares_on_three_levels() -> None:
    leaves = [node for node in postorder(sge.parse("mem_free=1G")) if isinstance(node, Compare)]

    assert {str(leaf.column.key) for leaf in leaves} == {"mem_free@global", "mem_free@host", "mem_free@queue"}


def test_deep_requests_are_answered() -> None:
    deep = "h=" + "(" * 50_000 + "n1" + ")" * 50_000

    assert evaluate(sge.parse_exact(deep), NODES) == 0b10
    assert sge.write(sge.parse_exact("h=" + "!" * 20_000 + "n1")).startswith("hostname=!!!")

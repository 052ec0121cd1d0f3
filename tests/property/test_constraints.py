"""What must hold for every predicate, whatever the nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from slimsched.constraints import flux_json, flux_query, node_extra, slurm_extra, slurm_features, slurm_values
from slimsched.constraints.columns import ExtraData, NodeTable, column
from slimsched.constraints.dialects import NoEquivalent
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.explain import Explainer
from slimsched.constraints.predicate import And, Compare, Member, Not, Or, Predicate, fold, has_feature, leaves
from slimsched.errors import SyntaxFault

KEYS = ["load", "gpu", "site"]
NUMBERS = st.one_of(st.integers(-3, 3), st.floats(allow_nan=False), st.sampled_from([0.00001, 1e-6, 10**30]))
VALUES = st.one_of(NUMBERS, st.booleans(), st.text(max_size=3), st.none(), st.just([1]))
EXTRAS = st.one_of(
    st.none(), st.just("not json"), st.dictionaries(st.sampled_from(KEYS), VALUES).map(lambda held: json.dumps(held))
)
FEATURES = ["ssd", "huge", "fast"]
NODES = st.lists(st.tuples(EXTRAS, st.sets(st.sampled_from(FEATURES))), max_size=12)

PLAIN = st.text(st.characters(exclude_characters=",&|<>=!()", exclude_categories=["Cs"]), min_size=1, max_size=4)
WORDS = st.one_of(PLAIN, NUMBERS.map(str), st.sampled_from(["true", "no", "nan", "inf", "0x1p3", "~"]))
REQUESTS = st.builds(
    lambda key, op, value: f"{key}{op}{value}",
    st.one_of(st.sampled_from(KEYS), PLAIN),
    st.sampled_from(sorted(slurm_values.OPERATORS)),
    WORDS,
)


def groups(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some = st.lists(items.map(lambda item: f"({item})") | REQUESTS, min_size=1, max_size=4)
    return st.one_of(some.map("&".join), some.map("|".join), some.map(",".join))


EXPRESSIONS = st.recursive(REQUESTS, groups, max_leaves=10)
LEAVES = st.one_of(REQUESTS.map(slurm_extra.parse), st.sampled_from(FEATURES).map(has_feature))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(inner.map(Not), st.lists(inner, max_size=3).map(And), st.lists(inner, max_size=3).map(Or)),
    max_leaves=12,
)


def table(nodes: list[tuple[str | None, set[str]]]) -> NodeTable:
    held = column((name, i) for i, (_, names) in enumerate(nodes) for name in sorted(names))
    return NodeTable(len(nodes), {"extra": ExtraData(e for e, _ in nodes).column, "features": lambda _: held})


def holds(predicate: Predicate, extra: str | None, features: set[str]) -> bool:
    """Decide one node by its own data, with no column."""
    data = node_extra.lenient(extra) or {}

    def decide(node: Predicate, parts: Any) -> bool:
        if isinstance(node, Compare):
            value = node_extra.scalar(data.get(node.column.key))
            test = node.rule.tests(node.op, node.value).get(type(value))
            return test is not None and test[0](value, test[1])
        if isinstance(node, Member):
            return any(name in node.values for name in features)  # type: ignore[operator]
        return all(parts) if isinstance(node, And) else any(parts) if isinstance(node, Or) else not parts[0]

    return fold(predicate, decide)


@given(TREES, NODES)
def test_by_column_is_by_node(predicate: Predicate, nodes: list[tuple[str | None, set[str]]]) -> None:
    expected = sum(1 << i for i, (extra, features) in enumerate(nodes) if holds(predicate, extra, features))

    assert evaluate(predicate, table(nodes)) == expected


@given(st.lists(TREES, max_size=4), NODES)
def test_de_morgan(parts: list[Predicate], nodes: list[tuple[str | None, set[str]]]) -> None:
    data = table(nodes)
    negated = [Not(part) for part in parts]

    assert evaluate(Not(And(parts)), data) == evaluate(Or(negated), data)
    assert evaluate(Not(Or(parts)), data) == evaluate(And(negated), data)


@given(TREES, NODES)
def test_double_negation(predicate: Predicate, nodes: list[tuple[str | None, set[str]]]) -> None:
    assert evaluate(Not(Not(predicate)), table(nodes)) == evaluate(predicate, table(nodes))


@given(TREES, NODES)
def test_a_node_fails_for_a_reason(predicate: Predicate, nodes: list[tuple[str | None, set[str]]]) -> None:
    explainer = Explainer(predicate, table(nodes))

    assert [explainer.failure(i) is None for i in range(len(nodes))] == [
        bool(explainer.bitmap >> i & 1) for i in range(len(nodes))
    ]


@given(EXPRESSIONS)
def test_extra_round_trip(text: str) -> None:
    predicate = slurm_extra.parse(text)

    assert slurm_extra.parse(slurm_extra.write(predicate)) == predicate


def answer(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except SyntaxFault as fault:
        return fault.lines()


@given(st.text(st.sampled_from("ab=<>!&|,() 1"), max_size=12))
def test_extra_answers_any_text(text: str) -> None:
    assert answer(slurm_extra.parse, text)


@given(st.text(st.sampled_from("ab&|,()[]*2"), max_size=12))
def test_features_answer_any_text(text: str) -> None:
    assert answer(slurm_features.parse_spec, text)


@given(st.text(max_size=20) | st.text(st.sampled_from('{}[]":,1e-NaIn\\u0 '), max_size=20))
def test_node_extra_answers_any_text(text: str) -> None:
    assert node_extra.lenient(text) is None or isinstance(node_extra.decode(text), dict)


@given(st.lists(st.text(max_size=3).map(has_feature), max_size=3).map(And) | st.text(max_size=4).map(has_feature))
def test_any_feature_is_written_or_has_no_equivalent(predicate: Predicate) -> None:
    for language in (slurm_features, flux_json, flux_query):
        try:
            text = language.write(predicate)
        except NoEquivalent:
            continue
        again = language.parse(text)
        assert {leaf.text for leaf in leaves(again)} == {leaf.text for leaf in leaves(predicate)}


PROPERTIES = st.text(st.sampled_from("ab^-,: é"), min_size=1, max_size=3)
FLUX_LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.lists(PROPERTIES, max_size=3).map(lambda values: {"properties": values}),
    st.lists(st.sampled_from(["0", "0-3", "2,5-7", ""]), max_size=2).map(lambda values: {"ranks": values}),
    st.lists(st.sampled_from(["n[0-3]", "n1,n5", "x", ""]), max_size=2).map(lambda values: {"hostlist": values}),
    st.just({}),
)
FLUX_OBJECTS = st.recursive(
    FLUX_LEAVES,
    lambda inner: st.builds(
        lambda operator, values: {operator: values}, st.sampled_from(["and", "or", "not"]), st.lists(inner, max_size=3)
    ),
    max_leaves=10,
)


def flux_table(held: list[set[str]]) -> NodeTable:
    data = {
        "": column((name, i) for i, names in enumerate(held) for name in sorted(names)),
        "host": column((f"n{i}", i) for i in range(len(held))),
        "rank": column((i, i) for i in range(len(held))),
    }
    return NodeTable(len(held), {"features": data.__getitem__, "nodes": data.__getitem__})


@given(FLUX_OBJECTS, st.lists(st.sets(st.sampled_from(["a", "b", "^a", "a-b"])), max_size=8))
def test_flux_objects_and_queries_mean_the_same_again(value: Any, held: list[set[str]]) -> None:
    predicate = flux_json.compile_object(value)
    data = flux_table(held)
    expected = evaluate(predicate, data)

    assert evaluate(flux_json.parse(flux_json.write(predicate)), data) == expected
    try:
        query = flux_query.write(predicate)
    except NoEquivalent:
        return
    assert evaluate(flux_query.parse(query), data) == expected


@given(st.text(st.sampled_from("ab,:&|()-' \"not"), max_size=14))
def test_flux_queries_answer_any_text(text: str) -> None:
    assert answer(flux_query.parse, text)


@given(st.text(st.sampled_from("ab&|()-"), max_size=10))
def test_flux_query_objects_mean_what_the_query_means(text: str) -> None:
    try:
        predicate = flux_query.parse(text)
    except SyntaxFault:
        return
    data = flux_table([{"a"}, {"b"}, {"a", "b"}, {"a-b"}, set()])

    assert evaluate(flux_json.compile_object(flux_query.to_object(text)), data) == evaluate(predicate, data)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["=", "<", ">"]))
def test_exactly_one_order_holds(value: float, op: str) -> None:
    data = table([(json.dumps({"load": 0.5}), set())])
    held = [op for op in ("=", "<", ">") if evaluate(slurm_extra.parse(f"load{op}{value!r}"), data)]

    assert len(held) == 1

"""From one language into another: the same nodes, or a refusal that names the part that cannot be said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.constraints import dialects, flux_json, sge, slurm_extra
from slimsched.constraints.columns import ExtraData, NodeTable, column
from slimsched.constraints.dialects import DIALECTS, NoEquivalent, convert, write
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.predicate import And, Not, Or, Predicate, has_feature, leaves, show

HOSTS_JSON = '{"or": [{"hostlist": ["n1"]}, {"hostlist": ["n2"]}]}'
ALL = ("slurm-extra", "slurm-features", "flux-json", "flux-query", "sge")

NODES = [  # name, features, Extra
    ("n0", ["gpu"], '{"load": 0.2}'),
    ("n1", ["gpu", "ssd"], '{"load": 0.9, "site": "b"}'),
    ("n2", ["ssd", "a-b"], '{"site": "a"}'),
    ("n3", ["big mem", "^odd"], None),
    ("n4", ["it's", "x,y"], "no json"),
    ("n5", [], '{"load": -1}'),
]
HELD = column((name, i) for i, (_, features, _) in enumerate(NODES) for name in features)
PLACES = {"host": column((name, i) for i, (name, _, _) in enumerate(NODES)), "rank": column((i, i) for i in range(6))}
TABLE = NodeTable(
    len(NODES),
    {
        "extra": ExtraData(extra for _, _, extra in NODES).column,
        "features": lambda _: HELD,
        "nodes": PLACES.__getitem__,
    },
)


def test_all_languages_are_looked_at():
    assert tuple(DIALECTS) == ALL


# a text in its own language, and what it is in each: a text, or "!" and the part that cannot be said


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("slurm-extra", "load<0.5", ["load<0.5", "!load<0.5", "!load<0.5", "!load<0.5", "!load<0.5"]),
        ("slurm-extra", "(a=1|b=2)&c!=3", ["(a=1|b=2)&c!=3", "!a=1", "!a=1", "!a=1", "!a=1"]),
        ("slurm-features", "gpu", ["!gpu", "gpu", '{"properties": ["gpu"]}', "gpu", "!gpu"]),
        (
            "slurm-features",
            "gpu&ssd",
            ["!gpu", "gpu&ssd", '{"and": [{"properties": ["gpu"]}, {"properties": ["ssd"]}]}', "gpu&ssd", "!gpu"],
        ),
        (
            "slurm-features",
            "a|b&c",  # from left to right
            [
                "!a",
                "(a|b)&c",
                '{"and": [{"or": [{"properties": ["a"]}, {"properties": ["b"]}]}, {"properties": ["c"]}]}',
                "(a|b)&c",
                "!a",
            ],
        ),
        (
            "slurm-features",
            "a,b",
            ["!a", "a&b", '{"and": [{"properties": ["a"]}, {"properties": ["b"]}]}', "a&b", "!a"],
        ),
        ("slurm-features", "big mem", ["!big mem", "big mem", '{"properties": ["big mem"]}', "'big mem'", "!big mem"]),
        ("slurm-features", "^odd", ["!^odd", "^odd", '{"not": [{"properties": ["^^odd"]}]}', "!^odd", "!^odd"]),
        ("slurm-features", "it's", ["!it's", "it's", "!it's", "!it's", "!it's"]),
        ("flux-query", "-gpu", ["!not gpu", "!not gpu", '{"not": [{"properties": ["gpu"]}]}', "-gpu", "!gpu"]),
        ("flux-json", '{"properties": ["^gpu"]}', ["!not gpu", "!not gpu", '{"properties": ["^gpu"]}', "-gpu", "!gpu"]),
        (
            "flux-query",
            "host:n[0-1]",
            [
                "!host in n[0-1]",
                "!host in n[0-1]",
                '{"hostlist": ["n[0-1]"]}',
                "host:n[0-1]",
                "hostname=(n0|n1)",
            ],
        ),
        (
            "flux-query",
            "not host:n3",
            ["!not host in n3", "!not host in n3", '{"not": [{"hostlist": ["n3"]}]}', "-host:n3", "hostname=!n3"],
        ),
        ("flux-query", "rank:0-2", ["!rank in 0-2", "!rank in 0-2", '{"ranks": ["0-2"]}', "rank:0-2", "!rank in 0-2"]),
        ("flux-json", "{}", ["!always", "!always", '{"and": []}', "!always", "!always"]),
        ("flux-json", '{"not": []}', ["!never", "!never", '{"not": []}', "!never", "!never"]),
        ("sge", "h=n1|n2", ["!host in n1", "!host in n1", HOSTS_JSON, "host:n1|host:n2", "h=n1|n2"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_language(source, text, expected):
    for target, answer in zip(ALL, expected, strict=True):
        try:
            said = convert(text, source, target)
        except NoEquivalent as refusal:
            said = f"!{refusal.part}"
        assert (target, said) == (target, answer)


@pytest.mark.parametrize(
    "text", ["gpu*2", "[gpu|ssd]", "[gpu*1&ssd*2]", "[(gpu&ssd)*2|big*1]"], ids=["count", "same", "counts", "either"]
)
@pytest.mark.parametrize("target", ALL)
def test_what_speaks_of_several_nodes_stays_in_its_language(text, target):
    with pytest.raises(NoEquivalent, match="a language that speaks of single nodes"):
        convert(text, "slurm-features", target)


@pytest.mark.parametrize("target", [name for name in ALL if name != "sge"])
def test_attributes_of_grid_engine_stay_in_its_language(target):
    with pytest.raises(NoEquivalent, match='"mem_free=1G" has no equivalent in the other languages'):
        convert("mem_free=1G", "sge", target)


# whatever the predicate

HOSTS = st.sampled_from(["n0", "n[1-3]", "n0,n5", "n9"])
RANKS = st.sampled_from(["0", "1-3", "0,5", "9"])
REQUESTS = st.sampled_from(["load<0.5", "load>=0.9", "site=a", "site!=a", "load=-1"])
FEATURES = st.sampled_from(["gpu", "ssd", "a-b", "big mem", "^odd", "it's", "x,y", "and", "none"])
LEAVES: st.SearchStrategy[Predicate] = st.one_of(
    REQUESTS.map(slurm_extra.parse),
    FEATURES.map(has_feature),
    HOSTS.map(lambda text: flux_json.compile_object({"hostlist": [text]})),
    RANKS.map(lambda text: flux_json.compile_object({"ranks": [text]})),
)


def trees(some: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    return st.recursive(
        some,
        lambda inner: st.one_of(
            inner.map(Not), st.lists(inner, max_size=3).map(And), st.lists(inner, min_size=1, max_size=3).map(Or)
        ),
        max_leaves=8,
    )


def parse(text: str, dialect: str) -> Predicate:
    """Return a predicate in the terms of every language: Grid Engine's own are a cluster's attributes."""
    return sge.parse_exact(text) if dialect == "sge" else dialects.parse(text, dialect)


def said(predicate: Predicate, dialect: str) -> str | None:
    try:
        return write(predicate, dialect)
    except NoEquivalent:
        return None


def refused(predicate: Predicate, dialect: str) -> str:
    """Return the part that a language cannot say, "" if it can say all."""
    try:
        write(predicate, dialect)
    except NoEquivalent as refusal:
        return refusal.part
    return ""


@given(trees(LEAVES), st.sampled_from(ALL))
def test_what_can_be_said_means_the_same_nodes(predicate: Predicate, dialect: str) -> None:
    text = said(predicate, dialect)

    if text is not None:
        assert evaluate(parse(text, dialect), TABLE) == evaluate(predicate, TABLE)


@given(trees(LEAVES), st.lists(st.sampled_from(ALL), min_size=1, max_size=4))
def test_a_chain_of_translations_means_the_same_nodes(predicate: Predicate, dialects: list[str]) -> None:
    expected = evaluate(predicate, TABLE)
    for dialect in dialects:
        text = said(predicate, dialect)
        if text is not None:
            predicate = parse(text, dialect)
            assert evaluate(predicate, TABLE) == expected


@given(trees(LEAVES), st.sampled_from(ALL))
def test_what_is_written_settles_at_once(predicate: Predicate, dialect: str) -> None:
    """Reading drops needless parentheses, so that the second text is the last."""
    text = said(predicate, dialect)

    if text is not None:
        second = write(parse(text, dialect), dialect)
        assert write(parse(second, dialect), dialect) == second


@given(trees(LEAVES), st.sampled_from(ALL))
def test_a_refusal_names_a_part_that_alone_is_refused_too(predicate: Predicate, dialect: str) -> None:
    parts: list[Any] = [predicate]
    for part in parts:
        parts += getattr(part, "children", ())
    by_text = {show(part): part for part in parts}
    part = refused(predicate, dialect)

    assert (part == "") == (said(predicate, dialect) is not None)
    assert not part or part in by_text
    if part in {show(leaf) for leaf in leaves(predicate)}:
        assert refused(by_text[part], dialect) == part


@given(trees(FEATURES.filter(lambda name: name not in ("x,y",)).map(has_feature)))
def test_flux_json_can_say_whatever_features_are_joined(predicate: Predicate) -> None:
    text = said(predicate, "flux-json")

    assert (text is None) == any("'" in leaf.text for leaf in leaves(predicate))

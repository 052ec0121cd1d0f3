from __future__ import annotations

from typing import Any

import pytest
from constraint_tables import rows

from slimsched.constraints import dialects, flux_query
from slimsched.constraints.flux_query import tokens
from slimsched.constraints.predicate import show
from slimsched.errors import SyntaxFault

RECORDS = rows("flux_rfc35.jsonl")
CONFIGS = {"requires": flux_query.REQUIRES, "rfc-default-name": flux_query.Config("name")}


def answer(query: str, config: str) -> Any:
    try:
        return flux_query.to_object(query, CONFIGS[config])
    except SyntaxFault:
        return None


def joined_by_blanks(query: str) -> bool:
    """Tell whether two factors stand side by side, where the real parser binds otherwise than its RFC."""
    before = ""
    for token in tokens(query):
        if before in ("term", ")") and token.kind in ("term", "(", "not", "minus"):
            return True
        before = token.kind
    return False


def test_records_of_the_real_parser() -> None:
    different = [query for query, config, expected in RECORDS if answer(query, config) != expected]

    assert [query for query in different if not joined_by_blanks(query)] == []
    assert len(different) < len(RECORDS) / 7


def test_what_is_refused_agrees_everywhere() -> None:
    for query, config, expected in RECORDS:
        assert (answer(query, config) is None) == (expected is None), query


@pytest.mark.parametrize(
    ("blanks", "explicit"),
    [
        ("a|b c", "a|b&c"),
        ("a b|c", "a&b|c"),
        ("a|b -c", "a|b&-c"),
        ("not a b", "not a&b"),
        ("not a -b", "not a & -b"),
        ("not a not b", "not a & not b"),
        ("a (b|c) d", "a&(b|c)&d"),
        ("a|b c|d", "a|(b&c)|d"),
    ],
)
def test_blanks_bind_as_and_does(blanks: str, explicit: str) -> None:
    assert flux_query.to_object(blanks) == flux_query.to_object(explicit)


@pytest.mark.parametrize(
    ("query", "offset", "message"),
    [
        ("", 0, "the query is empty"),
        ("  ", 2, "the query is empty"),
        ("a&", 2, "the query ends where a term is expected"),
        ("not", 3, "the query ends where a term is expected"),
        ("a and and b", 6, 'a term is missing before "and"'),
        ("a||||b", 3, 'a term is missing before "||"'),
        ("()", 1, 'a term is missing before ")"'),
        ("-(a|b)", 1, '"-" is allowed only before a single term'),
        ("--a", 1, '"-" is allowed only before a single term'),
        ("((a)", 0, '"(" is not closed'),
        ("a|b)", 3, '")" has no "(" before it'),
        ("a 'b", 2, "the quote is not closed"),
        ("a\xa0b", 1, "this white space does not separate terms"),
        ("a host:", 2, '"host:" has no operand'),
        ("host:|a", 0, '"host:" has no operand'),
        ("4g,host:foo", 0, 'an operator cannot contain ",": "4g,host:"'),
        ("a foo:bar", 2, 'unknown operator "foo"'),
        ("a b|-host:n[1-", 5, "'[' without its ']': \"[1-\""),
        ("a rank:3-1", 2, 'a range that does not ascend: "3-1"'),
        ("b a!,c", 0, "a property cannot contain '!'"),
        ("not " * 5000 + "a", 0, "nested more than 1,000 levels deep"),
    ],
)
def test_fault(query: str, offset: int, message: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        flux_query.parse(query)

    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("gpu,fast", "gpu&fast"),
        ("^gpu|-fast", "not gpu|not fast"),
        ("host:n[1-2] -rank:0", "host in n[1-2]&not rank in 0"),
        ("(a|'b c')&d", "(a|b c)&d"),
        ("(" * 100_000 + "a" + ")" * 100_000, "a"),
    ],
    ids=range(5),
)
def test_meaning(query: str, shown: str) -> None:
    assert show(flux_query.parse(query)) == shown


def test_several_queries_are_each_a_whole() -> None:
    assert show(flux_query.parse(flux_query.together(["a", "b|c"]))) == "a&(b|c)"
    assert show(flux_query.parse(flux_query.together(["b|c"]))) == "b|c"


@pytest.mark.parametrize(
    "query",
    [
        "a",
        "a&(b|-c)",
        "not (a|b)",
        "'a b'&'and'&'-x'",
        '"it\'s"|b',
        "properties:a:b",
        "host:n[1-3]&-rank:0-7",
        "not not a",
        "host:'n1 n2'",
    ],
)
def test_write(query: str) -> None:
    predicate = flux_query.parse(query) if "'s" not in query else None
    if predicate is not None:
        assert flux_query.parse(flux_query.write(predicate)) == predicate


@pytest.mark.parametrize(
    ("text", "source", "part"),
    [
        ("load<1", "slurm-extra", "load<1"),
        ('{"properties": ["a,b"]}', "flux-json", "a,b"),
        ('{"and": [{"properties": ["x"]}, {"not": []}]}', "flux-json", "never"),
    ],
)
def test_no_equivalent(text: str, source: str, part: str) -> None:
    with pytest.raises(dialects.NoEquivalent) as caught:
        dialects.convert(text, source, "flux-query")

    assert caught.value.part == part


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("node:a", 'unknown operator "node"'),
        ("op:operand", 'unknown operator "op"'),
        ("foo state:started", 'unknown operator "state"'),
        ("a !b", "a property cannot contain '!'"),
        ("'a&b'", "a property cannot contain '&'"),
        ("a|`b`", "a property cannot contain '`'"),
        ("'(' 'a'", "a property cannot contain '('"),
        ("ranks:1-0", 'a range that does not ascend: "1-0"'),
        ("ranks:4294967296", 'larger than 2147483647: "4294967296"'),
        ("host:foo]", "']' without its '[': \"]\""),
        ("host:a]-b", "']' without its '[': \"]\""),
    ],
)
def test_what_is_no_constraint_is_not_translated(query: str, message: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        dialects.convert(query, "flux-query", "flux-json")

    assert caught.value.message == message

from __future__ import annotations

import json
from typing import Any

import pytest
from constraint_tables import flux_table, rows

from slimsched.constraints import flux_json
from slimsched.constraints.dialects import NoEquivalent
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.predicate import Predicate, show
from slimsched.constraints.slurm_extra import parse as parse_extra
from slimsched.errors import SyntaxFault, UserError
from slimsched.model import bitmap

NODE_SETS, *RECORDS = rows("flux_rfc31.jsonl")
TABLES = [flux_table(nodes) for nodes in NODE_SETS]

DIFFERENT = {
    '{"hostlist":["n[001,005,9]"]}': "RFC 29: the leading zeros of the first id hold for all",
    '{"ranks":["4294967296"]}': "ids wrap at 2^32 in the real system",
    '{"ranks":["4294967297"]}': "ids wrap at 2^32 in the real system",
    '{"ranks":["0-4294967296"]}': "ids wrap at 2^32 in the real system",
}
"""Records that deliberately do not agree, and why."""


def ranks(predicate: Predicate, nodes: int) -> list[int]:
    return sorted(NODE_SETS[nodes][i][0] for i in bitmap.iterate(evaluate(predicate, TABLES[nodes])))


def answer(text: str, nodes: int) -> list[int] | None:
    try:
        return ranks(flux_json.parse(text), nodes)
    except (UserError, SyntaxFault):
        return None


def test_records_of_the_real_matcher() -> None:
    different = {text for text, nodes, expected in RECORDS if answer(text, nodes) != expected}

    assert different <= set(DIFFERENT)


def test_what_is_written_means_the_same() -> None:
    for text, nodes, expected in RECORDS:
        if expected is not None and text not in DIFFERENT:
            again = flux_json.compile_object(flux_json.to_object(flux_json.parse(text)))
            assert ranks(again, nodes) == expected, text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "a constraint is an object, not an array"),
        ({"or": [None]}, "or[0]: a constraint is an object, not null"),
        (
            {"and": [{}, {"properties": [], "ranks": []}]},
            'and[1]: an object holds one operator, not 2 ("properties", "ranks"); join them with "and"',
        ),
        ({"not": [{"nand": []}]}, 'not[0]: unknown operator "nand"'),
        ({"hostlist": "n1"}, "hostlist: the values must be in an array, not in text"),
        ({"and": [{"ranks": [0]}]}, "and[0].ranks[0]: a value is text, not a number"),
        ({"properties": ["a", "b|c"]}, "properties[1]: a property cannot contain '|'"),
        ({"and": [{}, {"hostlist": ["n[1-2]", "n[2-"]}]}, "and[1].hostlist[1]: '[' without its ']': \"[2-\""),
        ({"ranks": ["2147483648"]}, 'ranks[0]: larger than 2147483647: "2147483648"'),
        ({"hostlist": ["n[0-999999]", "m[0-99999]"]}, "hostlist[1]: more than 1,048,576 names"),
        (
            {"and": [{"hostlist": ["n[0-999999]"]}, {"hostlist": ["m[0-99999]"]}]},
            "and[0].hostlist: more than 1,048,576 names",
        ),
        ({"hostlist": ["[" * 100_000]}, "hostlist[0]: '[' without its ']': \"[\""),
        ({"hostlist": ["n[0-9999999]"]}, 'hostlist[0]: more than 1,048,576 names: "n[0-9999999]"'),
    ],
)
def test_fault(value: Any, message: str) -> None:
    with pytest.raises(flux_json.ConstraintFault) as caught:
        flux_json.compile_object(value)

    assert caught.value.message == message


def test_ill_formed_json_is_pointed_at() -> None:
    with pytest.raises(SyntaxFault) as caught:
        flux_json.parse('{"properties": [ssd]}')

    assert (caught.value.offset, caught.value.message) == (16, "ill-formed JSON: Expecting value")


def test_a_hostname_is_no_property() -> None:
    assert answer('{"properties": ["host0"]}', 0) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{}", "always"),
        ('{"and": []}', "always"),
        ('{"or": []}', "always"),
        ('{"not": []}', "never"),
        ('{"not": [{"properties": ["a"]}, {"properties": ["b"]}]}', "not (a&b)"),
        ('{"properties": ["a", "^b"]}', "a&not b"),
        ('{"ranks": ["0-2", "1,7"]}', "rank in 0-2,7"),
        ('{"hostlist": ["n[1-2]", "m1"]}', "host in n[1-2],m1"),
    ],
)
def test_meaning(text: str, shown: str) -> None:
    assert show(flux_json.parse(text)) == shown


def test_a_huge_range_stays_a_range() -> None:
    assert answer('{"ranks": ["0-2147483647"]}', 0) == list(range(8))


def deep(levels: int) -> str:
    return '{"not":[' * levels + '{"properties":["ssd"]}' + "]}" * levels


def test_as_deep_as_the_json_reader_of_flux_goes() -> None:
    predicate = flux_json.parse(deep(1000))

    assert ranks(predicate, 0) == ranks(flux_json.parse('{"properties":["ssd"]}'), 0)
    assert flux_json.parse(flux_json.write(predicate)) == predicate


def test_deeper_is_refused() -> None:
    with pytest.raises(SyntaxFault, match="nested more than 2048 levels deep"):
        flux_json.parse(deep(50_000))


def test_comparisons_have_no_equivalent() -> None:
    with pytest.raises(NoEquivalent, match='"load<1" has no equivalent in flux-json'):
        flux_json.write(parse_extra("gpu=1|load<1").children[1])


def test_a_property_that_begins_with_a_caret() -> None:
    predicate = flux_json.parse('{"not": [{"properties": ["^^x"]}]}')

    assert flux_json.parse(flux_json.write(predicate)) == predicate
    assert json.loads(flux_json.write(predicate.children[0].children[0])) == {"not": [{"properties": ["^^x"]}]}

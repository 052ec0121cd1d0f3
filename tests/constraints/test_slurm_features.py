from __future__ import annotations

import pytest
from constraint_tables import table

from slimsched.constraints import dialects, slurm_features
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.predicate import And, Or, has_feature, show
from slimsched.errors import SyntaxFault

NODES = [["rack1", "intel"], ["rack1", "amd"], ["rack2", "intel"], []]


@pytest.mark.parametrize(
    ("text", "shown", "nodes"),
    [
        ("", "always", 0b1111),
        ("rack1", "rack1", 0b0011),
        ("rack1&intel", "rack1&intel", 0b0001),
        ("rack1,intel", "rack1&intel", 0b0001),
        ("rack1,intel|rack2", "(rack1&intel)|rack2", 0b0101),
        ("rack1|intel", "rack1|intel", 0b0111),
        ("rack1&", "rack1", 0b0011),
        ("rack2|rack1&amd", "(rack2|rack1)&amd", 0b0010),
        ("rack2|(rack1&amd)", "rack2|(rack1&amd)", 0b0110),
        ("a&b&c|d", "(a&b&c)|d", 0),
        ("[rack1|rack2]", "rack1|rack2", 0b0111),
        ("gpu*4", "always", 0b1111),
        ("[gpu*4]&intel", "intel", 0b0101),
        ("[rack1*2|rack2*4]", "always", 0b1111),
    ],
)
def test_what_every_node_must_satisfy(text: str, shown: str, nodes: int) -> None:
    predicate = slurm_features.parse(text)

    assert show(predicate) == shown
    assert evaluate(predicate, table(features=NODES)) == nodes


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("rack1|rack2", [("always", [])]),
        ("rack1*3", [("always", [("rack1", 3)])]),
        ("(rack1)*3", [("always", [("rack1", 3)])]),
        ("[rack1|rack2|rack3]", [("rack1", []), ("rack2", []), ("rack3", [])]),
        ("intel&[rack1|rack2]", [("rack1", []), ("rack2", [])]),
        ("[rack1|(rack2&amd)]", [("rack1", []), ("rack2&amd", [])]),
        ("[rack1*2&rack2*4]", [("always", [("rack1", 2), ("rack2", 4)])]),
        ("[rack1*2|rack2*4]", [("always", [("rack1", 2)]), ("always", [("rack2", 4)])]),
        ("[rack1|rack2*4]&intel", [("rack1", []), ("always", [("rack2", 4)])]),
        ("[(rack1|rack2)*1&(rack3)*2]", [("always", [("rack1|rack2", 1), ("rack3", 2)])]),
        ("[a&(b|c)]", [("always", [])]),
        ("[a]", [("always", [])]),
    ],
)
def test_what_the_set_of_nodes_must_satisfy(text: str, choices: list[tuple[str, list[tuple[str, int]]]]) -> None:
    found = slurm_features.parse_spec(text).choices

    assert [(show(c.predicate), [(show(part), count) for part, count in c.counts]) for c in found] == choices
    assert [c.min_nodes for c in found] == [sum(count for _, count in counts) for _, counts in choices]


def test_names_are_those_mentioned() -> None:
    assert slurm_features.parse_spec("[(a|b)*1&c*2]&d").names == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("&a", 0, 'a feature is missing before "&"'),
        ("a&|b", 2, 'a feature is missing before "|"'),
        ("(a", 0, '"(" is not closed'),
        ("[a|b", 0, '"[" is not closed'),
        ("a)", 1, '")" does not close anything'),
        ("(a]", 2, '"]" does not close anything'),
        ("()", 1, 'a feature is missing before ")"'),
        ("(a&)", 3, 'a feature is missing before ")"'),
        ("a(b)", 1, 'no "&" or "|" before "("'),
        ("[a|[b]]", 3, "more than one pair of brackets"),
        ("[a|b]&[c|d]", 6, "more than one pair of brackets"),
        ("(a|[b])", 3, '"[" inside parentheses'),
        ("(a&(b|c))", 3, '"(" inside parentheses'),
        ("(a*2)", 2, "a count inside parentheses"),
        ("(a|b)c", 5, 'no "&" or "|" before "c"'),
        ("f&a*2", 3, "a count beside other features"),
        ("(a|b)*2", 5, "a count beside other features"),
        ("a*1&b*2", 1, "a count beside other features"),
        ("*2", 0, '"*" without a feature before it'),
        ("a*", 1, "a count is a number, 1 or more"),
        ("a*0", 1, "a count is a number, 1 or more"),
        ("a*" + "9" * 5000, 1, "a count is a number, 1 or more"),
    ],
)
def test_fault(text: str, offset: int, message: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        slurm_features.parse(text)

    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize("text", ["a", "a&b", "(a|b)&c", "a&(b|c)"])
def test_write(text: str) -> None:
    assert slurm_features.write(slurm_features.parse(text)) == text


@pytest.mark.parametrize(("text", "part"), [("gpu*4", "gpu*4"), ("[a|b]", "[a|b]"), ("x&[a*1&b*2]", "a*1")])
def test_sets_of_nodes_have_no_equivalent(text: str, part: str) -> None:
    with pytest.raises(dialects.NoEquivalent) as caught:
        dialects.convert(text, "slurm-features", "slurm-features")

    assert caught.value.part == part


def test_depth_is_no_matter() -> None:
    with pytest.raises(SyntaxFault, match="inside parentheses"):
        slurm_features.parse("(" * 100_000 + "a" + ")" * 100_000)


def test_nested_groups_cannot_be_written() -> None:
    nested = And([has_feature("a"), Or([has_feature("b"), And([has_feature("c"), has_feature("d")])])])
    with pytest.raises(dialects.NoEquivalent):
        slurm_features.write(nested)

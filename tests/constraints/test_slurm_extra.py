from __future__ import annotations

import pytest
from constraint_tables import rows, table

from slimsched.constraints import slurm_extra
from slimsched.constraints.dialects import NoEquivalent
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.predicate import has_feature, show
from slimsched.errors import SyntaxFault

RECORDS = rows("extra_records.jsonl")


def test_records_of_the_real_slurm() -> None:
    wrong = []
    for text, extra, expected in RECORDS:
        try:
            found: object = bool(evaluate(slurm_extra.parse(text), table([extra])))
        except SyntaxFault:
            found = "error"
        if found != expected:
            wrong.append((text, extra, expected, found))

    assert wrong == []


def test_every_faulty_record_is_pointed_at() -> None:
    for text, _, expected in RECORDS:
        if expected == "error":
            with pytest.raises(SyntaxFault) as caught:
                slurm_extra.parse(text)
            start, end = caught.value.span
            assert 0 <= start < end <= max(len(text), start + 1)
            assert start <= len(text)
            assert caught.value.message
            assert caught.value.hint


EXAMPLE = "write key, operator and value, for example: load<0.5"
MIXED = '"|" after "&" at the same level of parentheses'
GROUP = "put one of them in parentheses: (a=1&b=2)|..."
JOIN = 'join requests and groups with "&" or "|"'
FAULTS = [
    ("", 0, "the expression is empty", EXAMPLE),
    ("a==1", 1, '"==" is not an operator', 'write "=": a=1'),
    ("a=>1", 1, '"=>" is not an operator', 'write ">=": a>=1'),
    ("a<>1", 1, '"<>" is not an operator', 'write "!=": a!=1'),
    ("a!1", 1, '"!" is not an operator', 'write "!=": a!=1'),
    ("a<=<1", 1, '"<=<" is not an operator', "the operators are = != > >= < <="),
    ("!a=1", 0, "there is no negation", 'use "!=" inside a request, for example: a!=1'),
    (
        "a=1&",
        4,
        'a request is missing after "&", before the end',
        EXAMPLE,
    ),
    (
        "&a=1",
        0,
        'a request is missing at the start, before "&"',
        EXAMPLE,
    ),
    ("a=1&&b=2", 3, '"&&" does not join requests', 'write a single "&" between two requests'),
    (
        "a=1&b=2|c=3",
        7,
        MIXED,
        GROUP,
    ),
    (
        "x=0|(a=1&b=2|c=3)",
        12,
        MIXED,
        GROUP,
    ),
    (
        " (a=b)",
        0,
        'white space before "(" is read as a key',
        'begin with "(": inside parentheses, white space is part of the key, as in "( a=b)"',
    ),
    ("(a=b) ", 5, 'white space after ")" is read as a request', "remove it"),
    ("(a=1)b=2", 5, 'no "&" or "|" before "b"', JOIN),
    ("(a=1) and (b=2)", 5, '"and" does not join requests', 'write "&"'),
    ("a=1(b=2)", 3, 'no "&" or "|" before "("', JOIN),
    ("a=1 or b=2", 2, '"or" is part of the value', 'join two requests with "|"'),
    (
        "a=1;b=2",
        5,
        'a second operator "=" in one request',
        'join two requests with "&" or "|"; blanks do not separate them',
    ),
    ("a=5&()", 5, "there is nothing between the parentheses", "put a request there, or remove them"),
    ("(a=1", 0, '"(" is not closed', 'add ")" at the end of the group'),
    ("a=1)", 3, '")" has no "(" before it', 'remove it, or add "(" at the start of the group'),
    ("a=(1)", 2, 'a value cannot contain "("', "write the value without parentheses: a=..."),
    ("a(=1)", 1, '"(" is not allowed in a key', 'put "&" or "|" before a group'),
    ("a=", 2, 'there is no value after "="', "a value is one or more characters"),
    ("=1", 0, 'there is no key before "="', EXAMPLE),
    ("a=1&b", 4, '"b" has no operator and no value', EXAMPLE),
]


@pytest.mark.parametrize(("text", "offset", "message", "hint"), FAULTS, ids=[text or "empty" for text, *_ in FAULTS])
def test_fault(text: str, offset: int, message: str, hint: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        slurm_extra.parse(text)

    assert (caught.value.offset, caught.value.message, caught.value.hint) == (offset, message, hint)


def test_caret_stands_under_the_fault() -> None:
    with pytest.raises(SyntaxFault) as caught:
        slurm_extra.parse("gpu=1&load==0.5")

    assert caught.value.lines() == ("gpu=1&load==0.5", "          ^^", '"==" is not an operator', 'write "=": load=0.5')


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a=1", "a=1"),
        ("((((a=1))))", "a=1"),
        ("a=1,b=2&c=3", "a=1&b=2&c=3"),
        ("(a=1&b=2)|c=3", "(a=1&b=2)|c=3"),
        ("( a=   b )", " a=   b "),
        ("(a=1)&((b=2)|(c=3))", "a=1&(b=2|c=3)"),
    ],
)
def test_write(text: str, canonical: str) -> None:
    predicate = slurm_extra.parse(text)

    assert slurm_extra.write(predicate) == show(predicate) == canonical
    assert slurm_extra.parse(canonical) == predicate


def test_write_names_what_the_language_cannot_say() -> None:
    with pytest.raises(NoEquivalent, match='"gpu" has no equivalent in slurm-extra'):
        slurm_extra.write(has_feature("gpu"))


def nested(depth: int) -> str:
    return "".join("(a=1&" if i % 2 else "(a=2|" for i in range(depth)) + "a=1" + ")" * depth


@pytest.mark.parametrize(
    "text", ["(" * 100_000 + "a=1" + ")" * 100_000, nested(20_000)], ids=["collapsing", "alternating"]
)
def test_any_depth_is_read(text: str) -> None:
    predicate = slurm_extra.parse(text)

    assert evaluate(predicate, table(['{"a": 1}', '{"a": 3}', None])) == 1
    assert predicate == slurm_extra.parse(slurm_extra.write(predicate))


def test_any_depth_is_pointed_at() -> None:
    with pytest.raises(SyntaxFault) as caught:
        slurm_extra.parse("(" * 100_000 + "a=1")

    assert caught.value.offset == 99_999


def test_a_long_value_is_compared() -> None:
    predicate = slurm_extra.parse("b=" + "y" * 1_000_000)

    assert evaluate(predicate, table(['{"b": "%s"}' % ("y" * 1_000_000), '{"b": "y"}'])) == 1

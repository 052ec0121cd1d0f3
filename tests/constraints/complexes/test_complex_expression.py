"""String requests: the grammar, and that nothing in it is slow or deep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.constraints.complexes.expression import Pattern, compile_81
from slimsched.errors import SyntaxFault


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("lx*|sol*&*64*", "lx24-x86", True),  # & binds tighter
        ("*64*&lx*|sol*", "sol", True),
        ("(lx*|sol*)&*64*", "lx24-x86", False),
        ("!!abc", "abc", True),
        ("!(a|b)", "a", False),
        ("[*]", "*", True),
        ("\\*", "*", True),
        ("a[", "a[", False),
        ("[]a]", "]", True),
        ("{a}+.", "{a}+.", True),
    ],
)
def test_expressions(text: str, value: str, expected: bool) -> None:
    assert compile_81(text).matches(value) is expected


@pytest.mark.parametrize("text", ["", "|", "a|", "&a", "a||b", "a!b", "(a", "a)", "()", "a(b)", "!"])
def test_faults(text: str) -> None:
    with pytest.raises(SyntaxFault, match="Parse error on position"):
        compile_81(text)


def test_depth_and_length_are_no_limits() -> None:
    deep = compile_81("(" * 100_000 + "!" * 100_001 + "a" + ")" * 100_000)

    assert deep.matches("b")
    assert not Pattern("*a" * 500 + "b").matches("a" * 5_000)


@given(st.text(alphabet="ab*?[]^-\\", max_size=12), st.text(alphabet="ab", max_size=8))
def test_any_pattern_answers(text: str, value: str) -> None:
    assert Pattern(f"*{value}*").matches(f"x{value}y")
    assert Pattern(text).matches(value) in (True, False)


@given(
    st.text(alphabet="ab*?", min_size=1, max_size=6), st.text(alphabet="ab*?", min_size=1, max_size=6), st.text("ab")
)
def test_de_morgan(left: str, right: str, value: str) -> None:
    assert compile_81(f"!({left}|{right})").matches(value) is compile_81(f"!{left}&!{right}").matches(value)

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.text.scanner import Scanner

WORD = frozenset("abc")


def test_steps_over_what_comes_next():
    scan = Scanner("abc=12")
    assert scan.run(WORD) == "abc"
    assert scan.peek() == "="
    assert scan.peek(2, skip=1) == "12"
    assert scan.take("=")
    assert not scan.take("=")
    assert scan.run("12", 1) == "1"
    assert not scan.done
    assert scan.run(WORD, until=True) == "2"
    assert scan.done
    assert (scan.peek(), scan.run(WORD), scan.pos) == ("", "", 6)


def test_expect_points_at_the_next_character():
    scan = Scanner("a)")
    scan.expect("a", "no a")
    with pytest.raises(SyntaxFault, match="no bracket") as caught:
        scan.expect("(", "no bracket")
    assert (caught.value.span, caught.value.text) == ((1, 2), "a)")


def test_fault_from_a_start_to_here():
    scan = Scanner("abc")
    scan.run(WORD)
    assert scan.fault("bad", 1, hint="so").lines() == ("abc", " ^^", "bad", "so")
    assert scan.fault("more").span == (3, 3)

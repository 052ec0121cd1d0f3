"""Numbers as the commands of Slurm read them, whichever command it is."""

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.slurm import numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 0), ("0", 0), ("+7", 7), (" 7", 7), ("65534", 65534), ("65535", None), ("-1", None), ("+-1", None), ("-0", 0)]
    + [(text, None) for text in ("7 ", "x", "7x", "1.5", "+", "-", " ", "9" * 40)],
)
def test_a_number_below_a_bound(text: str, number: int | None) -> None:
    assert numbers.whole(text, numbers.INFINITE16) == number


@pytest.mark.parametrize(
    ("text", "number"), [("", 0), ("5x", 5), ("-2147483645", -2147483645), ("2147483646", None), ("-2147483646", None)]
)
def test_a_nice_value(text: str, number: int | None) -> None:
    assert numbers.nice(text) == number


@pytest.mark.parametrize(
    ("text", "ends"),
    [("2", (2, None)), ("0", (0, None)), ("2-4", (2, 4)), ("1k-1m", (1024, 1048576)), ("2-", (2, None))],
)
def test_a_range_of_counts(text: str, ends: tuple[int, int | None]) -> None:
    assert numbers.count_range(text, "nodes") == ends


@pytest.mark.parametrize("text", ["x", "2x", "-2", "2-0", "2-x"])
def test_no_range_of_counts(text: str) -> None:
    with pytest.raises(SyntaxFault, match=f'Invalid numeric value "{text}" for nodes.'):
        numbers.count_range(text, "nodes")


def test_a_count_that_is_too_large() -> None:
    with pytest.raises(SyntaxFault, match=r"Numeric argument \(2147483648\) to big for nodes."):
        numbers.count_range("2097152k", "nodes")


@pytest.mark.parametrize(
    ("text", "ends"),
    [("2", (2, 2)), ("2-4", (2, 4)), ("-4", (1, 4)), ("2-0", (2, None)), ("1km", (1 << 30, 1 << 30)), ("0", (0, 0))],
)
def test_a_range_of_nodes(text: str, ends: tuple[int, int | None]) -> None:
    assert numbers.node_range(text) == ends


@pytest.mark.parametrize("text", ["", "x", "k", "2x"])
def test_no_range_of_nodes(text: str) -> None:
    with pytest.raises(SyntaxFault, match=f'"{text}" is not a valid node count'):
        numbers.node_range(text)


@pytest.mark.parametrize(
    ("old", "sign", "new", "names"),
    [("a,b", "", "c,,c,a", "c,a"), ("a,b", "+", "c,a", "a,b,c"), ("a,b", "-", "b,x", "a"), ("", "+", "a", "a")],
)
def test_a_list_is_changed(old: str, sign: str, new: str, names: str) -> None:
    assert numbers.names(old, sign, new) == names

"""The option reader against what GNU getopt_long does."""

from __future__ import annotations

import getopt as stdlib
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.slurm.getopt import OURS, Option, Scanner, UsageFault

OPTIONS = (
    Option("all", "a"),
    Option("alloc", "", "n"),
    Option("nodes", "N", "n"),
    Option("nodelist", "w", "hosts"),
    Option("nice", "", "[n]"),
    Option("kill", "k", "[sig]"),
    Option("name", "", "n"),
    Option("names", "", "n", alias_of="name"),
    Option("quiet", "q"),
    Option("needle", "", "x", status=OURS),
)


def scan(*argv: str, posix: bool = False) -> tuple[list[tuple[str, str | None]], list[str]]:
    scanner = Scanner("tool", OPTIONS, argv, posix=posix)
    return [(option.name, value) for option, value in scanner], scanner.rest


@pytest.mark.parametrize(
    ("argv", "pairs", "rest"),
    [
        (["--nodes=3"], [("nodes", "3")], []),
        (["--nodes", "3"], [("nodes", "3")], []),
        (["--nodes="], [("nodes", "")], []),
        (["--nodel=x"], [("nodelist", "x")], []),
        (["-N3"], [("nodes", "3")], []),
        (["-N", "3"], [("nodes", "3")], []),
        (["-aqN3"], [("all", None), ("quiet", None), ("nodes", "3")], []),
        (["-N-1"], [("nodes", "-1")], []),
        (["-N", "-1"], [("nodes", "-1")], []),
        (["-N", "--all"], [("nodes", "--all")], []),
        (["--nice", "5"], [("nice", None)], ["5"]),
        (["--nice=5"], [("nice", "5")], []),
        (["--nice="], [("nice", "")], []),
        (["-k", "9"], [("kill", None)], ["9"]),
        (["-k9a"], [("kill", "9a")], []),
        (["-"], [], ["-"]),
        (["x", "--all", "y"], [("all", None)], ["x", "y"]),
        (["x", "--", "--all"], [], ["x", "--all"]),
        (["--"], [], []),
        (["--", "--"], [], ["--"]),
        (["--al"], None, None),
        (["--all"], [("all", None)], []),
        (["--name=x"], [("name", "x")], []),
        (["--na=x"], [("name", "x")], []),
        (["--ne=x"], None, None),
        (["--needle=x"], [("needle", "x")], []),
    ],
)
def test_accepted(argv: list[str], pairs: list[tuple[str, str | None]] | None, rest: list[str] | None) -> None:
    if pairs is None:
        with pytest.raises(UsageFault):
            scan(*argv)
    else:
        assert scan(*argv) == (pairs, rest)


def test_posix_order_stops_at_the_first_plain_argument() -> None:
    assert scan("-a", "script", "-a", "--nosuch", posix=True) == ([("all", None)], ["script", "-a", "--nosuch"])
    assert scan("-a", "--", "-a", posix=True) == ([("all", None)], ["-a"])


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["--nosuch"], "unrecognized option '--nosuch'"),
        (["--nosuch=3"], "unrecognized option '--nosuch=3'"),
        (["--no=1"], "option '--no=1' is ambiguous; possibilities: '--nodelist' '--nodes'"),
        (["--all=1"], "option '--all' doesn't allow an argument"),
        (["--qui=1"], "option '--quiet' doesn't allow an argument"),
        (["--nodes"], "option '--nodes' requires an argument"),
        (["-y"], "invalid option -- 'y'"),
        (["-ay"], "invalid option -- 'y'"),
        (["-N"], "option requires an argument -- 'N'"),
    ],
)
def test_refused(argv: list[str], problem: str) -> None:
    with pytest.raises(UsageFault) as caught:
        scan(*argv)

    assert caught.value.message == f'tool: {problem}\nTry "tool --help" for more information'


def test_options_before_a_wrong_one_are_seen() -> None:
    steps = iter(Scanner("tool", OPTIONS, ["-a", "--nosuch"]))

    assert next(steps)[0].name == "all"
    with pytest.raises(UsageFault):
        next(steps)


WORDS = ["-a", "-q", "-aq", "-N", "-N2", "--all", "--nodes", "--nodes=4", "--quiet", "--", "x", "-", "3"]


@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_like_the_standard_library(argv: list[str]) -> None:
    """Python's gnu_getopt knows no optional arguments, but agrees on the rest."""
    try:
        wanted, plain = stdlib.gnu_getopt(argv, "aqN:", ["all", "quiet", "nodes="])
    except stdlib.GetoptError:
        with pytest.raises(UsageFault):
            scan(*argv)
        return
    names = {"-a": "all", "-q": "quiet", "-N": "nodes", "--all": "all", "--quiet": "quiet", "--nodes": "nodes"}
    pairs, rest = scan(*argv)

    assert rest == plain
    assert pairs == [(names[key], value if names[key] == "nodes" else None) for key, value in wanted]


def test_long_command_line_is_read_in_one_go() -> None:
    argv = [word for pair in product(["-a"], map(str, range(100_000))) for word in pair]
    pairs, rest = scan(*argv)

    assert (len(pairs), len(rest)) == (100_000, 100_000)

"""Commands shown in documents, with what is shown below them, and a way to run them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

QUIET = ("scancel", "squeue")
"""Commands of which nothing below them means that they print nothing; others may be shown without their answers."""


class Example(NamedTuple):
    """A command line, and the lines below it; those after a line ``...`` are whatever they are."""

    line: str
    out: list[str]


def examples(lines: Iterable[str]) -> list[Example]:
    """Return the commands, which begin with ``$``, of the lines of a block."""
    found: list[Example] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(Example(line[2:], []))
        elif found:
            found[-1].out.append(line)
    return found


def run(shown: Iterable[Example], sim: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Run commands one after the other on one cluster; ``echo TEXT | sim ...`` gives standard input."""
    for line, out in shown:
        first, pipe, second = line.rpartition(" | ")
        words = shlex.split(second if pipe else line)
        given = shlex.split(first)[1] + "\n" if pipe else ""

        answer = sim.run(*words[1:], stdin=given)
        printed = answer.out + answer.err + capfd.readouterr().out  # the last: by processes that it started

        assert (words[0], answer.code) == ("sim", 0), (line, answer.err)
        if "..." in out:
            assert printed.splitlines()[: len(out) - 1] == out[:-1], line
        elif out or words[1] in QUIET:
            assert printed.splitlines() == out, line

"""Slips of the pen: Slurm's words and exit code, then a note with what was meant (``tests/data/slips.txt``).

A case is a command line, its exit code in brackets, and what it prints on standard error, indented.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

DATA = Path(__file__).parents[1] / "data" / "slips.txt"


class Slip(NamedTuple):
    """A command line, its exit code, and what it says on standard error."""

    line: str
    code: int
    said: str


def slips() -> Iterator[Slip]:
    for case in DATA.read_text().strip().split("\n$ "):
        head, *said = case.removeprefix("$ ").split("\n")
        line, _, code = head.rpartition(" [")
        yield Slip(line, int(code.rstrip("]")), "".join(f"{each[4:]}\n" for each in said))


@pytest.fixture
def cluster(sim: Any) -> Any:
    sim("init --nodes n[1-3] --cpus 8 --gres gpu:a100:2 --features big,fast --partition debug --partition gpu")
    sim("sbatch --uid alice --sim-runtime 1h --wrap x")
    sim("sbatch --uid alice --hold --wrap x")
    return sim


@pytest.mark.parametrize("slip", list(slips()), ids=lambda slip: slip.line)
def test_a_slip(cluster: Any, with_notes: None, slip: Slip) -> None:
    answer = cluster.run(*shlex.split(slip.line))
    assert (answer.code, answer.err) == (slip.code, slip.said)


def test_notes_can_be_turned_off(cluster: Any) -> None:
    reading = [each for each in slips() if each.line.startswith(("squeue", "sinfo", "sacct ", "scontrol show"))]
    assert sum(": note: " in each.said for each in reading) > 10
    for line, code, said in reading:
        answer = cluster.run(*shlex.split(line))
        assert (answer.code, ": note: " in answer.err) == (code, False)
        kept = [each for each in said.splitlines(keepends=True) if ": note: " not in each]
        assert answer.err == "".join(kept)

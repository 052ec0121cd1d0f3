"""``slurmd --extra-from``: a node's data from the load of this machine, a file, or a command."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest


def extra(sim: Any, name: str = "node01") -> str:
    return next(line.strip() for line in sim(f"scontrol show node {name}").splitlines() if "Extra=" in line)


def test_the_load_of_this_machine(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (3.6, 2.904, 1.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    sim("slurmd -N node01 --extra-from load")

    assert extra(sim) == 'Extra={"load": 0.45, "load1": 3.6, "load5": 2.9, "load15": 1.0}'
    sim("sbatch --extra load<0.5 --wrap 'sleep 9'")
    assert sim("squeue -h -o '%t %N'") == "R node01\n"


def test_a_file_and_a_command(sim: Any) -> None:
    (sim.cwd / "data.json").write_text('{"a": 1}\n')
    sim("slurmd -N node01 --extra-from data.json")
    sim("slurmd", "-N", "node[02-03]", "--extra-from", "printf '{\"b\": %d}' 2")

    assert [extra(sim, f"node0{n}") for n in (1, 2, 3)] == ['Extra={"a": 1}', *['Extra={"b": 2}'] * 2]


def test_it_stays_and_tells_what_has_changed(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = sim.cwd / "data.json"
    data.write_text("1")
    texts = iter(["1", None, "2"])

    pause = time.sleep

    def sleep(seconds: float) -> None:
        if seconds != 10:  # of another thread of this process
            pause(seconds)
            return
        text = next(texts, "end")
        if text == "end":
            raise KeyboardInterrupt
        data.unlink(missing_ok=True)
        if text is not None:
            data.write_text(text)

    monkeypatch.setattr(time, "sleep", sleep)
    answer = sim.run("slurmd -N node01 --extra-from data.json --every 10s")

    assert (answer.code, answer.out) == (130, "")
    assert answer.err.startswith("slurmd: error: --extra-from data.json: ")
    assert extra(sim) == "Extra=2"
    assert sim("events").count("register") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--extra-from", "echo no >&2; exit 3"), "slurmd: error: --extra-from echo no >&2; exit 3: no\n"),
        (("--extra-from", "exit 3"), "slurmd: error: --extra-from exit 3: exit status 3\n"),
        (("--extra-from=load", "--extra=1"), "slurmd: error: --extra and --extra-from exclude each other\n"),
        (("--every=10s",), "slurmd: error: --every needs --extra-from\n"),
    ],
)
def test_refusals(words: tuple[str, ...], said: str, sim: Any) -> None:
    answer = sim.run("slurmd", "-N", "node01", *words)

    assert (answer.code, answer.out, answer.err) == (1, "", said)

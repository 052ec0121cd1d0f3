"""What a command prints appears when the state is closed: others need not wait for a slow reader."""

from __future__ import annotations

import fcntl

import pytest

from slimsched.cli import app
from slimsched.errors import StateError
from slimsched.state.store import Store


@pytest.mark.parametrize(
    "command", ["squeue", "squeue --json", "squeue -v", "sinfo", "scontrol show job", "sacct", "scontrol show node"]
)
def test_a_slow_reader_keeps_nobody_waiting(sim, monkeypatch, command):
    sim("sbatch --wrap 'sleep 5'")
    printed = []

    def write(stream, text):
        with open(sim.state / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        printed.append(text)

    monkeypatch.setattr(app, "_write", write)
    assert sim(command) == ""
    assert "1" in "".join(printed)


@pytest.mark.parametrize("command", ["advance 5m", "sbatch --wrap true", "scontrol update jobid=1 comment=x"])
def test_an_answer_that_could_not_be_written_down_is_not_given(sim, monkeypatch, command):
    sim("sbatch --hold --wrap 'sleep 5'")

    def full(store, cluster):
        raise StateError("journal", "no space left on the device", "free some")

    monkeypatch.setattr(Store, "commit", full)
    answer = sim.run(command)
    assert (answer.code, answer.out) == (2, "")
    assert "journal: no space left on the device" in answer.err


def test_a_question_comes_ahead_of_its_answer(sim):
    sim("sbatch --hold --wrap 'sleep 5'")
    sim("sbatch --hold --wrap 'sleep 5'")
    question = "Cancel job_id={} name=wrap partition=debug [y/n]? "
    assert sim("scancel", "-i", "1", "2", stdin="n\nmaybe\ny\n") == question.format(1) + question.format(2) * 2
    assert sim("squeue", "-h", "-o", "%i") == "1\n"
    assert sim("scancel", "-i", "1", stdin="") == question.format(1)
    assert sim("squeue", "-h", "-o", "%i") == "1\n"

"""The state directory that a first command makes, or does not make."""

from __future__ import annotations

import os
from typing import Any

import pytest

from slimsched.state import layout

pytestmark = pytest.mark.usefixtures("missing_states_are_refused")


@pytest.mark.parametrize(
    "words", [("squeue",), ("sbatch", "--wrap", "true"), ("fault", "add", "sbatch"), ("snapshot", "save", "a")]
)
def test_a_named_directory_that_does_not_exist_is_an_error(sim: Any, words: tuple[str, ...]) -> None:
    name = words[0] if words[0] in ("squeue", "sbatch") else "sim"
    answer = sim.run(*words, *(("--exit", "1") if "fault" in words else ()), env={"SLIMSCHED_NOTES": "1"})

    assert (answer.code, answer.out, answer.err) == (
        2,
        "",
        f"{name}: error: {sim.state}: does not exist\n"
        f"{name}: note: name another state directory, or make this one: sim init\n",
    )
    assert not os.path.lexists(sim.state)


@pytest.mark.parametrize("make", [lambda sim: sim("init"), lambda sim: sim.state.mkdir()])
def test_init_makes_it_and_an_empty_one_is_taken(sim: Any, make: Any) -> None:
    make(sim)
    answer = sim.run("sbatch --wrap true", env={"SLIMSCHED_NOTES": "1"})
    assert (answer.code, answer.out) == (0, "Submitted batch job 1\n")
    assert "made a simulated cluster" not in answer.err


def test_the_users_own_is_made_with_one_note(sim: Any, tmp_path: Any) -> None:
    own = {"XDG_STATE_HOME": str(tmp_path / "home"), "SLIMSCHED_STATE": "", "SLIMSCHED_NOTES": "1"}
    answers = [sim.run("squeue -h", env=own) for _ in range(2)]

    folder = tmp_path / "home" / "slimsched"
    note = f"squeue: note: made a simulated cluster in {folder}; sim init makes another\n"
    assert [(answer.code, answer.out, answer.err) for answer in answers] == [(0, "", note), (0, "", "")]


def test_without_a_home_no_directory_is_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *words, **more: "~/.local/state")
    assert not layout.is_own("/x")

"""``sim snapshot``: a cluster saved and put back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from slimsched.state import files, saved


def look(sim: Any) -> tuple[str, ...]:
    """What a user sees of a cluster: jobs now and before, nodes, the history, a script, the configuration."""
    jobs = sim("squeue -h -a -o '%i %T %S'"), sim("sacct -n -P -o JobID,State,Start,End -S 2025-01-01")
    script = sim("scontrol write batch_script 1 -")
    return (*jobs, sim("scontrol show node"), sim("events"), script, (sim.state / "cluster.toml").read_text())


def busy(sim: Any) -> None:
    sim("init --nodes n[1-2] --cpus 4 --set MinJobAge=60")
    sim("sbatch --wrap 'sleep 60'")
    sim("sbatch -N2 --wrap 'sleep 600'")
    sim("advance 5m")
    sim("scontrol update nodename=n2 comment=mine")


def test_all_of_it_comes_back(sim: Any) -> None:
    busy(sim)
    before = look(sim)
    sim("snapshot save busy")

    sim("init --force --nodes other[1-9]")
    sim("sbatch --wrap 'sleep 1'")
    assert look(sim) != before

    for _ in range(2):  # it stays
        sim("snapshot load busy")
        assert look(sim) == before
        sim("advance --until-idle")
        assert sim("sbatch --parsable --wrap true") == "3\n"

    assert sim.run("doctor").code == 0
    assert [name for name in os.listdir(sim.state) if name.startswith("data-")] == ["data-4"]


def test_list_and_delete(sim: Any) -> None:
    assert sim("snapshot list") == ""
    sim("snapshot save empty")
    sim("sbatch --wrap 'sleep 60'")
    sim("snapshot save a.b-1")

    assert sim("snapshot list").splitlines() == [
        "a.b-1                2026-01-01T00:00:00      1 jobs",
        "empty                2026-01-01T00:00:00      0 jobs",
    ]
    assert sim("--state", str(sim.state / "saved" / "a.b-1"), "squeue", "-h", "-o", "%i") == "1\n"
    sim("snapshot delete empty")
    assert sim("snapshot list").split()[0] == "a.b-1"
    assert os.listdir(sim.state / "saved") == ["a.b-1"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("save busy", "a cluster is already saved as busy"),
        ("load nosuch", "no cluster is saved as nosuch"),
        ("delete nosuch", "no cluster is saved as nosuch"),
        ("save ..", "'..' is not a valid name"),
        ("save a/b", "'a/b' is not a valid name"),
        ("save a.new", "'a.new' is not a valid name"),
        ("load ''", "'' is not a valid name"),
    ],
)
def test_refusals(line: str, said: str, sim: Any) -> None:
    sim("snapshot save busy")
    answer = sim.run(f"snapshot {line}")

    assert (answer.code, answer.out) == (1, "")
    assert said in answer.err
    assert sim("snapshot list").split()[0] == "busy"


def test_faults_and_calls_are_no_part_of_it(sim: Any) -> None:
    sim("snapshot save s")
    sim("calls --on")
    sim("fault add squeue --times 1 --exit 3")
    sim("snapshot load s")

    assert sim.run("squeue").code == 3
    assert sim("calls") == "squeue\n"


def test_a_link_leads_nowhere(sim: Any, tmp_path: Path) -> None:
    sim("squeue")
    (tmp_path / "elsewhere").mkdir()
    (sim.state / "saved").symlink_to(tmp_path / "elsewhere")

    assert sim.run("snapshot save s").code == 2
    assert not any((tmp_path / "elsewhere").iterdir())


def failing_at(number: int, patch: pytest.MonkeyPatch) -> list[int]:
    """Let the n-th call that writes fail; the answer holds what is left of the count."""
    left = [number]

    def failing(real: Any) -> Any:
        def attempt(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise OSError(28, "No space left on device")
            return real(*args, **kwargs)

        return attempt

    for name in ("write", "replace", "mkdir", "fsync"):
        patch.setattr(files.os, name, failing(getattr(os, name)))
    return left


def test_a_save_that_fails(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(sim)
    state, before, number = str(sim.state), look(sim), 0
    while "s" not in saved.names(state):
        with monkeypatch.context() as patch, suppress(files.StateError):
            failing_at(number, patch)
            saved.save(state, "s")
        number += 1
    assert number > 5
    assert look(sim) == before

    sim("init --force")
    sim("snapshot load s")
    assert look(sim) == before
    assert sim.run("doctor").code == 0


def test_a_load_that_fails_is_there_as_a_whole_or_not_at_all(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(sim)
    state, old = str(sim.state), sim("events")
    sim("snapshot save old")
    sim("advance 1h")
    present = sim("events")
    sim("snapshot save present")
    found, number, left = [], 0, [-1]
    while left[0] < 0:
        saved.load(state, "present")
        with monkeypatch.context() as patch, suppress(files.StateError):
            left = failing_at(number, patch)
            saved.load(state, "old")
        found.append(sim("events"))
        number += 1

    assert found == sorted(found, key=(present, old).index)
    assert {found[0], found[-1]} == {present, old}
    assert sim.run("doctor").code == 0

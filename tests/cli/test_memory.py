"""A process that goes on: what a session has loaded is freed when the session is over."""

from __future__ import annotations

import gc
import os
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from slimsched.cli import app as boundary
from slimsched.cli.app import Application
from slimsched.cli.group import group
from slimsched.controller.core import Controller
from slimsched.model.cluster import Cluster
from slimsched.state.snapshot import Image

COMMANDS = [
    ["sbatch", "--wrap", "sleep 60"],
    ["sbatch", "--array=0-3", "--wrap", "sleep 60"],
    ["squeue"],
    ["srun", "true"],
    ["scontrol", "update", "nodename=node01", "state=drain", "reason=x"],
    ["explain", "1"],
    ["advance", "10"],
    ["sacct"],
    ["scancel", "999"],
]


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Iterator[weakref.WeakSet[object]]:
    """The clusters, controllers and records in memory, while no garbage collector helps."""
    found: weakref.WeakSet[object] = weakref.WeakSet()
    for kind in (Cluster, Controller, Image):

        def init(self: Any, *args: Any, made: Any = kind.__init__, **more: Any) -> None:
            made(self, *args, **more)
            found.add(self)

        monkeypatch.setattr(kind, "__init__", init)
    boundary.release()
    gc.disable()
    yield found
    gc.enable()


def test_commands_in_process(sim: Any, live: weakref.WeakSet[object]) -> None:
    for words in COMMANDS:
        sim.run(*words)
        assert len(live) == 0, words


def test_commands_by_click_s_runner(sim: Any, live: weakref.WeakSet[object]) -> None:
    """Its results hold the application; the next session, whoever opens it, frees what the last one loaded."""
    for words in COMMANDS:
        CliRunner().invoke(group, words, obj=Application(str(sim.state)))
        assert len(live) <= 3, words


def test_sessions_of_one_command(sim: Any, live: weakref.WeakSet[object]) -> None:
    app = Application(str(sim.state))
    for _ in range(3):
        with app.session():
            assert len(live) == 3


def test_garbage_of_others_is_still_collected(sim: Any) -> None:
    """Nothing is put where the collector of the host program does not look."""
    with Application(str(sim.state)).session():
        assert (gc.isenabled(), gc.get_freeze_count()) == (True, 0)


def test_a_wait_looks_before_it_writes(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten minutes under the wall clock: 3,000 looks, and a commit only for what happened."""
    clock = [2_000_000_000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    sim("init", "--clock", "wall")
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    sim("sbatch", "-N3", "--exclusive", "--wrap", "sleep 60")
    journal = sim.state / "data-1" / "journal" / "000001"
    before = len(journal.read_bytes().splitlines())
    sim("wait", "2")
    assert len(journal.read_bytes().splitlines()) - before < 10


FIVE = ("sbatch --wrap true", "squeue", "sinfo", "advance 1", "scontrol show job")


@pytest.mark.skipif(int(os.environ.get("SLIMSCHED_FUZZ", "0")) < 1000, reason="a minute or two: tests/attack.sh")
def test_ten_thousand_commands(sim: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Resident memory behind the second thousand and behind the last; what the archive adds is small."""
    sim("init", "--set", "MinJobAge=2")
    resident: list[int] = []
    for n in range(10_000):
        if n % 1000 == 0:
            resident.append(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20)
        words = FIVE[n % 5].split()
        if n % 2:
            CliRunner().invoke(group, words, obj=Application(str(sim.state)))
        else:
            sim(*words)
    with capsys.disabled():
        sys.stdout.write(f"MB behind each thousand: {resident}\n")
    assert resident[-1] <= resident[2] * 1.2

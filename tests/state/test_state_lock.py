"""Many processes at once lose nothing and never share an id; whoever waits for the lock hears of it and can stop."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slimsched.cli.app import Application
from slimsched.state import layout, lock
from slimsched.state.store import Store

SUBMIT = """
import sys
from world import add_job
from slimsched.state.store import Store

for _ in range(int(sys.argv[2])):
    with Store.open(sys.argv[1], write=True) as store:
        cluster = store.load()
        job = add_job(cluster)
        store.save_script(job.job_id, str(job.job_id))
        store.commit(cluster)
    print(job.job_id, flush=True)
"""
WAIT = """
import sys
from slimsched.state.store import Store

print("waiting", flush=True)
with Store.open(sys.argv[1], write=sys.argv[2] == "write") as store:
    print("in", flush=True)
"""
HOLD = """
import sys
from slimsched.state.store import Store

with Store.open(sys.argv[1], write=sys.argv[2] == "write"):
    print("in", flush=True)
    sys.stdin.readline()
"""


def start(code: str, folder: str, *args: str) -> subprocess.Popen[str]:
    os.makedirs(folder, 0o700, exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", code, folder, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )


def test_processes_that_submit_at_once(folder: str) -> None:
    """Also the cluster itself is made by one of them alone."""
    running = [start(SUBMIT, folder, "5") for _ in range(8)]
    answers = [process.communicate() for process in running]
    ids = [int(line) for out, _ in answers for line in out.split()]

    assert [err for _, err in answers] == [""] * 8
    assert sorted(ids) == list(range(1, 41))
    with Store.open(folder) as store:
        cluster = store.load()
        assert sorted(cluster.jobs) == sorted(ids)
        assert [store.script(job_id) for job_id in ids] == [str(job_id) for job_id in ids]
        assert [commit.seq for commit in store.history()] == list(range(1, 41))


def waits(process: subprocess.Popen[str], folder: str) -> None:
    """Return when a writer holds the turnstile, so that it waits for the lock."""
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    path = Path(layout.turnstile(folder))
    while process.poll() is None:
        if path.exists():
            with path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return


def test_readers_are_in_together_and_a_writer_waits(folder: str) -> None:
    with Store.open(folder) as store:
        store.load()
        assert start(WAIT, folder, "read").communicate() == ("waiting\nin\n", "")
        writer = start(WAIT, folder, "write")
        waits(writer, folder)
        assert writer.poll() is None
    assert writer.communicate() == ("in\n", "")


@pytest.fixture
def holder(folder: str) -> Callable[[str], subprocess.Popen[str]]:
    """Starts a process that holds the lock until it reads a line."""

    def hold(kind: str) -> subprocess.Popen[str]:
        process = start(HOLD, folder, kind)
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        return process

    return hold


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[subprocess.Popen[str]], list[str]]:
    """Ends a process when somebody is told of waiting; returns what is told."""

    def ending(process: subprocess.Popen[str]) -> list[str]:
        heard: list[str] = []

        def hear(path: str) -> None:
            heard.append(path)
            process.communicate("go on\n")

        monkeypatch.setattr(lock, "PATIENCE", 0.01)
        monkeypatch.setattr(lock, "told", hear)
        return heard

    return ending


def test_readers_do_not_overtake_a_writer_that_waits(folder: str, holder: Any, told: Any) -> None:
    """So that readers who overlap cannot keep it out."""
    first = holder("read")
    writer = start(WAIT, folder, "write")
    waits(writer, folder)
    heard = told(first)
    with lock.held(folder, exclusive=False):
        assert heard == [layout.lock(folder)]
    assert writer.communicate() == ("in\n", "")


@pytest.mark.parametrize("write", [True, False])
def test_who_waits_long_hears_for_what_and_once(folder: str, write: bool, holder: Any, told: Any) -> None:
    heard = told(holder("write"))
    for _ in range(2):
        with lock.held(folder, exclusive=write):
            assert heard == [layout.lock(folder)]


@pytest.mark.usefixtures("with_notes")
def test_what_a_command_says_of_its_waiting(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sim("squeue")
    holding = start(HOLD, str(sim.state), "write")
    assert holding.stdout is not None
    assert holding.stdout.readline() == "in\n"
    tell = Application.note

    def note(app: Application, text: str) -> None:
        tell(app, text)
        holding.communicate("go on\n")

    monkeypatch.setattr(lock, "PATIENCE", 0.01)
    monkeypatch.setattr(Application, "note", note)
    answer = sim.run("squeue -h")
    said = f"squeue: note: waiting for {sim.state}/lock, which another command holds\n"
    assert (answer.code, answer.out, answer.err) == (0, "", said)


def test_waiting_can_be_interrupted(folder: str) -> None:
    with Store.open(folder, write=True):
        waiting = start(WAIT, folder, "write")
        assert waiting.stdout is not None
        waiting.stdout.readline()
        while True:  # until it sleeps in the kernel, where the signal must reach it
            waiting.send_signal(signal.SIGINT)
            try:
                _, err = waiting.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                continue

    assert err.endswith("KeyboardInterrupt\n")
    with lock.held(folder, exclusive=True):
        assert time.time()

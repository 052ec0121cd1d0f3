"""Many processes at once lose nothing and never share an id; waiting for the lock is silent and can be interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from slimsched.state import lock
from slimsched.state.store import Store

SUBMIT = """
import sys
from state_helpers import add_job
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


def start(code: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
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


def test_readers_are_in_together_and_a_writer_waits_silently(folder: str) -> None:
    with Store.open(folder) as store:
        store.load()
        with Store.open(folder) as other:
            other.load()
        writer = start(WAIT, folder, "write")
        assert writer.stdout is not None
        assert writer.stdout.readline() == "waiting\n"
        assert start(WAIT, folder, "read").communicate() == ("waiting\nin\n", "")
        assert writer.poll() is None
    assert writer.communicate() == ("in\n", "")


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

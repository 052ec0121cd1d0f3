"""A live cluster that is replaced or repaired: what runs is ended, or stands in the way."""

from __future__ import annotations

import fcntl
import os
import select
import sys
from typing import Any

import pytest

from slimsched.executor.local import runs, spec


def running(live: Any) -> int:
    """Submit a job, and return the id of its script's process once it runs."""
    live("sbatch", "-o", "out", "--wrap", "echo $$ > told; read forever < told; echo went on")
    return int((live.cwd / "told").read_text())


def test_init_force_ends_what_runs(live: Any) -> None:
    pid = running(live)
    live("sbatch", "--begin=now+1hour", "--wrap", "true")
    live("init", "--force", "--live", "--nodes", "n1")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)

    with (live.state / "waker.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # it comes when the waker has gone
    assert live("squeue -h") == ""
    assert live("sbatch --wrap true") == "Submitted batch job 1\n"
    assert live.run("wait", "1").code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what a dead supervisor leaves is found on Linux only")
def test_a_supervisor_that_does_not_answer_is_killed(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PATIENCE", 0.0)
    monkeypatch.setattr(runs.files, "order", lambda *_: None)
    with os.fdopen(os.pidfd_open(running(live))) as script:
        runs.end_all(str(live.state))
        assert select.select([script], [], [], 20)[0]


@pytest.mark.usefixtures("with_notes")
def test_rebuild_waits_for_what_runs(live: Any) -> None:
    running(live)
    answer = live.run("doctor", "--rebuild")
    assert (answer.code, answer.err.splitlines()[0]) == (1, "sim: error: jobs are running: 1")
    assert answer.err.splitlines()[1].startswith("sim: note: wait for their end, or end them: kill -9 ")
    (live.cwd / "told").write_text("on\n")
    live.run("wait", "1")

    assert live.run("doctor", "--rebuild").code == 0
    assert live("sacct -X -n -P -o State") == "COMPLETED\n"


def test_rebuild_keeps_an_end_that_nobody_has_read(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec, "report", lambda _: ["/bin/true"])
    live("sbatch", "--wrap", "exit 3")
    with (live.state / "data-1/runs/1.0/lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
    (live.state / "snapshot.json").write_text("damaged")

    assert live.run("doctor", "--rebuild").code == 1
    assert live("sacct -X -n -P -o State,ExitCode") == "FAILED|3:0\n"

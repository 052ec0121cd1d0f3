"""The supervisor, with a spec made by hand: each test runs one, and waits for the fall of its lock."""

from __future__ import annotations

import fcntl
import json
import os
import re
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from slimsched.executor.local import files
from slimsched.executor.local.executor import ROOT, SUPERVISE

STAMP = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] "


class Run:
    """One run: `begin` starts its supervisor, `ended` waits for it and returns the record of the end."""

    def __init__(self, place: Path) -> None:
        self.folder, self.place = place / "7.0", place
        self.folder.mkdir()
        self.out = place / "out"

    def begin(self, script: str, **fields: Any) -> None:
        path = self.folder / "slurm_script"
        path.write_text(script)
        path.chmod(0o700)
        spec = {
            **{"script": str(path), "arguments": [], "login": None, "commands": "", "directory": str(self.place)},
            "environment": {"PATH": os.environ["PATH"], "SLIMSCHED_RUN": str(self.folder)},
            **{"umask": 0o022, "limits": {}, "uid": 0, "gid": 0, "user": "", "append": False},
            **{"input": "/dev/null", "output": str(self.out), "error": "", "limit": 0, "warn": None},
            **{"memory": 0, "poll": 1, "kill_wait": 1, "id": 7, "nodes": ["n1"], "prefix": "[{at}] "},
            **{"before": [], "after": [], "task_prolog": "", "task_epilog": ""},
            **{"report": ["/bin/true"], "state": str(self.place)},
            **fields,
        }
        files.write(str(self.folder), "spec.json", spec, durable=False)
        lock = files.take(str(self.folder / "lock"))
        files.detach([sys.executable, "-I", "-S", "-c", SUPERVISE, ROOT, str(self.folder)], lock)
        os.close(lock)

    def ended(self) -> dict[str, Any]:
        with (self.folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
        found: dict[str, Any] = json.loads((self.folder / "end.json").read_text())
        return found

    def line(self, text: str) -> None:
        """Wait until the script has written a line into the FIFO that it was given."""
        with (self.place / "told").open() as told:
            assert told.readline() == f"{text}\n"

    def order(self, **order: Any) -> None:
        files.order(str(self.folder), order)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    os.mkfifo(tmp_path / "told")
    return Run(tmp_path)


@pytest.mark.parametrize(
    ("script", "code", "number", "output"),
    [
        ("#!/bin/sh\necho $0 | tail -c 13; exit 3\n", 3, 0, "slurm_script\n"),
        ("#!/bin/sh\nkill -9 $$\n", 0, 9, ""),
        (
            "#!/nosuch/interp -x\n",
            2,
            0,
            "error: execve(): bad interpreter(/nosuch/interp): No such file or directory\n",
        ),
        ("#!/bin/sh\numask; ulimit -n; pwd\n", 0, 0, "0027\n64\n/\n"),
    ],
)
def test_how_a_script_ends(run: Run, script: str, code: int, number: int, output: str) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    run.begin(script, umask=0o027, limits={"RLIMIT_NOFILE": [64, hard]}, directory="/")
    record = run.ended()

    assert (record["code"], record["signal"], record["why"]) == (code, number, "")
    assert re.sub(STAMP, "", run.out.read_text()) == output
    assert run.out.stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_of_the_output_is_made_and_a_missing_directory_is_not(run: Run, tmp_path: Path) -> None:
    run.begin("#!/bin/sh\npwd\n", output=str(tmp_path / "a/b/out"), directory=str(tmp_path / "nosuch"))
    run.ended()

    said = rf"{STAMP}error: couldn't chdir to `\S+/nosuch': No such file or directory: going to /tmp instead\n"
    assert re.fullmatch(f"({said}){{2}}/tmp\n", (tmp_path / "a/b/out").read_text())


@pytest.mark.parametrize("files_of", [{"output": "/dev"}, {"input": "/nosuch"}])
def test_files_that_cannot_be_opened_end_the_job(run: Run, files_of: dict[str, str]) -> None:
    run.begin("#!/bin/sh\n", **files_of)

    assert (run.ended()["code"], run.ended()["signal"]) == (0, 53)


@pytest.mark.parametrize(("path", "seen"), [("/bin", "/its/bin:/bin"), ("/bin:/its/bin", "/bin:/its/bin")])
def test_the_commands_of_slurm_are_on_path_whatever_is_exported(run: Run, path: str, seen: str) -> None:
    run.begin("#!/bin/sh\necho $PATH\n", commands="/its/bin", environment={"PATH": path})
    run.ended()

    assert run.out.read_text() == f"{seen}\n"


def test_append_keeps_what_is_there(run: Run) -> None:
    run.out.write_text("before\n")
    run.begin("#!/bin/sh\necho after\necho wrong >&2\n", append=True, error=str(run.place / "err"))
    run.ended()

    assert run.out.read_text() == "before\nafter\n"
    assert (run.place / "err").read_text() == "wrong\n"


def test_the_time_limit_ends_it_and_says_so(run: Run) -> None:
    run.begin("#!/bin/bash\nexec sleep 60\n", limit=1)
    record = run.ended()

    assert (record["signal"], record["why"]) == (15, "TIMEOUT")
    message = rf"{STAMP}error: \*\*\* JOB 7 ON n1 CANCELLED AT [-\dT:]{{19}} DUE TO TIME LIMIT \*\*\*\n"
    assert re.fullmatch(message, run.out.read_text())


def test_a_trap_has_its_turn_and_kill_follows(run: Run) -> None:
    # "wait" lets the trap act at once: a command in the foreground could begin just behind the signal, and delay it
    script = "#!/bin/bash\ntrap 'echo got TERM' TERM\nsleep 60 &\necho up > told\nwait\nsleep 60\n"
    run.begin(script, kill_wait=2)
    run.line("up")
    run.order(do="stop", why="CANCELLED", text="DUE to SIGNAL Terminated")

    assert run.ended()["signal"] == 9
    assert "DUE to SIGNAL Terminated ***" in run.out.read_text()
    assert "\ngot TERM\n" in run.out.read_text()


def test_signals_and_messages_reach_their_targets(run: Run) -> None:
    run.begin("#!/bin/bash\ntrap 'echo USR1; exit 4' USR1\necho up > told\nsleep 60 & wait\n")
    run.line("up")
    run.order(do="notify", text="hello there")
    run.order(do="signal", number=10, to="steps")  # there are none
    run.order(do="signal", number=10, to="script")

    assert run.ended()["code"] == 4
    assert re.fullmatch(rf"{STAMP}error: hello there\nUSR1\n", run.out.read_text())


def test_the_end_of_a_script_by_a_signal_is_told(run: Run) -> None:
    run.begin("#!/bin/sh\necho up > told\nexec sleep 60\n")
    run.line("up")
    run.order(do="signal", number=9, to="script")

    assert run.ended()["signal"] == 9
    message = rf"{STAMP}error: \*\*\* JOB 7 ON n1 CANCELLED AT [-\dT:]{{19}} DUE to SIGNAL Killed \*\*\*\n"
    assert re.fullmatch(message, run.out.read_text())


def test_an_order_that_came_before_the_supervisor_is_not_lost(run: Run) -> None:
    run.order(do="stop", why="CANCELLED", text="")
    run.begin("#!/bin/sh\nexec sleep 60\n")

    assert run.ended()["why"] == "CANCELLED"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are adopted on Linux only")
def test_stragglers_are_ended(run: Run) -> None:
    run.begin("#!/bin/bash\n(setsid sleep 60 & echo $! > told) &\nwait\n")
    with (run.place / "told").open() as told:
        pid = int(told.read())
    run.ended()

    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory_beyond_the_limit_ends_it(run: Run) -> None:
    code = f"#!{sys.executable} -IS\nimport signal\nx = bytearray(80 << 20)\nsignal.pause()\n"
    run.begin(code, memory=40 << 20, poll=0.05)

    assert run.ended()["signal"] == 9
    assert re.fullmatch(
        rf"{STAMP}error: StepId=7\.batch exceeded memory limit \(\d+ > 41943040\), being killed\n", run.out.read_text()
    )


def test_what_is_measured(run: Run) -> None:
    run.begin(f"#!{sys.executable} -IS\nsum(range(3_000_000))\n")
    record = run.ended()

    assert record["rss"] > 1000
    assert record["user"] > 0
    assert record["start"] <= record["end"]


def test_a_detached_process_gets_the_lock_and_nothing_else_of_its_caller(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    lock = files.take(str(tmp_path / "lock"))
    files.detach(["/bin/sh", "-c", f'cd "{tmp_path}"; ls /dev/fd > held; ps -o pid=,sid= $$ > session'], lock)
    os.close(lock)
    with (tmp_path / "lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # until it has ended
    held = set(map(int, (tmp_path / "held").read_text().split()))
    pid, session = (tmp_path / "session").read_text().split()

    assert (lock in held, writing in held, session) == (True, False, pid)
    os.close(writing)
    os.close(reading)


def test_what_a_lasting_process_has_detached_leaves_no_zombie_behind_the_next(tmp_path: Path) -> None:
    started = []
    for name in ("first", "second", "third"):
        files.detach(["/bin/sh", "-c", "exit 0"], lock := files.take(str(tmp_path / name)))
        os.close(lock)
        started.append(files._detached[-1])
        with (tmp_path / name).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # until it has ended

    assert started[0] not in files._detached
    assert not os.path.exists(f"/proc/{started[0]}")

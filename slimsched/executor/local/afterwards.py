"""What follows a commit on a live cluster: those who wait hear of it, and somebody wakes for the next event."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from slimsched.executor.local import files
from slimsched.executor.local.executor import ROOT
from slimsched.executor.local.spec import report

WAIT = "import sys; sys.path.append(sys.argv.pop(1)); from slimsched.executor.local.waker import main; main()"
LISTENERS = "waiting"  # the folder of the FIFOs of commands that wait


def tell(state: str, instant: int | None) -> None:
    """Ring for all who wait, and see to it that somebody wakes at the instant of the next event, if there is one."""
    ring(state)
    if instant is not None:
        _wake_at(state, instant)


def _wake_at(state: str, instant: int) -> None:
    instant = max(instant, int(time.time()) + 1)
    lock = files.take(os.path.join(state, "waker.lock"))
    if lock < 0:
        files.nudge(os.path.join(state, "waker"), b"%d\n" % instant)
        return
    try:
        with suppress(FileExistsError):
            os.mkfifo(os.path.join(state, "waker"), 0o600)
        files.detach(
            [sys.executable, "-I", "-S", "-c", WAIT, ROOT, state, str(instant), json.dumps(report(state))], lock
        )
    finally:
        os.close(lock)


def ring(state: str) -> None:
    """Tell every command that waits that something was committed; forget those that have gone."""
    folder = os.path.join(state, LISTENERS)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if not files.nudge(path):
            with suppress(OSError):
                os.unlink(path)


@contextmanager
def listening(state: str) -> Iterator[int]:
    """Yield a descriptor that can be read from once something was committed."""
    folder = os.path.join(state, LISTENERS)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    path = os.path.join(folder, str(os.getpid()))
    with suppress(FileNotFoundError):
        os.unlink(path)
    os.mkfifo(path, 0o600)
    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)
        with suppress(FileNotFoundError):
            os.unlink(path)


def heard(fd: int, seconds: float) -> bool:
    """Wait until something was committed, at most for so many seconds; whether it was."""
    if not select.select([fd], [], [], seconds)[0]:
        return False
    with suppress(BlockingIOError):
        os.read(fd, 4096)
    return True

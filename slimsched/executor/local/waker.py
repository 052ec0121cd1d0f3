"""The waker: the one process of a live cluster that sleeps until the next event. Standard library only.

waker.py STATE INSTANT COMMITTED WORDS LOCK: at the instant it becomes the command WORDS (JSON), which starts another
waker if there is another event. It holds ``waker.lock`` meanwhile. Through the FIFO ``waker`` it hears of later
commits, a line for each: the commit's number and the instant of the next event, 0 if there is none. Then it ends.
"""

from __future__ import annotations

import os
import select
import sys
import time

from slimsched.executor.local import files, plain_json
from slimsched.executor.local.supervisor import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

LONGEST = 60.0
"""Seconds after which it looks whether the cluster is still there, and what the clock says."""


def main() -> NoReturn:
    """Sleep, then tell the cluster."""
    state, words, lock = sys.argv[1], sys.argv[4], int(sys.argv[5])
    latest = int(sys.argv[3]), int(sys.argv[2])
    os.set_inheritable(lock, False)
    os.chdir("/")
    fifo = os.open(os.path.join(state, files.WAKER), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    mine = os.fstat(lock).st_ino
    while (left := latest[1] - time.time()) > 0:
        if not _is(os.path.join(state, files.WAKER_LOCK), mine):
            os._exit(0)
        select.select([fifo], [], [], min(left, LONGEST))
        latest = max(latest, _news(fifo))
        if not latest[1]:
            files.release(lock)
            if not (news := _news(fifo))[1]:
                os._exit(0)  # whoever writes now finds the lock free
            latest = max(latest, news)
            if not files.retake(lock):
                break  # whoever has it does not know what we have heard
    tell(plain_json.loads(words), state, files.DUE)


def _news(fifo: int) -> tuple[int, int]:
    """Return the latest commit that was told of and the instant of its next event; zeros if there is none."""
    try:
        lines = os.read(fifo, 65536).split(b"\n")
    except BlockingIOError:
        return 0, 0
    pairs = (line.split() for line in lines if line)
    return max(((int(committed), int(due)) for committed, due in pairs), default=(0, 0))


def _is(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False

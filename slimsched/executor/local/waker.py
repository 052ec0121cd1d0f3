"""The waker: the one process of a live cluster that sleeps until the next event. Standard library only.

waker.py STATE INSTANT WORDS LOCK: at the instant it becomes the command WORDS (JSON), which starts another waker if
there is another event. It holds ``waker.lock`` meanwhile; an earlier instant comes through the FIFO ``waker``.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import NoReturn

from slimsched.executor.local.supervisor import tell

LONGEST = 60.0
"""Seconds after which it looks whether the cluster is still there, and what the clock says."""


def main() -> NoReturn:
    """Sleep, then tell the cluster."""
    state, at, words, lock = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3]), int(sys.argv[4])
    os.set_inheritable(lock, False)
    fifo = os.open(os.path.join(state, "waker"), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    mine = os.fstat(lock).st_ino
    while (left := at - time.time()) > 0:
        if not _is(os.path.join(state, "waker.lock"), mine):
            os._exit(0)
        if select.select([fifo], [], [], min(left, LONGEST))[0]:
            at = min(at, *(float(line) for line in os.read(fifo, 4096).split()))
    tell(words, state)


def _is(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False

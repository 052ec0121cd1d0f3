"""The work after a commit on a live cluster: those who wait hear of it, and somebody wakes for the next event."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from slimsched.executor.local import files, plain_json
from slimsched.executor.local.executor import ROOT
from slimsched.executor.local.spec import report
from slimsched.state.files import refuse_links

WAIT = "import sys; sys.path.append(sys.argv.pop(1)); from slimsched.executor.local.waker import main; main()"
LISTENERS = "waiting"  # the folder of the FIFOs of commands that wait
HIDDEN = "."  # what the name of one begins with that is about to wait


def tell(state: str, instant: int | None, committed: int) -> None:
    """Ring for all who wait, and see to it that somebody wakes at the instant of the next event.

    ``instant``: None if there is none, and nobody need be awake; ``committed``: when that was so, as a number that
    grows from commit to commit.
    """
    ring(state)
    due = max(instant, int(time.time()) + 1) if instant is not None else 0
    for _ in range(files.TRIES):
        if not (_told(state, due, committed) if due else _dismissed(state, committed)):
            time.sleep(files.TRY_AGAIN)
            continue
        return


def _told(state: str, due: int, committed: int) -> bool:
    """Tell the waker of an instant, or start one; false if it has just begun or ended, and cannot hear."""
    lock = files.take(os.path.join(state, files.WAKER_LOCK))
    if lock < 0:
        return _heard(state, due, committed)
    try:
        with suppress(FileExistsError):
            os.mkfifo(os.path.join(state, files.WAKER), 0o600)
        words = [state, str(due), str(committed), plain_json.dumps(report(state))]
        files.detach([sys.executable, "-I", "-S", "-c", WAIT, ROOT, *words], lock)
    finally:
        os.close(lock)
    return True


def _heard(state: str, due: int, committed: int) -> bool:
    """Write to the waker; a waker that goes lets go of its lock before it listens for the last time."""
    return files.nudge(os.path.join(state, files.WAKER), b"%d %d\n" % (committed, due)) and files.held(
        os.path.join(state, files.WAKER_LOCK)
    )


def _dismissed(state: str, committed: int) -> bool:
    """Tell the waker, if there is one, that there is nothing to wait for."""
    return not files.held(os.path.join(state, files.WAKER_LOCK)) or _heard(state, 0, committed)


def ring(state: str) -> None:
    """Tell every command that waits that something was committed; forget those that have gone."""
    folder = os.path.join(state, LISTENERS)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith(HIDDEN) and not files.nudge(path):
            with suppress(OSError):
                os.unlink(path)


@contextmanager
def listening(state: str) -> Iterator[int]:
    """Yield a descriptor that can be read from once something was committed."""
    folder = os.path.join(state, LISTENERS)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    refuse_links(folder)
    path, unheard = (os.path.join(folder, name.format(os.getpid())) for name in ("{}", HIDDEN + "{}"))
    with suppress(FileNotFoundError):
        os.unlink(unheard)
    os.mkfifo(unheard, 0o600)
    fd = os.open(unheard, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    os.replace(unheard, path)  # nobody rings for a FIFO that is not open yet, and forgets it
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

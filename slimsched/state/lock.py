"""The lock that stands for the daemon: writers one at a time, readers together.

`flock` is not fair: readers that overlap would keep a writer out for ever. A writer that has to wait therefore holds
a second file meanwhile, the turnstile, which every reader goes through before it takes the lock. A process that
reads must not begin to read once more before it has ended: a writer may be waiting in between.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from slimsched.state import files, layout

PATIENCE = 3.0
"""Seconds of waiting after which `told` is called."""

told: Callable[[str], None] | None = None
"""The function that gets, once and from another thread, the lock a command waits for; `cli.app` sets it."""


@contextmanager
def held(folder: str, *, exclusive: bool) -> Iterator[None]:
    """Hold the state directory's lock, waiting for it; Control-C ends the wait.

    A reader that may not write the directory, and finds no lock file there, reads without a lock.
    """
    path = layout.lock(folder)
    with files.explained(path):
        fd = _open(path, exclusive)
    try:
        if fd >= 0:
            with files.explained(path):
                (_write_lock if exclusive else _read_lock)(fd, path, layout.turnstile(folder))
        yield
    finally:
        if fd >= 0:
            os.close(fd)  # also unlocks


def _write_lock(fd: int, path: str, turnstile: str) -> None:
    if _at_once(fd, fcntl.LOCK_EX):
        return
    turn = files.open_file(turnstile, os.O_RDWR | os.O_CREAT)
    try:
        with _telling(path):
            fcntl.flock(turn, fcntl.LOCK_EX)
            fcntl.flock(fd, fcntl.LOCK_EX)
    finally:
        os.close(turn)


def _read_lock(fd: int, path: str, turnstile: str) -> None:
    try:
        turn = files.open_file(turnstile, os.O_RDONLY)
    except (FileNotFoundError, PermissionError):  # no writer has ever had to wait, or we may not write here
        turn = -1
    try:
        if (turn < 0 or _at_once(turn, fcntl.LOCK_SH)) and _at_once(fd, fcntl.LOCK_SH):
            return
        with _telling(path):
            if turn >= 0:
                fcntl.flock(turn, fcntl.LOCK_SH)
                fcntl.flock(turn, fcntl.LOCK_UN)
            fcntl.flock(fd, fcntl.LOCK_SH)
    finally:
        if turn >= 0:
            os.close(turn)


def _at_once(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _telling(path: str) -> Iterator[None]:
    """Print which lock the command waits for, if it waits long."""
    from threading import Timer

    timer = Timer(PATIENCE, told or _nobody, (path,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _nobody(_path: str) -> None:
    """Tell nobody."""


def busy(folder: str) -> bool:
    """Whether a writer holds the lock at this moment."""
    fd = files.open_file(layout.lock(folder), os.O_RDONLY)
    try:
        return not _at_once(fd, fcntl.LOCK_SH)
    finally:
        os.close(fd)


def _open(path: str, exclusive: bool) -> int:
    try:
        return files.open_file(path, os.O_RDWR | os.O_CREAT if exclusive else os.O_RDONLY)
    except FileNotFoundError:
        if exclusive:
            raise
    try:
        return files.open_file(path, os.O_RDWR | os.O_CREAT)
    except OSError as fault:
        if fault.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
            return -1
        raise

"""The lock that stands for the daemon: writers one at a time, readers together."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from slimsched.state import files, layout


@contextmanager
def held(folder: str, *, exclusive: bool) -> Iterator[None]:
    """Hold the state directory's lock, waiting for it silently; Control-C ends the wait.

    A reader of a directory that it may not write, and that has no lock file, goes without: nobody can write there.
    """
    path = layout.lock(folder)
    with files.explained(path):
        fd = _open(path, exclusive)
        if fd >= 0:
            fcntl.flock(fd, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
    try:
        yield
    finally:
        if fd >= 0:
            os.close(fd)  # also unlocks


def busy(folder: str) -> bool:
    """Whether a writer holds the lock at this moment."""
    fd = files.open_file(layout.lock(folder), os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


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

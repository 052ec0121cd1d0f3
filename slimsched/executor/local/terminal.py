"""The terminal of ``srun --pty``: a new one for the task, and the user's own that passes on every key."""

from __future__ import annotations

import os
import sys
import termios
from typing import Any

_before: list[tuple[int, list[Any]]] = []


def opened() -> tuple[int, int]:
    """Return a new terminal, the task's side and ours; the user's own one is raw from now on, see `restore`."""
    ours, theirs = os.openpty()
    for fd in (ours, theirs):
        os.set_inheritable(fd, False)
    if os.isatty(0):
        termios.tcsetwinsize(theirs, termios.tcgetwinsize(0))
        make_raw()
    return theirs, ours


def make_raw() -> None:
    """Let the user's terminal, if there is one, pass on every key, until `restore`."""
    if os.isatty(0):
        import tty

        _before.append((0, termios.tcgetattr(0)))
        sys.stdout.flush()
        tty.setraw(0)


def resize(fd: int) -> None:
    """Give a terminal the size that the user's own has now."""
    try:
        termios.tcsetwinsize(fd, termios.tcgetwinsize(0))
    except OSError:  # it is closed
        return


def restore() -> None:
    """Make the user's terminal as it was."""
    while _before:
        fd, state = _before.pop()
        termios.tcsetattr(fd, termios.TCSADRAIN, state)

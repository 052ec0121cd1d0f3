"""The log of the commands that a cluster received: JSON lines, written only while the file is there.

The journal tells what changed. A look changes nothing, and who tests a client wants to see its looks too, with
their arguments: hence a file of its own, for those who switch it on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from slimsched.errors import StateError
from slimsched.state import files, formats, layout
from slimsched.text.utf8 import readable


class Call(msgspec.Struct):
    """One command line: the instant (seconds since 1970, by the system's clock), process, directory and words."""

    time: float
    pid: int
    cwd: str
    command: str
    args: list[str]


def switch_on(folder: str, *, anew: bool = False) -> None:
    """Begin a log, or continue the existing one; ``anew`` empties it."""
    if anew or not files.kind(layout.calls(folder)):
        files.create(layout.calls(folder), b"")


def switch_off(folder: str) -> None:
    """Remove the log."""
    if files.kind(layout.calls(folder)):
        files.remove_tree(layout.calls(folder))


def note(folder: str, command: str, args: Sequence[str]) -> None:
    """Add a line to the log in one write, so that lines of several processes do not mix; do nothing without a log."""
    path = layout.calls(folder)
    cwd = ""
    with suppress(FileNotFoundError):  # the directory is gone
        cwd = readable(os.getcwd())
    call = Call(time.time(), os.getpid(), cwd, command, [readable(word) for word in args])
    with files.explained(path):
        try:
            fd = files.open_file(path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            return
        try:
            files.write_all(fd, msgspec.json.encode(call) + b"\n")
        finally:
            os.close(fd)


def read(folder: str) -> list[Call] | None:
    """Return the calls, oldest first; ``None`` without a log. An incomplete last line is left out."""
    path = layout.calls(folder)
    data = files.read(path)
    if data is None:
        return None
    try:
        return [msgspec.json.decode(line, type=Call) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    except formats.UNREADABLE as problem:
        raise StateError(path, f"is damaged: {problem}", "run: sim calls --clear") from problem

"""Input and output of the tasks of a step. Standard library only.

A task writes into a pipe; `Source` reads it and writes whole lines to where they go (`Sink`), with the task's number
ahead of each if they are labelled. The standard input of ``srun`` goes to all tasks that take it (`Feed`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

CHUNK = 65536


class Sink:
    """Where lines go: a descriptor. ``width``: that of the labels, 0 for none; ``whole``: lines are kept whole."""

    def __init__(self, fd: int, width: int = 0, *, whole: bool = True) -> None:
        self.fd, self.width, self.whole = fd, width, whole

    def put(self, rank: int, data: bytes) -> None:
        """Write lines of a task."""
        if self.width:
            label = b"%*d: " % (self.width, rank)
            data = b"".join(label + line + b"\n" for line in data.removesuffix(b"\n").split(b"\n"))
        write_all(self.fd, data)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it; nobody may listen any more."""
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:
            writable(fd)
        except OSError:
            return


def writable(fd: int, seconds: float | None = None) -> bool:
    """Wait until a descriptor can be written to, and whatever its number is; whether that is so."""
    import select

    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(None if seconds is None else 1000 * seconds))


class Source:
    """The pipe that a task writes into. ``hear``: hears of it too; ``stream``: 1 for output, 2 for errors."""

    def __init__(self, fd: int, rank: int, sink: Sink, stream: int, hear: Callable[[int, int, bytes], None]) -> None:
        self.fd, self.rank, self.sink, self.stream, self.hear = fd, rank, sink, stream, hear
        self.rest = b""

    def read(self) -> bool:
        """Pass on what is there; false at the end."""
        try:
            data = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return True
        except OSError:  # a terminal whose other side is closed
            data = b""
        if not data or not (self.sink.whole or self.sink.width):
            found, self.rest = self.rest + data, b""
        else:
            lines, end, rest = (self.rest + data).rpartition(b"\n")
            found, self.rest = lines + end, rest
        if found:
            self.sink.put(self.rank, found)
            self.hear(self.rank, self.stream, found)
        return bool(data)


class Feed:
    """A standard input that goes to several tasks, each through a pipe of its own."""

    def __init__(self, fd: int, pipes: list[int]) -> None:
        self.fd, self.left = fd, dict.fromkeys(pipes, b"")
        self.over = False

    @property
    def hungry(self) -> bool:
        """Whether more is to be read: every task has taken what there was."""
        return not self.over and bool(self.left) and not any(self.left.values())

    @property
    def full(self) -> list[int]:
        """The pipes that data waits for."""
        return [pipe for pipe, data in self.left.items() if data]

    def read(self) -> None:
        """Take in what is there."""
        try:
            data = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.over = not data
        self.add(data, list(self.left))

    def add(self, data: bytes, pipes: Iterable[int]) -> None:
        """Pass on data to some pipes."""
        for pipe in pipes:
            if pipe in self.left:
                self.left[pipe] += data
                self.write(pipe)

    def write(self, pipe: int) -> None:
        """Pass on what waits for a pipe; close it at the end."""
        try:
            if self.left[pipe]:
                self.left[pipe] = self.left[pipe][os.write(pipe, self.left[pipe]) :]
        except BlockingIOError:
            return
        except OSError:
            self.close(pipe)
            return
        if self.over and not self.left[pipe]:
            self.close(pipe)

    def close(self, pipe: int) -> None:
        """Let a task have no more."""
        if self.left.pop(pipe, None) is not None:
            os.close(pipe)

"""Those who follow a step (``sattach``): they get all that its tasks have said, and say, and may give them input.

Standard library only. A follower makes two FIFOs in the step's folder, ``NAME`` and ``NAME.in``, and then asks for
the order ``attach``. Into the first goes a line ``RANK STREAM LENGTH`` ahead of so many bytes (STREAM 1: output,
2: errors, 0: the status of a task that has ended), once everything behind `HELLO`; what comes out of the second goes
to the tasks. A FIFO that is closed is the end.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable, Iterator

from slimsched.executor.local import files
from slimsched.executor.local.streams import writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json

CHUNK = 65536
HELLO = b"-1 0 0\n"
EVERY = -1  # instead of a rank: all tasks
NOBODY = range(0)
STATUS, OUTPUT, ERRORS = 0, 1, 2
PATIENCE = 1.0
"""Seconds that a follower has to take the rest when the step ends."""


Said = tuple[int, int, bytes]
"""Rank, stream, and what a task said there."""


def _frame(said: Said, tasks: range) -> bytes:
    """Return what a follower of some tasks is sent, nothing for another one."""
    rank, stream, data = said
    return b"%d %d %d\n" % (rank - tasks.start, stream, len(data)) + data if rank in tasks else b""


class Followers:
    """The side of ``srun``. ``poll``: where descriptors are registered that it waits for."""

    def __init__(self, poll: select.poll) -> None:
        self.poll = poll
        self.waiting: dict[int, bytes] = {}  # descriptor of a follower -> what it has not taken
        self.tasks: dict[int, range] = {}  # descriptor of a follower -> the ranks that it follows, the first its 0
        self.inputs: dict[int, range] = {}  # descriptor of a follower's input -> the ranks that it goes to

    def join(self, folder: str, order: Json, said: Iterable[Said], tasks: range) -> None:
        """Let a follower have what was said so far by some tasks, and what follows."""
        place = files.path(folder, os.path.basename(str(order["name"])))
        flags = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            fd = os.open(place, os.O_WRONLY | flags)
            typed = os.open(f"{place}.in", os.O_RDONLY | flags)
        except OSError:  # it has gone
            return
        to = int(order["to"])
        self.inputs[typed] = tasks if to == EVERY else tasks[to : to + 1]
        self.tasks[fd] = tasks
        self.poll.register(typed, select.POLLIN)
        self.waiting[fd] = HELLO
        self._send(fd, b"".join(_frame(one, tasks) for one in said))

    def tell(self, said: Said) -> None:
        """Send to all what a task has said, or how it has ended."""
        for fd in list(self.waiting):
            if data := _frame(said, self.tasks[fd]):
                self._send(fd, data)

    def knows(self, fd: int) -> bool:
        """Whether a descriptor is that of a follower."""
        return fd in self.waiting or fd in self.inputs

    def _send(self, fd: int, data: bytes) -> None:
        """Write what a follower takes; for the rest it is waited."""
        waited, rest = bool(self.waiting[fd]), self.waiting[fd] + data
        try:
            while rest:
                rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            self.poll.register(fd, select.POLLOUT)
        except OSError:
            self._drop(fd)
            return
        self.waiting[fd] = rest
        if waited and not rest:
            self._ignore(fd)

    def ready(self, fd: int) -> tuple[range, bytes]:
        """Do what a descriptor is ready for; return the ranks that data is for, and the data."""
        if fd in self.waiting:
            self._send(fd, b"")
            return NOBODY, b""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return NOBODY, b""
        ranks = self.inputs[fd]
        if not data:
            del self.inputs[fd]
            self._ignore(fd)
            os.close(fd)
        return ranks, data

    def _ignore(self, fd: int) -> None:
        try:
            self.poll.unregister(fd)
        except (KeyError, ValueError):
            return

    def _drop(self, fd: int) -> None:
        del self.waiting[fd], self.tasks[fd]
        self._ignore(fd)
        os.close(fd)

    def close(self) -> None:
        """Send what is left, and the end."""
        until = time.monotonic() + PATIENCE
        while late := [fd for fd, rest in self.waiting.items() if rest]:
            if not writable(late[0], max(0.0, until - time.monotonic())):
                break
            self._send(late[0], b"")
        for fd in [*self.waiting, *self.inputs]:
            os.close(fd)
        self.waiting, self.inputs = {}, {}


class Following:
    """The side of the follower of a step's folder. ``to``: the rank that its input goes to, or `EVERY`."""

    def __init__(self, folder: str, to: int) -> None:
        self.folder, self.to = folder, to
        self.place = files.path(folder, f"attach-{os.getpid()}")
        self.rest = b""
        self.greeted = False  # whether the step has answered

    def frames(self) -> Iterator[Said]:
        """Yield rank, stream and data until the step ends; nothing at all if it did not answer."""
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        for path in (self.place, f"{self.place}.in"):
            os.mkfifo(path, 0o600)
        ours, theirs = os.open(self.place, os.O_RDONLY | flags), os.open(f"{self.place}.in", os.O_RDWR | flags)
        try:
            files.order(self.folder, {"do": "attach", "name": os.path.basename(self.place), "to": self.to})
            yield from self._read(ours, theirs)
        finally:
            for fd in (ours, theirs):
                os.close(fd)
            for path in (self.place, f"{self.place}.in"):
                try:
                    os.unlink(path)
                except OSError:  # with the folder of the step
                    continue

    def _read(self, ours: int, theirs: int) -> Iterator[Said]:
        typing = [0]
        while True:
            ready = select.select([ours, *typing], [], [], None if self.greeted else 0.1)[0]
            if 0 in ready and not self._type(theirs):
                typing = []
            if ours in ready:
                data = os.read(ours, CHUNK)
                if data:
                    self.greeted = True
                    yield from self._frames(data)
                elif self.greeted:
                    return
            if not self.greeted and not files.held(files.path(self.folder, "lock")):
                return

    def _type(self, theirs: int) -> bool:
        """Pass on what was typed; false at its end."""
        try:
            data = os.read(0, CHUNK)
        except OSError:
            return False
        while data:
            try:
                data = data[os.write(theirs, data) :]
            except BlockingIOError:
                writable(theirs)
            else:
                if not data:
                    return True
        return False

    def _frames(self, data: bytes) -> Iterator[Said]:
        """Yield what is whole by now."""
        self.rest += data
        while b"\n" in self.rest:
            head, _, body = self.rest.partition(b"\n")
            rank, stream, size = map(int, head.split())
            if len(body) < size:
                return
            self.rest = body[size:]
            if rank >= 0:
                yield rank, stream, body[:size]

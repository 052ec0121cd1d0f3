"""The loopback socket of ``sim wiki serve``: one request for each connection, the connections side by side.

A connection has one deadline for its request and one for the answer. The oldest connection is dropped when there are
too many, so a slow or silent peer does not make others wait. Requests are answered one after the other.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic

from slimsched.sched.wiki import message

HOST = "127.0.0.1"
PATIENCE = 10.0
"""Seconds that a scheduler may take for a whole request, and as many again to read the answer."""

MOST_OPEN = 100
"""Connections at a time."""

_PIECE = 1 << 16


class Connection:
    """One scheduler's connection: the text received, the text still to be sent, and its deadline."""

    def __init__(self, link: socket.socket, deadline: float) -> None:
        self.link = link
        self.deadline = deadline
        self.heard = bytearray()
        self.left = b""

    def request(self) -> bytes | None:
        """Read what has arrived; return a complete body. Raises `ConnectionError` for an invalid message."""
        piece = self.link.recv(_PIECE)
        self.heard += piece
        if len(self.heard) >= message.HEAD:
            size = message.size_of(bytes(self.heard[: message.HEAD]))
            if size is None:
                raise ConnectionAbortedError
            if len(self.heard) >= message.HEAD + size:
                return bytes(self.heard[message.HEAD : message.HEAD + size])
        if not piece:
            raise ConnectionAbortedError
        return None

    def send(self) -> bool:
        """Send what can be sent at present; return whether that was the last of it."""
        self.left = self.left[self.link.send(self.left) :]
        return not self.left


def serve(port: int, most: int | None, answer: Callable[[bytes], bytes], listening: Callable[[str], None]) -> None:
    """Answer ``most`` connections, or without end; ``listening`` gets the address first."""
    with socket.create_server((HOST, port), backlog=MOST_OPEN) as server, selectors.DefaultSelector() as selector:
        server.setblocking(False)
        listening(f"{HOST}:{server.getsockname()[1]}")
        _Server(server, selector, most, answer).run()


class _Server:
    def __init__(
        self,
        server: socket.socket,
        selector: selectors.BaseSelector,
        most: int | None,
        answer: Callable[[bytes], bytes],
    ) -> None:
        self.server, self.selector, self.most, self.answer = server, selector, most, answer
        self.open: dict[Connection, None] = {}  # the oldest first
        self.answering = 0.0  # seconds spent on answers, in which no connection was read
        selector.register(server, selectors.EVENT_READ)

    def run(self) -> None:
        try:
            while self.most != 0 or self.open:
                for key, _ in self.selector.select(self._wait()):
                    if key.data is None:
                        self._accept()
                    elif key.data in self.open:
                        self._go_on(key.data)
                for late in list(self._late()):
                    self._drop(late)
        finally:
            for connection in list(self.open):
                self._drop(connection)

    def _now(self) -> float:
        return monotonic() - self.answering

    def _wait(self) -> float | None:
        earliest = min((connection.deadline for connection in self.open), default=None)
        return None if earliest is None else max(0.0, earliest - self._now())

    def _late(self) -> Iterator[Connection]:
        now = self._now()
        return (connection for connection in self.open if connection.deadline <= now)

    def _accept(self) -> None:
        try:
            link, _ = self.server.accept()
        except OSError:
            return  # this peer has gone; the next one may still be there
        link.setblocking(False)
        connection = Connection(link, self._now() + PATIENCE)
        self.open[connection] = None
        self.selector.register(link, selectors.EVENT_READ, connection)
        if len(self.open) > MOST_OPEN:
            self._drop(next(iter(self.open)))
        if self.most is not None:
            self.most -= 1
            if self.most == 0:
                self.selector.unregister(self.server)

    def _go_on(self, connection: Connection) -> None:
        try:
            if connection.left:
                if connection.send():
                    self._drop(connection)
                return
            body = connection.request()
            if body is not None:
                connection.left = self._answered(body)
                connection.deadline = self._now() + PATIENCE
                self.selector.modify(connection.link, selectors.EVENT_WRITE, connection)
        except BlockingIOError:
            return
        except OSError:
            self._drop(connection)

    def _answered(self, body: bytes) -> bytes:
        begun = monotonic()
        try:
            return self.answer(body)
        finally:
            self.answering += monotonic() - begun

    def _drop(self, connection: Connection) -> None:
        with suppress(KeyError):
            self.selector.unregister(connection.link)
        connection.link.close()
        del self.open[connection]

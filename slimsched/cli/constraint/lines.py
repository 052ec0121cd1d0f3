"""The loop of the JSON-lines interfaces: standard input to standard output, in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from slimsched.cli.app import Application

_CHUNK = 1 << 16


def run(app: Application, answer: Callable[[bytes], str]) -> None:
    """Answer every line of standard input; what has arrived is answered before more is waited for."""
    for lines in _batches(sys.stdin.buffer):
        app.out("".join(f"{answer(line)}\n" for line in lines), end="")
        sys.stdout.flush()


def _batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Yield the whole lines of each piece that the stream has ready, without their line ends."""
    started: list[bytes] = []  # pieces of a line whose end has not come yet
    while piece := stream.read1(_CHUNK):  # type: ignore[attr-defined]
        *whole, rest = piece.split(b"\n")
        if whole:
            whole[0] = b"".join(started) + whole[0]
            started = []
            yield whole
        if rest:
            started.append(rest)
    if started:
        yield [b"".join(started)]

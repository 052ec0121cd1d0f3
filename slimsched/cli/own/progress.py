"""The watcher of a long advance: a progress bar on a terminal, and a stop between two instants on an interrupt."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from slimsched.controller.schedule.event_loop import Watcher
    from slimsched.render.progress import Bar

PATIENCE = 0.5
"""Seconds of real time before a bar appears."""


@contextmanager
def watching(start: int, target: int | None) -> Iterator[Watcher]:
    """Yield the watcher of an advance from ``start`` to ``target`` (``None``: nobody knows how far).

    An interrupt stops the advance at the next instant, with the state whole; what was done until then is kept.
    """
    interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True

    bar = _LateBar(start, target) if sys.stderr.isatty() else None

    def watch(now: int) -> bool:
        if bar is not None:
            bar.show(now)
        return not interrupted

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield watch
    finally:
        signal.signal(signal.SIGINT, before)
        if bar is not None:
            bar.close()


class _LateBar:
    """A bar that appears once the advance has taken a while."""

    def __init__(self, start: int, target: int | None) -> None:
        self._start, self._target = start, target
        self._began = time.monotonic()
        self._bar: Bar | None = None

    def show(self, now: int) -> None:
        if self._bar is None and time.monotonic() - self._began > PATIENCE:
            from slimsched.render.progress import Bar

            self._bar = Bar(self._start, self._target)
        if self._bar is not None:
            self._bar.show(now)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

"""Long work: a progress bar on a terminal, and a stop between two steps after an interrupt."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

INTERRUPTED = 130
"""The exit status of work that an interrupt has stopped."""

PATIENCE = 0.5
"""Seconds of real time before a bar appears, and a fifth of it between two of its changes."""


class Bar(Protocol):
    """A progress bar on the screen."""

    def show(self, done: int, /) -> None:
        """Move on to where the work is."""

    def close(self) -> None:
        """Remove the bar from the screen."""


@contextmanager
def watching(make: Callable[[], Bar]) -> Iterator[Callable[[int], bool]]:
    """Yield what the work calls with where it is, and which says whether to go on; ``make``: its bar.

    An interrupt stops the work at the next step. The state is consistent, and what was done until then is kept.
    """
    interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True

    bar = _LateBar(make) if sys.stderr.isatty() else None

    def watch(done: int) -> bool:
        if bar is not None:
            bar.show(done)
        return not interrupted

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield watch
    finally:
        signal.signal(signal.SIGINT, before)
        if bar is not None:
            bar.close()


class _LateBar:
    """A bar that appears once the work has taken a while."""

    def __init__(self, make: Callable[[], Bar]) -> None:
        self._make, self._next = make, time.monotonic() + PATIENCE
        self._bar: Bar | None = None

    def show(self, done: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PATIENCE / 5
        if self._bar is None:
            self._bar = self._make()
        self._bar.show(done)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

"""Running code of other packages: whatever it does, its caller gets an answer or a `PluginError`.

Its output goes to standard error. Its own processor time is limited: every `TICK` a timer looks whose code is running,
and only what falls into the package's counts, so a call is never interrupted while it is inside of the toolkit. The
timer is a signal of the main thread; a call from another thread has no limit, and neither has a loop inside of a C
function (``sum(itertools.count())``), which Python does not interrupt.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from slimsched.errors import PluginError, PluginFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

MOST_SECONDS = 10.0
"""Processor time that one call may use in code of its package."""

TICK = 0.05
OURS = os.path.dirname(__file__) + os.sep
LIBRARY = os.path.dirname(os.__file__) + os.sep


class Overrun(BaseException):
    """A call ran for too long; no ``except Exception`` of the package catches it."""


class Deadline:
    """A limit that ends the code inside it with `Overrun`; nested ones each count their own time."""

    def __enter__(self) -> None:
        self._spent = 0.0
        try:
            self._handler = signal.signal(signal.SIGVTALRM, self._tick)
        except ValueError:  # not the main thread
            self._timer = None
        else:
            self._timer = signal.setitimer(signal.ITIMER_VIRTUAL, TICK, TICK)

    def __exit__(self, *fault: object) -> None:
        if self._timer is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, *self._timer)
            signal.signal(signal.SIGVTALRM, self._handler)

    def _tick(self, number: int, frame: FrameType | None) -> None:
        while frame is not None and _is_library(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None or frame.f_code.co_filename.startswith(OURS):
            return
        self._spent += TICK
        if self._spent >= MOST_SECONDS:
            raise Overrun(f"still running after {MOST_SECONDS:g} s of processor time")


def _is_library(file: str) -> bool:
    """Whether a file belongs to Python itself, whose time counts for its caller."""
    return file.startswith("<frozen ") or (file.startswith(LIBRARY) and "site-packages" not in file)


def run(
    label: str, function: Callable[..., Any], *arguments: Any, refusals: tuple[type[BaseException], ...] = ()
) -> Any:
    """Return what ``function`` returns.

    It may raise `PluginError` and its ``refusals``. Raises `PluginFault` with the ``label`` ahead of its text for
    anything else: for SystemExit too, but not for the user's KeyboardInterrupt.
    """
    try:
        with redirect_stdout(sys.stderr), Deadline():
            return function(*arguments)
    except (PluginError, KeyboardInterrupt):
        raise
    except refusals:
        raise
    except BaseException as fault:
        raise PluginFault(f"{label}: {described(fault)}") from fault


def described(fault: BaseException) -> str:
    """Return the type and the text of an exception."""
    try:
        text = str(fault)
    except Exception:
        text = "(without a text)"
    return f"{type(fault).__name__}: {text}".encode("utf-8", "backslashreplace").decode()

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from slimsched.replay import driver


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], AbstractContextManager[None]]:
    """A context in which a replay meets Control-C when it has collected its rows so many times."""

    @contextmanager
    def after(times: int) -> Iterator[None]:
        real, told = driver.Replay._collect, []

        def collect(self: driver.Replay) -> None:
            real(self)
            told.append(1)
            if len(told) == times:
                os.kill(os.getpid(), signal.SIGINT)

        with monkeypatch.context() as patch:
            patch.setattr(driver.Replay, "_collect", collect)
            yield

    return after

"""Fixtures of the state tests: jobs, a state directory, and system calls that fail on demand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from world import add_job

from slimsched.model.job import Job
from slimsched.state import files
from slimsched.state.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@pytest.fixture
def submit(folder: str) -> Callable[..., Job]:
    """Submit one job in a session of its own."""

    def run(**fields: Any) -> Job:
        with Store.open(folder, write=True) as store:
            cluster = store.load()
            job = add_job(cluster, **fields)
            store.commit(cluster)
            return job

    return run


class Failing:
    """The module ``os`` with one call that fails: ``calls`` names it, ``skip`` counts those that go through before."""

    def __init__(self, calls: set[str], error: int, skip: int = 0) -> None:
        self.calls, self.error, self.skip = calls, error, skip

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self.calls:
            return real

        def call(*args: Any, **options: Any) -> Any:
            if self.skip:
                self.skip -= 1
                return real(*args, **options)
            raise OSError(self.error, os.strerror(self.error))

        return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    @contextmanager
    def run(*calls: str, error: int, skip: int = 0) -> Iterator[Failing]:
        with monkeypatch.context() as patch:
            made = Failing(set(calls), error, skip)
            patch.setattr(files, "os", made)
            yield made

    return run

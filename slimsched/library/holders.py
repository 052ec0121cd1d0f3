"""Where a `Cluster` of the library has its records: in this process, or in a state directory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from slimsched.controller.core import Controller
from slimsched.controller.requests import users
from slimsched.errors import SimError
from slimsched.model.cluster import Cluster
from slimsched.state import clock

if TYPE_CHECKING:
    from slimsched.model.config import Config
    from slimsched.model.job import Job


class Holder(ABC):
    """Keeps the records between two calls."""

    @abstractmethod
    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Controller]:
        """Yield the controller, brought up to date; afterwards the pass runs and the changes are kept (``write``)."""
        yield from ()

    @abstractmethod
    def ended(self) -> Iterable[Job]:
        """Return the jobs that have left the controller's memory, oldest first."""

    @abstractmethod
    def told(self) -> Iterator[Mapping[str, Any]]:
        """Yield what has happened since the cluster was made."""


class Memory(Holder):
    """A cluster in this process. What an error interrupts stays as far as it came."""

    def __init__(self, config: Config) -> None:
        clock.use_zone(config)
        self._ctl = Controller(Cluster(config, clock.beginning(config)))
        self._ended: list[Job] = []
        self._told: list[Mapping[str, Any]] = []

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Controller]:
        """Yield the controller."""
        try:
            yield self._ctl
        finally:
            self._ctl.settle()
            cluster = self._ctl.cluster
            self._ended += cluster.gone_jobs
            self._told += cluster.events
            forget(cluster)

    def ended(self) -> Iterable[Job]:
        """Return the jobs that were purged."""
        return self._ended

    def told(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events."""
        return iter(self._told)


class Directory(Holder):
    """A cluster in a state directory, which other processes may use between two calls."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Controller]:
        """Lock the directory, load the cluster, and write one commit afterwards; an error leaves it as it was."""
        from slimsched.state.store import Store

        with Store.open(self._folder, write=True) as store:
            self._store = store
            ctl = Controller(store.load(), store.data)
            try:
                ctl.catch_up()
                try:
                    yield ctl
                except SimError as error:
                    if not error.commits:
                        raise
                    self._commit(ctl)
                    raise
                if write:
                    self._commit(ctl)
            finally:
                ctl.shut_down(save=False)

    def _commit(self, ctl: Controller) -> None:
        ctl.settle()
        ctl.shut_down()
        ctl.cluster.origin = "library", users.invoking_name()
        self._store.commit(ctl.cluster)

    def ended(self) -> Iterable[Job]:
        """Return the archived jobs; to be asked within a session."""
        return self._store.archive.between()

    def told(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events of the journal; to be asked within a session."""
        for commit in self._store.history():
            yield from commit.events


def forget(cluster: Cluster) -> None:
    """Clear what is kept for a commit, where none is to come."""
    for written in (cluster.events, cluster.gone_jobs, cluster.dirty_jobs, cluster.dirty_nodes):
        written.clear()

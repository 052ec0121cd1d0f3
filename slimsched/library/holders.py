"""Where a `Cluster` of the library has its records: in this process, or in a state directory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from slimsched.controller.core import Controller
from slimsched.controller.requests import users
from slimsched.model.cluster import Cluster
from slimsched.state import clock
from slimsched.state.journal import History

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
    def news(self) -> Iterator[Mapping[str, Any]]:
        """Yield what has happened since the last call, or since the cluster was made; to be asked within a session."""


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

    def news(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events, which are kept until then."""
        told, self._told = self._told, []
        return iter(told)


class Directory(Holder):
    """A cluster in a state directory, which other processes may use between two calls."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known = History()

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Controller]:
        """Lock the directory, load the cluster, and write one commit afterwards; an error leaves it as it was."""
        from slimsched.state.store import Store

        with ExitStack() as afterwards, Store.open(self._folder, write=True) as store:
            self._store = store
            ctl = Controller.load(store)
            afterwards.callback(ctl.follow_up)
            ctl.cluster.origin = "library", users.invoking_name()
            with ctl.session(write=write):
                yield ctl

    def ended(self) -> Iterable[Job]:
        """Return the archived jobs; to be asked within a session."""
        return self._store.archive.between()

    def news(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events of the journal behind those that were read."""
        for commit in self._store.history(self._known):
            yield from commit.events


def forget(cluster: Cluster) -> None:
    """Clear what is kept for a commit, where none is to come."""
    for written in (cluster.events, cluster.gone_jobs, cluster.dirty_jobs, cluster.dirty_nodes):
        written.clear()

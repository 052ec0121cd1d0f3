"""The state directory as commands use it: open under the lock, load a `Cluster`, commit what changed."""

from __future__ import annotations

import gc
import os
from binascii import crc32
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import msgspec

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.model.node import NodeState
from slimsched.state import clock, config, exchange, files, formats, journal, layout, lock, snapshot
from slimsched.state.archive import Archive
from slimsched.state.records import Historic, Recorded

_SMALL = 1 << 17  # bytes of journal that are cheaper to replay than a snapshot is to write
_PART = 4  # a larger journal may have this part of the snapshot's size: its records are dearer to read


class Store:
    """One state directory, under its lock. `load` comes first; everything else works on what it found.

    ``archive``: the finished jobs; ``data``: the folder of the generation's files; ``made``: whether the user's own
    cluster was made just now, because there was none.
    """

    archive: Archive
    data: str

    def __init__(self, folder: str, *, made: bool = False) -> None:
        self.folder, self.made = folder, made
        self._scripts: set[str] = set()  # folders of scripts that were saved since the last commit

    @staticmethod
    def locate(option: str | None = None) -> str:
        """Return the directory's path: ``option`` (--state), SLIMSCHED_STATE, the platform's place."""
        return layout.locate(option)

    @classmethod
    @contextmanager
    def open(cls, option: str | None = None, *, write: bool = False) -> Iterator[Store]:
        """Lock the state directory (``write``: for this process alone); make the default cluster if there is none."""
        folder = layout.locate(option)
        made = False
        if not files.kind(layout.snapshot(folder)):
            from slimsched.state import setup  # once in the life of a cluster

            made = setup.ensure(folder)
        with lock.held(folder, exclusive=write):
            yield cls(folder, made=made)

    def load(self) -> Cluster:
        """Return the cluster as the last commit left it, at the present instant of its clock."""
        with _uncollected():
            image = self._read()
            conf, text = config.load(self.folder)
            clock.use_zone(conf)
            self._crc = crc32(text)
            changed = image.meta.config_crc != self._crc
            if changed:
                exchange.check_nodes(conf, image, layout.config(self.folder))
                image.partitions = {}
                image.meta.categories = {}
            cluster = exchange.cluster(conf, image)
        cluster.pass_due |= changed
        cluster.partitions_reset = changed
        return cluster

    def _read(self) -> snapshot.Image:
        """Read the snapshot and bring it up to date by the journal."""
        path = layout.snapshot(self.folder)
        data = files.read(path)
        if data is None:
            raise StateError(path, "is missing", formats.REBUILD)
        self._image = image = snapshot.unpack(path, data, whole=False)
        self._size = len(data)
        self.data = layout.data(self.folder, image.generation)
        files.refuse_links(self.data, *(os.path.join(self.data, kind) for kind in layout.KINDS))
        config.settle(self.folder, self.data)
        self._segment = journal.Segment(layout.journal(self.data, image.segment))
        self.archive = Archive(self.data)
        commits = self._segment.unread()
        try:
            journal.follow(image, commits)
        except formats.UNREADABLE:
            _explain(self.folder, self.data)
            raise
        image.jobs.explain = partial(_explain, self.folder, self.data)  # not of this store, which holds the jobs
        for commit in commits:
            self.archive.waiting += commit.gone
        return image

    def configure(self, conf: Config) -> list[StateError]:
        """Replace the configuration and keep the jobs; `StateError` if one of them needs a node that it lacks.

        Returns what failed after the new one was there.
        """
        with _uncollected():
            image = self._read()
        path = layout.config(self.folder)
        exchange.check_nodes(conf, image, path)
        try:
            config.write(path, conf)
        except files.Unsynced as fault:
            return [fault]
        return []

    def commit(self, cluster: Cluster) -> None:
        """Write what changed as one record, durably; then clear the cluster's marks."""
        commit = exchange.changes(cluster, self._image, self._crc)
        while self._scripts:
            files.sync(self._scripts.pop())
        if commit is not None:
            if self._image.format != formats.FORMAT:
                self._migrate()
            commit = self._append(commit)
            journal.apply(self._image, commit)
            self.archive.waiting += commit.gone
            if self._segment.size > max(self._size // _PART, _SMALL):
                # The commit itself is durable: a full disk here is met again, and reported, by a later commit.
                with suppress(StateError):
                    self.checkpoint()
        exchange.clear_marks(cluster)

    def _append(self, commit: Recorded) -> Recorded:
        """Write a commit and return it as it is written: without bytes of arguments that are no UTF-8."""
        try:
            self._segment.append(commit)
        except UnicodeEncodeError:
            from slimsched.text.utf8 import readable_values

            commit = msgspec.convert(readable_values(msgspec.to_builtins(commit)), Recorded)
            self._segment.append(commit)
        return commit

    def checkpoint(self) -> None:
        """Write a new snapshot and begin a new journal segment.

        `commit` does it when the journal has become large beside the snapshot, so that many commits share the cost.
        """
        self.archive.store()
        image = self._image
        following = journal.Segment(layout.journal(self.data, image.segment + 1))
        following.create()
        image.segment += 1
        data = snapshot.pack(image)
        try:
            files.replace(layout.snapshot(self.folder), data)
        except files.Unsynced:
            self._segment = following
            raise
        except StateError:
            image.segment -= 1
            raise
        self._segment = following
        self._size = len(data)

    def _migrate(self) -> None:
        """Bring a directory of an older format up to date; the old snapshot stays beside the new one."""
        path = layout.snapshot(self.folder)
        files.replace(f"{path}.format-{self._image.format}", files.read(path) or b"")
        self.checkpoint()
        self._image.format = formats.FORMAT

    def history(self, known: journal.History | None = None) -> Iterator[Historic]:
        """Yield what happened since the cluster was made, commit by commit; ``known``: of that, what is new to it."""
        return (known or journal.History()).more(self.data, self._image.segment)

    def node_history(self) -> Iterator[tuple[int, dict[str, NodeState]]]:
        """Yield instants and the nodes that changed then, since the cluster was made."""
        return journal.nodes(self.data, self._image.segment)

    def growth(self) -> tuple[object, ...]:
        """Return a value that changes with every commit, without reading the files; needs no lock."""
        found = []
        for path in (layout.snapshot(self.folder), self._segment.path):
            with suppress(OSError):
                status = os.stat(path)
                found.append((path, status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(found)

    # scripts

    def save_script(self, job_id: int, text: str) -> None:
        """Store a job's script; it counts from the commit with its job on."""
        path = layout.script(self.data, job_id)
        files.make_folder(os.path.dirname(path))
        files.refuse_links(os.path.dirname(path))
        files.create(path, text.encode("utf-8", "surrogateescape"), entered=False)
        self._scripts.add(os.path.dirname(path))

    def script(self, job_id: int) -> str | None:
        """Return a job's script, ``None`` if it has none."""
        path = layout.script(self.data, job_id)
        files.refuse_links(os.path.dirname(path))
        data = files.read(path)
        return None if data is None else data.decode("utf-8", "surrogateescape")


def _explain(folder: str, data: str) -> None:
    """Read every record: `StateError` says which one cannot be read."""
    path = layout.snapshot(folder)
    image = snapshot.unpack(path, files.read(path) or b"")
    journal.Segment(layout.journal(data, image.segment)).read()
    raise StateError(path, "is damaged: its head does not say where the jobs are", formats.REBUILD)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Turn the garbage collector off while records are made, because none of them is garbage.

    It would look through all of them several times, which for 5,000 jobs costs three times what decoding does.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()

"""The state directory as commands use it: open under the lock, load a `Cluster`, commit what changed."""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.state import clock, config, files, journal, layout, lock, setup, snapshot
from slimsched.state.archive import Archive
from slimsched.state.records import Commit, Meta, Recorded

_SMALL = 1 << 17  # bytes of journal that are cheaper to replay than a snapshot is to write


class Store:
    """One state directory, under its lock."""

    def __init__(self, folder: str, *, write: bool) -> None:
        self.folder = folder
        self.write = write
        self.image: snapshot.Image
        self.segment: journal.Segment
        self._crc = 0
        self._size = 0  # of the snapshot

    @staticmethod
    def locate(option: str | None = None) -> str:
        """Return the directory's path: ``option`` (--state), SLIMSCHED_STATE, the platform's place."""
        return layout.locate(option)

    @classmethod
    @contextmanager
    def open(cls, option: str | None = None, *, write: bool = False) -> Iterator[Store]:
        """Lock the state directory (``write``: for this process alone); make the default cluster if there is none."""
        folder = layout.locate(option)
        setup.ensure(folder)
        with lock.held(folder, exclusive=write):
            yield cls(folder, write=write)

    def load(self) -> Cluster:
        """Return the cluster as the last commit left it, at the present instant of its clock."""
        conf, text = config.load(self.folder)
        data = files.read(layout.snapshot(self.folder))
        if data is None:
            raise StateError(layout.snapshot(self.folder), "is missing", snapshot.REBUILD)
        self._size = len(data)
        self.image = image = snapshot.unpack(layout.snapshot(self.folder), data)
        self.data = layout.data(self.folder, image.generation)
        self.segment = journal.Segment(layout.journal(self.data, image.segment))
        self.archive = Archive(self.data)
        for commit in self.segment.read():
            journal.apply(image, commit)
            self.archive.waiting += commit.gone
        self._crc = crc32(text)
        return _cluster(conf, image, changed=image.meta.config_crc != self._crc)

    def commit(self, cluster: Cluster) -> None:
        """Write what changed as one record, durably; then clear the cluster's marks."""
        commit = self._changes(cluster)
        if commit is not None:
            self.segment.append(commit)
            journal.apply(self.image, commit)
            self.archive.waiting += commit.gone
            self._checkpoint()
        _clear(cluster)

    def _checkpoint(self) -> None:
        """Write a new snapshot once the journal outgrew the last one, so that its cost is shared by many commits.

        The commit itself is durable by now: a full disk here is met again, and reported, by a later commit.
        """
        if self.segment.size <= max(self._size, _SMALL):
            return
        with suppress(StateError):
            self._size = self._fold()

    def _fold(self) -> int:
        image, path = self.image, layout.snapshot(self.folder)
        self.archive.store()
        following = layout.journal(self.data, image.segment + 1)
        files.create(following, b"")
        image.segment += 1
        data = snapshot.pack(image)
        try:
            files.replace(path, data)
        except StateError:
            image.segment -= 1
            raise
        self.segment = journal.Segment(following)
        return len(data)

    def save_script(self, job_id: int, text: str) -> None:
        """Keep a job's script; it counts once a commit with the job followed."""
        path = layout.script(self.data, job_id)
        files.make_folder(os.path.dirname(path))
        files.create(path, text.encode("utf-8", "surrogateescape"))

    def script(self, job_id: int) -> str | None:
        """Return a job's script, ``None`` if it has none."""
        data = files.read(layout.script(self.data, job_id))
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def _changes(self, cluster: Cluster) -> Recorded | None:
        image = self.image
        jobs = [cluster.jobs[i] for i in sorted(cluster.dirty_jobs) if i in cluster.jobs]
        dropped = sorted({j.job_id for j in cluster.gone_jobs} | cluster.dirty_jobs)
        commit = Recorded(
            seq=image.seq + 1,
            meta=_meta(cluster, self._crc),
            users=dict(cluster.users) if cluster.users != image.users else None,
            jobs=jobs,
            dropped=[i for i in dropped if i not in cluster.jobs],
            gone=cluster.gone_jobs,
            nodes={n: cluster.nodes[cluster.node_index[n]].saved for n in sorted(cluster.dirty_nodes)},
            partitions={n: cluster.partitions.get(n) for n in sorted(cluster.dirty_partitions)},
            reservations={n: cluster.reservations.get(n) for n in sorted(cluster.dirty_reservations)},
            events=cluster.events,
        )
        before = Commit(seq=commit.seq, meta=image.meta)
        same = msgspec.json.encode(commit) == msgspec.json.encode(before)
        return None if same else commit


def _meta(cluster: Cluster, crc: int) -> Meta:
    return Meta(
        now=cluster.now,
        boot_time=cluster.boot_time,
        next_job_id=cluster.next_job_id,
        next_priority=cluster.next_priority,
        last_backfill=cluster.last_backfill,
        pass_due=cluster.pass_due,
        statistics=dict(cluster.statistics),
        epoch=dict(cluster.epoch),
        config_crc=crc,
    )


def _cluster(conf: Config, image: snapshot.Image, *, changed: bool) -> Cluster:
    meta = image.meta
    cluster = Cluster(conf, clock.present(conf, meta.now))
    cluster.boot_time = meta.boot_time
    cluster.next_job_id = meta.next_job_id
    cluster.next_priority = meta.next_priority
    cluster.last_backfill = meta.last_backfill
    cluster.pass_due = meta.pass_due or changed
    cluster.statistics = dict(meta.statistics)
    cluster.epoch = dict(meta.epoch)
    cluster.users = dict(image.users)
    cluster.jobs = image.jobs
    cluster.reservations = dict(image.reservations)
    for part in image.partitions.values():
        if part is not None:
            cluster.add_partition(part)
    for name, saved in image.nodes.items():
        index = cluster.node_index.get(name)
        if index is not None:
            cluster.nodes[index].restore(saved)
    return cluster


def _clear(cluster: Cluster) -> None:
    for marks in (cluster.dirty_jobs, cluster.dirty_nodes, cluster.dirty_partitions, cluster.dirty_reservations):
        marks.clear()
    cluster.gone_jobs = []
    cluster.events = []

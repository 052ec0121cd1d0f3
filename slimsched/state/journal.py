"""The journal: one frame per command, appended and synchronised before the command answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.node import NodeState
from slimsched.model.record import replaced
from slimsched.state import files, formats, layout, logs
from slimsched.state.records import Commit, Historic, Meta, Recorded, Unread
from slimsched.state.snapshot import Image

_NOTHING = NodeState()


class Segment:
    """The live segment: the commits since the snapshot."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._log = logs.Log([], 0, formats.FORMAT)

    @property
    def size(self) -> int:
        """Bytes of its sound part."""
        return self._log.end

    def create(self) -> None:
        """Make the file, without commits; it must be there before a snapshot refers to it."""
        files.create(self.path, logs.head())
        self._log = logs.Log([], len(logs.head()), formats.FORMAT)

    def read(self) -> list[Commit]:
        """Return the commits."""
        commits: list[Commit] = self._records(Commit)
        return commits

    def unread(self) -> list[Unread]:
        """Return the commits, whose jobs and counters nobody has read yet."""
        commits: list[Unread] = self._records(Unread)
        return commits

    def _records(self, kind: Any) -> list[Any]:
        log = logs.read(self.path)
        if log is None or not log.end:  # it is made whole before a snapshot refers to it
            raise StateError(self.path, "is missing" if log is None else "is damaged at its start", formats.REBUILD)
        self._log = replaced(log, bodies=[])
        return logs.decode(self.path, "commit", log, kind)

    def append(self, commit: Recorded) -> None:
        """Write a commit durably, over one that a crash cut short; `StateError` if it could not be read back."""
        end = logs.append(self.path, self._log, [logs.encode(self.path, commit, Commit)])
        self._log = logs.Log([], end, formats.FORMAT)


class History:
    """The commits of a generation, read one time after the other: each time those that are new."""

    def __init__(self) -> None:
        self._folder = "", 0  # of the generation: its path, and which one it is
        self._segment, self._log = -1, logs.Log([], 0, formats.FORMAT)  # that was read last, and its end
        self._seq = 0  # of the last commit

    def more(self, data: str, last: int) -> Iterator[Historic]:
        """Yield the commits up to the end of segment ``last`` that were not yielded before, all if ``data`` is new."""
        folder = data, os.stat(data).st_ino
        if folder != self._folder:
            self._folder, self._segment, self._seq = folder, -1, 0
        for name in files.names(os.path.join(data, "journal")):
            if name.isdigit() and self._segment <= int(name) <= last:
                path = layout.journal(data, int(name))
                log = logs.since(path, self._log) if int(name) == self._segment else None
                log = log or logs.read(path)
                if log is not None:
                    self._segment, self._log = int(name), replaced(log, bodies=[])
                    for commit in logs.decode(path, "commit", log, Historic):
                        if commit.seq > self._seq:
                            self._seq = commit.seq
                            yield commit


def nodes(data: str, last: int) -> Iterator[tuple[int, dict[str, NodeState]]]:
    """Yield the instant of each commit up to segment ``last`` that changed nodes, with these."""
    for name in files.names(os.path.join(data, "journal")):
        if name.isdigit() and int(name) <= last:
            path = layout.journal(data, int(name))
            log = logs.read(path)
            for commit in logs.decode(path, "commit", log, Commit) if log else ():
                if commit.nodes:
                    yield commit.meta.now, commit.nodes


def apply(image: Image, commit: Commit) -> None:
    """Bring ``image`` to the state after ``commit``."""
    image.meta = commit.meta
    for job in commit.jobs:
        image.jobs[job.job_id] = job
    _apply_others(image, commit)


def follow(image: Image, commits: list[Unread]) -> None:
    """Bring ``image`` to the state after the last commit."""
    for commit in commits:
        for record in commit.jobs:
            image.jobs.take(record)
        _apply_others(image, commit)
    if commits:
        image.meta = msgspec.json.decode(commits[-1].meta, type=Meta)


def _apply_others(image: Image, commit: Commit) -> None:
    """Apply all but the counters and the jobs as they are after the commit."""
    image.seq = commit.seq
    if commit.users is not None:
        image.users = commit.users
    if commit.complexes is not None:
        image.complexes = commit.complexes
    for job_id in commit.dropped:
        image.jobs.pop(job_id, None)
    image.nodes.update(commit.nodes)
    for name, node in commit.nodes.items():
        if node == _NOTHING:  # it was removed, or is as configured
            del image.nodes[name]
    if commit.partitions_reset:
        image.partitions.clear()
    image.partitions.update(commit.partitions)
    for name, reservation in commit.reservations.items():
        if reservation is None:
            image.reservations.pop(name, None)
        else:
            image.reservations[name] = reservation
    for name, record in commit.accounting.items():
        if record is None:
            image.accounting.pop(name, None)
        else:
            image.accounting[name] = record

"""The archive of finished jobs: one file per thousand job ids, so that a look-up by id reads one file.

``index.json`` holds each file's earliest submission and latest end, so that a look-up by time skips files, and its
length, so that a file that was cut short is found out. Jobs get here when a snapshot is written; until then they wait
in the journal. A crash between the two writes some of them twice, which does not matter: the last record of a (job id,
restarts) counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import msgspec

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.state import documents, files, formats, layout, logs

Span = tuple[int, int, int]  # earliest submission, latest end, bytes
Key = tuple[int, int]  # job id, restarts


class Archive:
    """Finished jobs of one generation.

    ``waiting``: those that the journal still holds. ``faults``: what was found bad without being needed for an answer,
    by path; the answers so far may lack jobs.
    """

    def __init__(self, data: str) -> None:
        self.data = data
        self.waiting: list[Job] = []
        self.faults: dict[str, StateError] = {}
        self._index: dict[int, Span] | None = None

    def get(self, job_id: int) -> list[Job]:
        """Return the records of a job, oldest first: one for each time that it was started anew."""
        return [job for job in self.block(job_id // layout.RANGE) if job.job_id == job_id]

    def some(self, job_ids: Iterable[int]) -> Iterator[Job]:
        """Yield the records of several jobs, by id; each file is read once."""
        wanted = set(job_ids)
        for block in sorted({job_id // layout.RANGE for job_id in wanted}):
            yield from (job for job in self.block(block) if job.job_id in wanted)

    def from_id(self, job_id: int) -> Iterator[Job]:
        """Yield the jobs with this id or a higher one, by id: where the tasks of an array are."""
        first = job_id // layout.RANGE
        for block in sorted({*self._blocks(), *(job.job_id // layout.RANGE for job in self.waiting)}):
            if block >= first:
                yield from (job for job in self.block(block) if job.job_id >= job_id)

    def between(self, start: int = 0, end: int = 1 << 62) -> Iterator[Job]:
        """Yield the jobs submitted until ``end`` that ended at ``start`` or later (seconds since 1970), by id."""
        index = self.index()
        waiting = {job.job_id // layout.RANGE for job in self.waiting}
        for block in sorted({*self._blocks(), *waiting}):
            first, last, _ = index.get(block, (0, 1 << 62, 0))
            if block in waiting or (first <= end and last >= start):
                yield from (job for job in self.block(block) if job.submit_time <= end and job.end_time >= start)

    def store(self) -> None:
        """Append the waiting jobs to their files."""
        blocks: dict[int, list[Job]] = {}
        for job in self.waiting:
            blocks.setdefault(job.job_id // layout.RANGE, []).append(job)
        index = dict(self.index())
        for block, jobs in sorted(blocks.items()):
            path = layout.archive(self.data, block)
            log = logs.read(path)
            self._measure(block, log)
            if path in self.faults:
                raise self.faults[path]  # otherwise the loss would not be noticed any more
            if log is not None and log.format != formats.FORMAT:
                logs.rewrite(path, logs.decode(path, "job", log, Job))
                log = logs.read(path)
            end = logs.append(path, log, map(msgspec.json.encode, jobs))
            index[block] = span(jobs, end, index.get(block))
        if blocks:
            self.write_index(index)
        self.waiting = []

    def write_index(self, index: dict[int, Span]) -> None:
        """Store the spans of the files."""
        head = documents.Head(slimsched=formats.FORMAT)
        files.replace(self.index_path, documents.pack(head, {"files": msgspec.json.encode(index)}))
        self._index = index

    @property
    def index_path(self) -> str:
        """The path of the stored spans."""
        return os.path.join(self.data, "archive", "index.json")

    def index(self) -> dict[int, Span]:
        """Return the spans of the files; a file without a sound span is always read."""
        if self._index is None:
            try:
                self._index = self.read_index()
            except files.Refused:
                raise
            except StateError as fault:
                self.faults[self.index_path] = fault
                self._index = {}
        return self._index

    def read_index(self) -> dict[int, Span]:
        """Return the spans of the files as they are stored; `StateError` if they are damaged."""
        path = self.index_path
        data = files.read(path)
        if data is None:
            return {}
        if not data.startswith(documents.START):
            from slimsched.state import format_1

            old = format_1.index(data)
            if old is not None:
                return old
        _, parts, faults = documents.unpack(path, data, documents.Head)
        for fault in faults.values():
            raise fault
        try:
            return msgspec.json.decode(parts.get("files", b"{}"), type=dict[int, Span])
        except formats.UNREADABLE as fault:
            raise StateError(path, f"is damaged: {fault}", formats.REBUILD) from fault

    def _blocks(self) -> list[int]:
        """Return the numbers of the files that exist, or should exist."""
        names = files.names(os.path.join(self.data, "archive"))
        return [*self.index(), *(int(name) for name in names if name.isdigit())]

    def _measure(self, block: int, log: logs.Log | None) -> None:
        """Note whether a file is shorter than it was."""
        if block in self.index() and (log.end if log else 0) < self.index()[block][2]:
            path = layout.archive(self.data, block)
            problem = "is missing" if log is None else "is shorter than it was"
            self.faults[path] = StateError(path, f"{problem}: finished jobs are missing", formats.REBUILD)

    def block(self, block: int) -> list[Job]:
        """Return the jobs of one file by id, with those that wait to be added to it."""
        path = layout.archive(self.data, block)
        log = logs.read(path)
        self._measure(block, log)
        jobs: list[Job] = logs.decode(path, "job", log, Job) if log else []
        jobs += [job for job in self.waiting if job.job_id // layout.RANGE == block]
        last = {key(job): job for job in jobs}
        return [last[each] for each in sorted(last)]


def key(job: Job) -> Key:
    """Return the key that is unique to a job's record."""
    return job.job_id, job.restarts


def span(jobs: list[Job], size: int, known: Span | None = None) -> Span:
    """Return the earliest submission and the latest end of ``jobs`` and of the ``known`` span, and the file's size."""
    first, last, _ = known or (1 << 62, 0, 0)
    return min([first, *(job.submit_time for job in jobs)]), max([last, *(job.end_time for job in jobs)]), size


def covers(index: dict[int, Span], spans: dict[int, Span]) -> bool:
    """Whether the index fits the files: it names no others, and each file's jobs lie within its span.

    A crash can leave a file longer, and a span wider, than they need be.
    """
    return index.keys() <= spans.keys() and all(
        block in index and index[block][0] <= first and index[block][1] >= last and index[block][2] <= size
        for block, (first, last, size) in spans.items()
    )

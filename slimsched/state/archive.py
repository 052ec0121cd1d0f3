"""The archive of finished jobs: one file per thousand job ids, so that a look-up by id reads one file.

``index.json`` holds each file's earliest submission and latest end, so that a look-up by time skips files. Jobs get
here when a snapshot is written; until then they wait in the journal. A crash between the two writes some of them
twice, which does not matter: the last record of a (job id, restarts) counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import msgspec

from slimsched.model.job import Job
from slimsched.state import files, formats, layout, logs

Span = tuple[int, int]  # earliest submission, latest end
Key = tuple[int, int]  # job id, restarts


class Archive:
    """Finished jobs of one generation. ``waiting`` are those that the journal still holds."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.waiting: list[Job] = []

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
            first, last = index.get(block, (0, 1 << 62))
            if block in waiting or (first <= end and last >= start):
                yield from (job for job in self.block(block) if job.submit_time <= end and job.end_time >= start)

    def store(self) -> None:
        """Append the waiting jobs to their files."""
        blocks: dict[int, list[Job]] = {}
        for job in self.waiting:
            blocks.setdefault(job.job_id // layout.RANGE, []).append(job)
        index = self.index()
        for block, jobs in sorted(blocks.items()):
            path = layout.archive(self.data, block)
            log = logs.read(path)
            if log is not None and log.format != formats.FORMAT:
                logs.rewrite(path, logs.decode(path, "job", log, Job))
                log = logs.read(path)
            logs.append(path, log, map(msgspec.json.encode, jobs))
            index[block] = span(jobs, index.get(block))
        if blocks:
            self.write_index(index)
        self.waiting = []

    def write_index(self, index: dict[int, Span]) -> None:
        """Store the spans of the files."""
        files.replace(self.index_path, msgspec.json.encode(index))

    @property
    def index_path(self) -> str:
        """Where the spans are stored."""
        return os.path.join(self.data, "archive", "index.json")

    def index(self) -> dict[int, Span]:
        """Return the spans of the files; a file that is not in a readable index is always looked at."""
        try:
            return msgspec.json.decode(files.read(self.index_path) or b"{}", type=dict[int, Span])
        except formats.UNREADABLE:
            return {}

    def _blocks(self) -> list[int]:
        return [int(name) for name in files.names(os.path.join(self.data, "archive")) if name.isdigit()]

    def block(self, block: int) -> list[Job]:
        """Return the jobs of one file by id, with those that wait to be added to it."""
        path = layout.archive(self.data, block)
        log = logs.read(path)
        jobs: list[Job] = logs.decode(path, "job", log, Job) if log else []
        jobs += [job for job in self.waiting if job.job_id // layout.RANGE == block]
        last = {key(job): job for job in jobs}
        return [last[each] for each in sorted(last)]


def key(job: Job) -> Key:
    """Return what tells a job's record from all others."""
    return job.job_id, job.restarts


def span(jobs: list[Job], known: Span | None) -> Span:
    """Return the earliest submission and the latest end of ``jobs`` and of what is ``known`` already."""
    first, last = known or (jobs[0].submit_time, 0)
    return min(first, *(job.submit_time for job in jobs)), max(last, *(job.end_time for job in jobs))


def covers(index: dict[int, Span], spans: dict[int, Span]) -> bool:
    """Whether every file's jobs lie within what the index says of it (a crash can leave the index wider)."""
    return all(
        block in index and index[block][0] <= first and index[block][1] >= last
        for block, (first, last) in spans.items()
    )

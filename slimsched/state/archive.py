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

_Span = tuple[int, int]  # earliest submission, latest end


class Archive:
    """Finished jobs of one generation. ``waiting`` are those that the journal still holds."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.waiting: list[Job] = []

    def get(self, job_id: int) -> list[Job]:
        """Return the records of a job, oldest first: one for each time that it was started anew."""
        return [job for job in self._block(job_id // layout.RANGE) if job.job_id == job_id]

    def some(self, job_ids: Iterable[int]) -> Iterator[Job]:
        """Yield the records of several jobs, by id; each file is read once."""
        wanted = set(job_ids)
        for block in sorted({job_id // layout.RANGE for job_id in wanted}):
            yield from (job for job in self._block(block) if job.job_id in wanted)

    def between(self, start: int = 0, end: int = 1 << 62) -> Iterator[Job]:
        """Yield the jobs submitted until ``end`` that ended at ``start`` or later (seconds since 1970), by id."""
        index = self._index()
        waiting = {job.job_id // layout.RANGE for job in self.waiting}
        for block in sorted({*self._blocks(), *waiting}):
            first, last = index.get(block, (0, 1 << 62))
            if block in waiting or (first <= end and last >= start):
                yield from (job for job in self._block(block) if job.submit_time <= end and job.end_time >= start)

    def store(self) -> None:
        """Append the waiting jobs to their files."""
        blocks: dict[int, list[Job]] = {}
        for job in self.waiting:
            blocks.setdefault(job.job_id // layout.RANGE, []).append(job)
        index = self._index()
        for block, jobs in sorted(blocks.items()):
            path = layout.archive(self.data, block)
            log = logs.read(path)
            if log is not None and log.format != formats.FORMAT:
                self.rewrite(block, logs.decode(path, "job", log, Job))
                log = logs.read(path)
            logs.append(path, log, jobs)
            index[block] = span(jobs, index.get(block))
        if blocks:
            files.replace(self._index_path, msgspec.json.encode(index))
        self.waiting = []

    def rewrite(self, block: int, jobs: list[Job]) -> None:
        """Replace a file by one of ``jobs``, in the present format."""
        path = layout.archive(self.data, block)
        files.remove(path + ".new")
        logs.append(path + ".new", None, jobs)
        files.move(path + ".new", path)

    @property
    def _index_path(self) -> str:
        return os.path.join(self.data, "archive", "index.json")

    def _index(self) -> dict[int, _Span]:
        """Return the spans of the files; a file that is not in a readable index is always looked at."""
        try:
            return msgspec.json.decode(files.read(self._index_path) or b"{}", type=dict[int, _Span])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {}

    def _blocks(self) -> list[int]:
        return [int(name) for name in files.names(os.path.join(self.data, "archive")) if name.isdigit()]

    def _block(self, block: int) -> list[Job]:
        """Return the jobs of one file by id, with those that wait to be added to it."""
        path = layout.archive(self.data, block)
        log = logs.read(path)
        jobs: list[Job] = logs.decode(path, "job", log, Job) if log else []
        jobs += [job for job in self.waiting if job.job_id // layout.RANGE == block]
        last = {(job.job_id, job.restarts): job for job in jobs}
        return [last[key] for key in sorted(last)]


def span(jobs: list[Job], known: _Span | None) -> _Span:
    """Return the earliest submission and the latest end of ``jobs`` and of what is ``known`` already."""
    first, last = known or (jobs[0].submit_time, 0)
    return min(first, *(job.submit_time for job in jobs)), max(last, *(job.end_time for job in jobs))

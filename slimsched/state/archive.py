"""The archive of finished jobs: one file per thousand job ids, so that a look-up by id reads one file.

``index.json`` holds each file's earliest submission and latest end, so that a look-up by time skips files. Jobs get
here when a snapshot is written; until then they wait in the journal. A crash between the two writes some of them
twice, which does not matter: the last record of a (job id, restarts) counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.state import files, frames, layout

_Span = tuple[int, int]  # earliest submission, latest end


class Archive:
    """Finished jobs of one generation. ``waiting`` are those that the journal still holds."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.waiting: list[Job] = []

    def get(self, job_id: int) -> list[Job]:
        """Return the records of a job, one for each time that it was started anew."""
        return [job for job in self._block(job_id // layout.RANGE) if job.job_id == job_id]

    def between(self, start: int, end: int) -> Iterator[Job]:
        """Yield the jobs submitted before ``end`` that ended at ``start`` or later (seconds since 1970), by id."""
        index = self._index()
        for block in self._blocks():
            first, last = index.get(block, (0, end))
            if (first <= end and last >= start) or any(j.job_id // layout.RANGE == block for j in self.waiting):
                for job in self._block(block):
                    if job.submit_time <= end and job.end_time >= start:
                        yield job

    def store(self) -> None:
        """Append the waiting jobs to their files."""
        blocks: dict[int, list[Job]] = {}
        for job in self.waiting:
            blocks.setdefault(job.job_id // layout.RANGE, []).append(job)
        index = self._index()
        for block, jobs in sorted(blocks.items()):
            path = layout.archive(self.data, block)
            _, end = frames.split(files.read(path) or b"")
            files.append(path, b"".join(frames.pack(msgspec.json.encode(job)) for job in jobs), end)
            first, last = index.get(block, (jobs[0].submit_time, 0))
            index[block] = min(first, *(j.submit_time for j in jobs)), max(last, *(j.end_time for j in jobs))
        if blocks:
            files.replace(self._index_path, msgspec.json.encode(index))
        self.waiting = []

    @property
    def _index_path(self) -> str:
        return os.path.join(self.data, "archive", "index.json")

    def _index(self) -> dict[int, _Span]:
        """Return the spans of the files; without a readable index every file is looked at."""
        try:
            return msgspec.json.decode(files.read(self._index_path) or b"{}", type=dict[int, _Span])
        except msgspec.MsgspecError:
            return {}

    def _blocks(self) -> list[int]:
        stored = {int(n) for n in files.names(os.path.join(self.data, "archive")) if n.isdigit()}
        return sorted(stored | {job.job_id // layout.RANGE for job in self.waiting})

    def _block(self, block: int) -> list[Job]:
        path = layout.archive(self.data, block)
        data = files.read(path) or b""
        bodies, end = frames.split(data)
        if end < len(data) and not frames.torn(data, end):
            raise StateError(path, f"is damaged at byte {end}", "run: sim doctor --rebuild")
        try:
            jobs = [msgspec.json.decode(body, type=Job) for body in bodies]
        except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise StateError(path, f"is damaged: {fault}", "run: sim doctor --rebuild") from fault
        jobs += [job for job in self.waiting if job.job_id // layout.RANGE == block]
        last = {(job.job_id, job.restarts): job for job in jobs}
        return [last[key] for key in sorted(last)]

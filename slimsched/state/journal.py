"""The journal: one frame per command, appended and synchronised before the command answers."""

from __future__ import annotations

import msgspec

from slimsched.errors import StateError
from slimsched.state import files, frames
from slimsched.state.records import Commit, Recorded
from slimsched.state.snapshot import REBUILD, Image


class Segment:
    """The live segment: the commits since the snapshot."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = 0  # of its sound part

    def read(self) -> list[Commit]:
        """Return the commits; what a crash cut short is left out, damage is a `StateError`."""
        data = files.read(self.path)
        if data is None:
            raise StateError(self.path, "is missing", REBUILD)
        bodies, self.size = frames.split(data)
        if self.size < len(data) and not frames.torn(data, self.size):
            raise StateError(self.path, f"is damaged at byte {self.size} (commit {len(bodies) + 1} of it)", REBUILD)
        try:
            decode = msgspec.json.Decoder(Commit).decode
            return [decode(body) for body in bodies]
        except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise StateError(self.path, f"is damaged: {fault}", REBUILD) from fault

    def append(self, commit: Recorded) -> None:
        """Write a commit durably, in the place of what a crash cut short."""
        frame = frames.pack(msgspec.json.encode(commit))
        files.append(self.path, frame, self.size)
        self.size += len(frame)


def apply(image: Image, commit: Commit) -> None:
    """Bring ``image`` to the state after ``commit``."""
    image.seq = commit.seq
    image.meta = commit.meta
    if commit.users is not None:
        image.users = commit.users
    for job in commit.jobs:
        image.jobs[job.job_id] = job
    for job_id in commit.dropped:
        image.jobs.pop(job_id, None)
    image.nodes.update(commit.nodes)
    image.partitions.update(commit.partitions)
    for name, reservation in commit.reservations.items():
        if reservation is None:
            image.reservations.pop(name, None)
        else:
            image.reservations[name] = reservation

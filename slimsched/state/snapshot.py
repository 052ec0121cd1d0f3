"""The snapshot: the live state as of one commit, in one file that is only ever replaced.

A document whose parts are `PARTS`. Jobs are one a line.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, ValuesView
from typing import Any, cast

import msgspec

from slimsched.errors import StateError
from slimsched.model.complex import ComplexState
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.model.reservation import Reservation
from slimsched.state import documents, formats
from slimsched.state.records import Head, Mark, Meta, plain

PARTS: dict[str, Any] = {
    "meta": Meta,
    "users": dict[str, int],
    "jobs": list[Job],
    "nodes": dict[str, NodeState],
    "partitions": dict[str, PartitionConf | None],
    "reservations": dict[str, Reservation],
    "accounting": dict[str, dict[str, str]],
    "complexes": ComplexState,
}
"""Part -> the type that it is stored as."""


_mark: Callable[[msgspec.Raw], Mark] = msgspec.json.Decoder(Mark).decode
_job: Callable[[msgspec.Raw], Job] = msgspec.json.Decoder(Job).decode


class Jobs(dict[int, Job]):
    """The live jobs by id, in their order. The record of one that waits (`plain`) is read when it is asked for.

    Until then it stands here as it does in its file, as `msgspec.Raw`, which only the functions of `dict` itself see.
    ``explain`` is called for a record that cannot be read: it raises the `StateError` that says where it stands.
    """

    __slots__ = ("explain",)

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        super().__init__((job.job_id, job) for job in jobs)
        self.explain: Callable[[], object] = lambda: None

    def take(self, record: msgspec.Raw) -> None:
        """Take in the record of a job as it stands in a file."""
        mark = _mark(record)
        self[mark.job_id] = cast("Job", record) if plain(mark) else _job(record)

    def _known(self, job_id: int, record: Job | msgspec.Raw) -> Job:
        """Return the job of an entry, which is read now if nobody has asked for it before."""
        if isinstance(record, Job):
            return record
        try:
            job = _job(record)
        except formats.UNREADABLE:
            self.explain()
            raise
        if job.job_id != job_id:
            self.explain()
        self[job_id] = job
        return job

    def _know_all(self) -> None:
        """Read what is unread."""
        for job_id, record in super().items():
            if not isinstance(record, Job):
                self._known(job_id, record)

    def __getitem__(self, job_id: int) -> Job:
        return self._known(job_id, super().__getitem__(job_id))

    def __iter__(self) -> Iterator[int]:  # that there is one keeps `dict` from copying this one with what is unread
        return super().__iter__()

    def __eq__(self, other: object) -> bool:
        self._know_all()
        if isinstance(other, Jobs):
            other._know_all()
        return super().__eq__(other)

    __hash__ = None  # as of every dict

    def get(self, job_id: int, default: Any = None) -> Any:
        """Return a job, ``default`` if there is none of this id."""
        record = super().get(job_id)
        return default if record is None else self._known(job_id, record)

    def pop(self, job_id: int, *default: Any) -> Any:
        """Remove a job and return it, ``default`` if there is none of this id."""
        record = super().pop(job_id, *default)
        return _job(record) if isinstance(record, msgspec.Raw) else record

    def values(self) -> ValuesView[Job]:  # type: ignore[override]
        """Return all jobs."""
        self._know_all()
        return super().values()

    def items(self) -> ItemsView[int, Job]:  # type: ignore[override]
        """Return all jobs with their ids."""
        self._know_all()
        return super().items()


class Image:
    """What a snapshot holds, and what commits are applied to."""

    def __init__(self, generation: int, segment: int, seq: int) -> None:
        self.generation = generation
        self.segment = segment
        self.seq = seq
        self.format = formats.FORMAT  # that it was read in
        self.meta = Meta()
        self.users: dict[str, int] = {}
        self.jobs = Jobs()
        self.nodes: dict[str, NodeState] = {}
        self.partitions: dict[str, PartitionConf | None] = {}
        self.reservations: dict[str, Reservation] = {}
        self.accounting: dict[str, dict[str, str]] = {}
        self.complexes = ComplexState()


def pack(image: Image) -> bytes:
    """Return the snapshot file's content; empty parts are left out."""
    encode = msgspec.json.encode
    parts = {"meta": encode(image.meta)}
    index: list[int] = []
    if image.jobs:
        bodies = [encode(record) for record in dict.values(image.jobs)]  # what is unread is written as it stands
        for (job_id, record), body in zip(dict.items(image.jobs), bodies, strict=True):
            index += (job_id if not isinstance(record, Job) or plain(record) else 0, len(body))
        parts["jobs"] = b"[\n%s\n]" % b",\n".join(bodies)
    for name in ("users", "nodes", "partitions", "reservations", "accounting"):
        value = getattr(image, name)
        if value:
            parts[name] = encode(value)
    if image.complexes != ComplexState():
        parts["complexes"] = encode(image.complexes)
    head = Head(slimsched=formats.FORMAT, generation=image.generation, segment=image.segment, seq=image.seq, jobs=index)
    return documents.pack(head, parts)


def unpack(path: str, data: bytes, *, whole: bool = True) -> Image:
    """Return the state that a snapshot file holds; `StateError` names ``path`` if it is damaged or not ours.

    ``whole``: every record is read now; else those of jobs that wait are left unread (`Jobs`).
    """
    head, parts, faults = sound_parts(path, data, whole=whole)
    for fault in faults.values():
        raise fault
    image = Image(head.generation, head.segment, head.seq)
    image.format = head.slimsched
    for name, value in parts.items():
        setattr(image, name, value)
    return image


def sound_parts(path: str, data: bytes, *, whole: bool = True) -> tuple[Head, dict[str, Any], dict[str, StateError]]:
    """Return the head, the parts that are sound, and what is wrong with the others."""
    if data.startswith(documents.START):
        head, bodies, faults = documents.unpack(path, data, Head)
    else:
        from slimsched.state import format_1

        head, bodies, faults = format_1.snapshot(path, data)
    parts: dict[str, Any] = {}
    for name, body in bodies.items():
        try:
            unread = None if whole or name != "jobs" else _unread(body, head.jobs)
            parts[name] = _decode(path, name, body, head.slimsched) if unread is None else unread
        except StateError as fault:
            faults[name] = fault
    return head, parts, faults


def _decode(path: str, name: str, body: memoryview, version: int) -> Any:
    """Return a part as it is in memory."""
    try:
        if name != "jobs":
            return msgspec.json.decode(formats.upgrade(name, body, version), type=PARTS[name])
        if version != formats.FORMAT:
            each = msgspec.json.decode(body, type=list[msgspec.Raw])
            body = memoryview(b"[%s]" % b",".join(formats.upgrade(name, bytes(job), version) for job in each))
        return Jobs(msgspec.json.decode(body, type=list[Job]))
    except (*formats.UNREADABLE, KeyError) as fault:
        raise StateError(path, f"is damaged in its part {name!r}: {fault}", formats.REBUILD) from fault


def _unread(body: memoryview, index: list[int]) -> Jobs | None:
    """Return the jobs of the snapshot's part, of those that wait the places of their records.

    ``None`` if the index does not fit, or what is read now cannot be read: that is found, and said, by reading all.
    """
    jobs, at = Jobs(), len(b"[\n")
    for job_id, length in zip(index[::2], index[1::2], strict=False):
        record = msgspec.Raw(body[at : at + length])
        at += length + len(b",\n")
        if job_id:
            jobs[job_id] = cast("Job", record)
            continue
        try:
            job = _job(record)
        except formats.UNREADABLE:
            return None
        jobs[job.job_id] = job
    return jobs if at == len(body) else None

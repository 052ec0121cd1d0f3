"""The snapshot: the live state as of one commit, in one file that is only ever replaced.

A document whose parts are `PARTS`. Jobs are one a line.
"""

from __future__ import annotations

from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.complex import ComplexState
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.model.reservation import Reservation
from slimsched.state import documents, formats
from slimsched.state.records import Head, Meta

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


class Image:
    """What a snapshot holds, and what commits are applied to."""

    def __init__(self, generation: int, segment: int, seq: int) -> None:
        self.generation = generation
        self.segment = segment
        self.seq = seq
        self.format = formats.FORMAT  # that it was read in
        self.meta = Meta()
        self.users: dict[str, int] = {}
        self.jobs: dict[int, Job] = {}
        self.nodes: dict[str, NodeState] = {}
        self.partitions: dict[str, PartitionConf | None] = {}
        self.reservations: dict[str, Reservation] = {}
        self.accounting: dict[str, dict[str, str]] = {}
        self.complexes = ComplexState()


def pack(image: Image) -> bytes:
    """Return the snapshot file's content; empty parts are left out."""
    encode = msgspec.json.encode
    parts = {"meta": encode(image.meta)}
    if image.jobs:
        lines: bytes = msgspec.json.Encoder().encode_lines(list(image.jobs.values()))
        parts["jobs"] = b"[\n%s\n]" % lines[:-1].replace(b"\n", b",\n")
    for name in ("users", "nodes", "partitions", "reservations", "accounting"):
        value = getattr(image, name)
        if value:
            parts[name] = encode(value)
    if image.complexes != ComplexState():
        parts["complexes"] = encode(image.complexes)
    head = Head(slimsched=formats.FORMAT, generation=image.generation, segment=image.segment, seq=image.seq)
    return documents.pack(head, parts)


def unpack(path: str, data: bytes) -> Image:
    """Return the state that a snapshot file holds; `StateError` names ``path`` if it is damaged or not ours."""
    head, parts, faults = sound_parts(path, data)
    for fault in faults.values():
        raise fault
    image = Image(head.generation, head.segment, head.seq)
    image.format = head.slimsched
    for name, value in parts.items():
        setattr(image, name, value)
    return image


def sound_parts(path: str, data: bytes) -> tuple[Head, dict[str, Any], dict[str, StateError]]:
    """Return the head, the parts that are sound, and what is wrong with the others."""
    if data.startswith(documents.START):
        head, bodies, faults = documents.unpack(path, data, Head)
    else:
        from slimsched.state import format_1

        head, bodies, faults = format_1.snapshot(path, data)
    parts: dict[str, Any] = {}
    for name, body in bodies.items():
        try:
            parts[name] = _decode(path, name, body, head.slimsched)
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
        jobs = msgspec.json.decode(body, type=list[Job])
    except (*formats.UNREADABLE, KeyError) as fault:
        raise StateError(path, f"is damaged in its part {name!r}: {fault}", formats.REBUILD) from fault
    return {job.job_id: job for job in jobs}

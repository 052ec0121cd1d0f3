"""The snapshot: the live state as of one commit, in one file that is only ever replaced.

A head frame, then the parts that the head lists, each as JSON with a check sum of its own. Jobs are one a line.
"""

from __future__ import annotations

from binascii import crc32
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.complex import ComplexState
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.model.reservation import Reservation
from slimsched.state import formats, frames
from slimsched.state.records import Head, Meta

PARTS: dict[str, Any] = {
    "meta": Meta,
    "users": dict[str, int],
    "jobs": Job,  # one a line
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
    parts = {"meta": encode(image.meta) + b"\n"}
    if image.jobs:
        parts["jobs"] = msgspec.json.Encoder().encode_lines(list(image.jobs.values()))
    for name in ("users", "nodes", "partitions", "reservations", "accounting"):
        value = getattr(image, name)
        if value:
            parts[name] = encode(value) + b"\n"
    if image.complexes != ComplexState():
        parts["complexes"] = encode(image.complexes) + b"\n"
    head = Head(
        slimsched=formats.FORMAT,
        generation=image.generation,
        segment=image.segment,
        seq=image.seq,
        parts={name: (len(body), crc32(body)) for name, body in parts.items()},
    )
    return b"".join([frames.pack(encode(head)), *parts.values()])


def unpack(path: str, data: bytes) -> Image:
    """Return the state that a snapshot file holds; `StateError` names ``path`` if it is damaged or not ours."""
    head, parts, faults = sound_parts(path, data)
    for fault in faults.values():
        raise fault
    return assemble(head, parts)


def assemble(head: Head, parts: dict[str, Any]) -> Image:
    """Return the image that a head and its parts describe."""
    image = Image(head.generation, head.segment, head.seq)
    image.format = head.slimsched
    for name, value in parts.items():
        setattr(image, name, value)
    return image


def sound_parts(path: str, data: bytes) -> tuple[Head, dict[str, Any], dict[str, StateError]]:
    """Return the head, the parts that are sound, and what is wrong with the others."""
    head, at = read_head(path, data)
    view = memoryview(data)
    parts: dict[str, Any] = {}
    faults: dict[str, StateError] = {}
    for name, (length, crc) in head.parts.items():
        body = view[at : at + length]
        at += length
        if crc32(body) != crc or name not in PARTS:
            problem = f"is damaged: part {name!r} has not the content that was written"
            faults[name] = StateError(path, problem, formats.REBUILD)
            continue
        try:
            parts[name] = decode(path, name, body, head.slimsched)
        except StateError as fault:
            faults[name] = fault
    return head, parts, faults


def read_head(path: str, data: bytes) -> tuple[Head, int]:
    """Return a snapshot's head and the offset behind it."""
    body = frames.unpack(data, 0)
    formats.check(path, body)
    try:
        head = msgspec.json.decode(body or b"", type=Head)
    except formats.UNREADABLE as fault:
        raise StateError(path, f"is damaged: {fault}", formats.REBUILD) from None
    return head, frames.HEAD + len(body or b"") + 1


def decode(path: str, name: str, body: memoryview, version: int) -> Any:
    """Return a part as it is in memory."""
    try:
        if name != "jobs":
            return msgspec.json.decode(formats.upgrade(name, body, version), type=PARTS[name])
        if version != formats.FORMAT:
            lines = bytes(body).splitlines()
            body = memoryview(b"\n".join(formats.upgrade(name, line, version) for line in lines))
        jobs: list[Job] = msgspec.json.Decoder(Job).decode_lines(body)
    except formats.UNREADABLE as fault:
        raise StateError(path, f"is damaged in its part {name!r}: {fault}", formats.REBUILD) from fault
    return {job.job_id: job for job in jobs}

"""The snapshot: the live state as of one commit, in one file that is only ever replaced.

A head frame, then the parts that the head lists, each as JSON with a check sum of its own. Jobs are one a line.
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.model.reservation import Reservation
from slimsched.state import frames
from slimsched.state.records import FORMAT, Head, Meta

REBUILD = "run: sim doctor --rebuild"
_Decode = Callable[[bytes], Any]


class Image:
    """What a snapshot holds, and what commits are applied to."""

    def __init__(self, generation: int, segment: int, seq: int) -> None:
        self.generation = generation
        self.segment = segment
        self.seq = seq
        self.meta = Meta()
        self.users: dict[str, int] = {}
        self.jobs: dict[int, Job] = {}
        self.nodes: dict[str, NodeState] = {}
        self.partitions: dict[str, PartitionConf | None] = {}
        self.reservations: dict[str, Reservation] = {}


def _decoder(kind: Any) -> _Decode:
    return msgspec.json.Decoder(kind).decode


_SECTIONS: dict[str, Callable[[], _Decode]] = {
    "meta": lambda: _decoder(Meta),
    "users": lambda: _decoder(dict[str, int]),
    "jobs": lambda: msgspec.json.Decoder(Job).decode_lines,
    "nodes": lambda: _decoder(dict[str, NodeState]),
    "partitions": lambda: _decoder(dict[str, PartitionConf | None]),
    "reservations": lambda: _decoder(dict[str, Reservation]),
}


def pack(image: Image) -> bytes:
    """Return the snapshot file's content; empty parts are left out."""
    encode = msgspec.json.encode
    parts = {"meta": encode(image.meta) + b"\n"}
    if image.jobs:
        parts["jobs"] = msgspec.json.Encoder().encode_lines(list(image.jobs.values()))
    for name in ("users", "nodes", "partitions", "reservations"):
        value = getattr(image, name)
        if value:
            parts[name] = encode(value) + b"\n"
    head = Head(
        slimsched=FORMAT,
        generation=image.generation,
        segment=image.segment,
        seq=image.seq,
        sections={name: (len(body), crc32(body)) for name, body in parts.items()},
    )
    return b"".join([frames.pack(encode(head)), *parts.values()])


def unpack(path: str, data: bytes) -> Image:
    """Return the state that a snapshot file holds; `StateError` names ``path`` if it is damaged or not ours."""
    head, at = read_head(path, data)
    image = Image(head.generation, head.segment, head.seq)
    for name, (length, crc) in head.sections.items():
        body = data[at : at + length]
        at += length
        if crc32(body) != crc or name not in _SECTIONS:
            raise StateError(path, f"is damaged: its part {name!r} does not have the content that was written", REBUILD)
        value = decode(path, name, body)
        setattr(image, name, {job.job_id: job for job in value} if name == "jobs" else value)
    return image


def decode(path: str, name: str, body: bytes) -> Any:
    """Return one part of a snapshot as records."""
    try:
        return _SECTIONS[name]()(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise StateError(path, f"is damaged in its part {name!r}: {fault}", REBUILD) from fault


def read_head(path: str, data: bytes) -> tuple[Head, int]:
    """Return a snapshot's head and the offset behind it; other formats and other files are refused."""
    body = frames.unpack(data, 0)
    try:
        known = msgspec.json.decode(body or b"", type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise StateError(path, "is damaged, or no snapshot of slimsched", REBUILD) from None
    found = known.get("slimsched")
    if not isinstance(found, int):
        raise StateError(path, "is no snapshot of slimsched", "choose another directory with --state")
    if found > FORMAT:
        problem = f"has state format {found}; this slimsched reads formats up to {FORMAT}"
        raise StateError(path, problem, "install a newer slimsched, or choose another directory with --state")
    return msgspec.convert(known, Head), frames.HEAD + len(body or b"") + 1

"""Files of frames that only grow: journal segments and archive files. The first frame tells the format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.record import Record
from slimsched.state import files, formats, frames


class Log(Record):
    """The content of a file: the records' JSON, the end of the sound part, and the format."""

    bodies: list[bytes]
    end: int
    format: int


def head() -> bytes:
    """Return the first frame of a new file."""
    return frames.pack(msgspec.json.encode(formats.Mark(formats.FORMAT)))


def since(path: str, known: Log) -> Log | None:
    """Return the records behind those of a log that was read before; ``None`` if the file is not that one any more."""
    data = files.read(path, known.end)
    if data is None:
        return None
    bodies, end = frames.split(data)
    return Log(bodies, known.end + end, known.format) if end == len(data) or frames.torn(data, end) else None


def read(path: str) -> Log | None:
    """Read a file, ``None`` if there is none. What a crash cut short is left out; damage is a `StateError`."""
    data = files.read(path)
    return None if data is None else parse(path, data)


def parse(path: str, data: bytes) -> Log:
    """Take the content of file ``path`` apart."""
    bodies, end = frames.split(data)
    if end < len(data) and not frames.torn(data, end):
        raise StateError(path, f"is damaged at byte {end}, after {max(0, len(bodies) - 1)} records", formats.REBUILD)
    if not bodies:
        return Log([], 0, formats.FORMAT)
    return Log(bodies[1:], end, formats.check(path, bodies[0]))


def decode(path: str, name: str, log: Log, kind: Any) -> list[Any]:
    """Return the records of a log as ``kind``; ``name`` is what `formats.STEPS` calls them."""
    read_one = msgspec.json.Decoder(kind).decode
    try:
        if log.format == formats.FORMAT:
            return list(map(read_one, log.bodies))
        return [read_one(formats.upgrade(name, body, log.format)) for body in log.bodies]
    except formats.UNREADABLE as fault:
        raise StateError(path, f"is damaged: {fault}", formats.REBUILD) from fault


def rewrite(path: str, records: Iterable[Any]) -> int:
    """Replace a file by one of ``records`` (structs, or JSON as it was read); return its size."""
    bodies = (record if isinstance(record, bytes) else msgspec.json.encode(record) for record in records)
    data = head() + b"".join(map(frames.pack, bodies))
    files.replace(path, data)
    return len(data)


def encode(path: str, record: Any, kind: Any) -> bytes:
    """Return a record's JSON, which is ``kind`` when it is read again; `StateError` if it would not be."""
    try:
        body = msgspec.json.encode(record)
        msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, TypeError, RecursionError, OverflowError) as fault:
        repair = "look for the plugin that wrote it; the cluster is unchanged by this command"
        raise StateError(path, f"would contain a record that cannot be read again: {fault}", repair) from fault
    return body


def append(path: str, log: Log | None, bodies: Iterable[bytes]) -> int:
    """Add records' JSON behind the sound part of a file, begun anew if there is none; return where they end."""
    frame = b"".join(map(frames.pack, bodies))
    end = log.end if log else 0
    data = frame if end else head() + frame
    files.append(path, data, end)
    return end + len(data)

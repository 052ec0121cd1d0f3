"""The files of state format 1: its snapshot was a frame and lines, and its index had no check sum."""

from __future__ import annotations

import msgspec

from slimsched.errors import StateError
from slimsched.state import documents, formats, frames
from slimsched.state.records import Head


def snapshot(path: str, data: bytes) -> tuple[Head, dict[str, memoryview], dict[str, StateError]]:
    """Return a snapshot's head, the JSON of its sound parts, and what is wrong with the others."""
    body = frames.unpack(data, 0)
    formats.check(path, body)
    try:
        head = msgspec.json.decode(body or b"", type=Head)
    except formats.UNREADABLE as fault:
        raise StateError(path, f"is damaged: {fault}", formats.REBUILD) from None
    parts, faults, _ = documents.sound(path, head, data, frames.HEAD + len(body or b"") + 1)
    if "jobs" in parts:
        parts["jobs"] = memoryview(b"[%s]" % b",".join(bytes(parts["jobs"]).splitlines()))
    return head, parts, faults


def index(data: bytes) -> dict[int, tuple[int, int, int]] | None:
    """Return the archive's index, ``None`` if it does not have this format; no file's length was in it."""
    try:
        spans = msgspec.json.decode(data, type=dict[int, tuple[int, int]])
    except formats.UNREADABLE:
        return None
    return {block: (*span, 0) for block, span in spans.items()}

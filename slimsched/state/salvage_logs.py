"""The repair of journal segments and archive files: the search for their sound records."""

from __future__ import annotations

from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.state import files, formats, frames, logs

Records = list[tuple[bytes, Any]]
"""Records with their JSON, in the present format."""


def records(path: str, name: str, kind: Any) -> tuple[Records, str]:
    """Return the sound records of a file, and what is wrong with it ("": nothing, or there is no such file).

    `files.Refused` and `formats.NewerFormat` are raised: then the file was not looked into.
    """
    try:
        data = files.read(path)
        if data is None:
            return [], ""
        log = logs.parse(path, data)
        if not log.end:
            raise StateError(path, "is damaged at its start", formats.REBUILD)
        bodies = [bytes(formats.upgrade(name, body, log.format)) for body in log.bodies]
        return list(zip(bodies, logs.decode(path, name, log, kind), strict=True)), ""
    except (files.Refused, formats.NewerFormat):
        raise
    except StateError as fault:
        found, lost = _sound(path, kind)
        return found, f"{fault.problem}: {len(found)} sound records, {lost} lost"


def _sound(path: str, kind: Any) -> tuple[Records, int]:
    if files.kind(path) != "file":
        return [], 0  # nothing in it was ours
    bodies, lost = frames.salvage(files.read(path) or b"")
    return [(body, record) for body in bodies if (record := _decoded(body, kind)) is not None], lost


def _decoded(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except formats.UNREADABLE:
        return None  # also the frame that tells the format

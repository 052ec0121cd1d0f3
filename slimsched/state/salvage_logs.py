"""Repair of the files that grow, journal segments and archive files: what is sound in them is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.state import files, formats, frames, logs
from slimsched.state.archive import Key, key


def kept(path: str) -> str:
    """Set a damaged file aside and return the words for it, "" if there is none."""
    return f"; it is {os.path.basename(files.set_aside(path))} now" if os.path.lexists(path) else ""


def records(path: str, name: str, kind: Any, done: list[str]) -> list[tuple[bytes, Any]]:
    """Return the sound records of a file with their JSON; a damaged file is replaced by one that has only them."""
    try:
        log = logs.read(path)
        if log is not None and not log.end:
            raise StateError(path, "is damaged at its start", formats.REBUILD)
        return list(zip(log.bodies, logs.decode(path, name, log, kind), strict=True)) if log else []
    except formats.NewerFormat:
        raise
    except StateError as fault:
        problem = fault.problem
    bodies, lost = _lines(path)
    found = [(body, record) for body in bodies if (record := _decoded(body, kind)) is not None]
    done.append(f"{path} {problem}: {len(found)} sound records, {lost} lost{kept(path)}")
    logs.rewrite(path, [body for body, _ in found])
    return found


def jobs(path: str, wanted: Mapping[Key, Job], done: list[str]) -> list[Job]:
    """Return the jobs of an archive file, after adding those that are ``wanted`` there."""
    found = {key(job): job for _, job in records(path, "job", Job, done)}
    missing = [each for each in wanted if each not in found]
    if missing:
        found.update({each: wanted[each] for each in missing})
        logs.rewrite(path, found.values())
        done.append(f"{path}: {len(missing)} finished jobs put back from the journal")
    return list(found.values())


def _lines(path: str) -> tuple[list[bytes], int]:
    try:
        return frames.salvage(files.read(path) or b"")
    except StateError:
        return [], 0  # not even a file: nothing in it was ours


def _decoded(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except formats.UNREADABLE:
        return None  # also the frame that tells the format

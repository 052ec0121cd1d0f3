"""``cluster.toml``: reading it with errors that name table and key, and its compiled form.

The file is parsed only when its text changed: ``cluster.cache`` holds the text that it was compiled from, so the
comparison is exact whatever an editor does to times and inodes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from slimsched import __version__
from slimsched.errors import StateError
from slimsched.model.config import Config
from slimsched.state import documents, files, formats, layout


def read(path: str) -> Config:
    """Return the configuration in a ``cluster.toml``; a fault in it is a `StateError` with table and key."""
    return compile_text(path, _text(path))


def write(path: str, config: Config) -> None:
    """Write a configuration as a commented ``cluster.toml``."""
    files.replace(path, toml(config))


def toml(config: Config) -> bytes:
    """Return a configuration as the text of a commented ``cluster.toml``."""
    from slimsched.state import config_write
    from slimsched.text.utf8 import readable

    return readable(config_write.text(config)).encode()


def settle(folder: str, data: str) -> None:
    """Move the configuration of generation ``data`` to its place, unless it is already there."""
    path = layout.new_config(data)
    if files.kind(path):
        try:
            files.move(path, layout.config(folder))
        except StateError:
            if files.kind(path):
                raise  # else another reader was faster


def load(folder: str) -> tuple[Config, bytes]:
    """Return a state directory's configuration and its text, from the compiled form if the text has not changed."""
    path = layout.config(folder)
    text = _text(path)
    config = _compiled(folder, text)
    if config is None:
        config = compile_text(path, text)
        keep(folder, config, text)
    return config, text


def keep(folder: str, config: Config, text: bytes) -> None:
    """Store the compiled form, under a name of this process, because several readers may do so at once."""
    parts = {"text": msgspec.json.encode([__version__, text.decode()]), "config": msgspec.json.encode(config)}
    data = documents.pack(documents.Head(slimsched=formats.FORMAT), parts)
    with suppress(StateError):  # the directory is read-only; the next command compiles again
        files.replace(layout.cache(folder), data, suffix=f".{os.getpid()}", durable=False)


def cached_text(folder: str) -> bytes | None:
    """Return the last ``cluster.toml`` text that was found good, for the repair of a damaged one."""
    text = _cached(folder).get("text")
    if text is None:
        return None
    version, good = msgspec.json.decode(text, type=tuple[str, str])
    return good.encode() if version == __version__ else None


def compile_text(path: str, text: bytes) -> Config:
    """Return the configuration that the text of a ``cluster.toml`` describes."""
    from slimsched.state import config_tables

    try:
        return config_tables.parse(text)
    except config_tables.Fault as fault:
        repair = fault.repair or "correct it in an editor; the comments of a file made by `sim init` explain the keys"
        raise StateError(path, fault.problem, repair) from None


def _text(path: str) -> bytes:
    text = files.read(path)
    if text is None:
        raise StateError(path, "is missing", "run: sim doctor --rebuild, or make a new cluster: sim init --force")
    return text


def _compiled(folder: str, text: bytes) -> Config | None:
    """Return the stored compiled form of ``text``, ``None`` if there is none."""
    try:
        parts = _cached(folder)
    except files.Refused:  # it is then made again
        return None
    try:
        known = bytes(parts.get("text", b"")) == msgspec.json.encode([__version__, text.decode()])
        return msgspec.json.decode(parts["config"], type=Config) if known and "config" in parts else None
    except formats.UNREADABLE:
        return None


def _cached(folder: str) -> Mapping[str, memoryview]:
    """Return the sound parts of the compiled form; `files.Refused` if it may not be read."""
    path = layout.cache(folder)
    try:
        return documents.unpack(path, files.read(path) or b"", documents.Head)[1]
    except files.Refused:
        raise
    except StateError:
        return {}

"""``cluster.toml``: reading it with errors that name table and key, and its compiled form.

The file is parsed only when its text changed: ``cluster.cache`` holds the text that it was compiled from, so the
comparison is exact whatever an editor does to times and inodes.
"""

from __future__ import annotations

import os

import msgspec

from slimsched import __version__
from slimsched.errors import StateError
from slimsched.model.config import Config
from slimsched.state import files, formats, layout


def read(path: str) -> Config:
    """Return the configuration in a ``cluster.toml``; a fault in it is a `StateError` with table and key."""
    return compile_text(path, _text(path))


def write(path: str, config: Config) -> None:
    """Write a configuration as a commented ``cluster.toml``."""
    from slimsched.state import config_write
    from slimsched.text.utf8 import readable

    files.replace(path, readable(config_write.text(config)).encode())


def load(folder: str) -> tuple[Config, bytes]:
    """Return a state directory's configuration, and its text; both come compiled if the text is known."""
    path, cache = layout.config(folder), layout.cache(folder)
    text = _text(path)
    stored = files.read(cache) or b""
    config = _compiled(stored, text)
    if config is None:
        config = compile_text(path, text)
        _keep(cache, _head(text) + msgspec.json.encode(config))
    return config, text


def cached_text(folder: str) -> bytes | None:
    """Return the last ``cluster.toml`` text that was found good, for the repair of a damaged one."""
    stored = files.read(layout.cache(folder)) or b""
    version, _, rest = stored.partition(b"\n")
    length, _, rest = rest.partition(b"\n")
    text = rest[: int(length)] if length.isdigit() else b""
    return text if text and version == __version__.encode() else None


def compile_text(path: str, text: bytes) -> Config:
    """Return the configuration that the text of a ``cluster.toml`` describes."""
    from slimsched.state import config_tables

    try:
        return config_tables.parse(text)
    except config_tables.Fault as fault:
        repair = fault.repair or "mend it in an editor; the comments of a file made by `sim init` explain the keys"
        raise StateError(path, fault.problem, repair) from None


def _text(path: str) -> bytes:
    text = files.read(path)
    if text is None:
        raise StateError(path, "is missing", "run: sim doctor --rebuild, or make a new cluster: sim init --force")
    return text


def _head(text: bytes) -> bytes:
    return b"%s\n%d\n%s" % (__version__.encode(), len(text), text)


def _compiled(stored: bytes, text: bytes) -> Config | None:
    head = _head(text)
    if not stored.startswith(head):
        return None
    try:
        return msgspec.json.decode(memoryview(stored)[len(head) :], type=Config)
    except formats.UNREADABLE:
        return None


def _keep(cache: str, data: bytes) -> None:
    """Store the compiled form. Readers come here at the same time as others, hence a name of this process's own."""
    try:
        files.replace(cache, data, suffix=f".{os.getpid()}", durable=False)
    except StateError:
        return  # a directory that may only be read: compiling again next time is all it costs

"""The ``slurm.conf`` that a cluster was read from: where it is, and whether it says something new."""

from __future__ import annotations

import os
from binascii import crc32
from typing import TYPE_CHECKING

from slimsched.errors import StateError, UserError
from slimsched.state import config, config_write, default, slurm_conf

if TYPE_CHECKING:
    from slimsched.model.config import Config
    from slimsched.state.slurm_conf import Imported
    from slimsched.state.store import Store


def remember(made: Config, path: str) -> None:
    """Note in a configuration, as it was read, which file it comes from."""
    made.source_checksum = _checksum(made)
    made.source = os.path.abspath(path)


def changed(known: Config) -> Imported | None:
    """Read the file of a cluster again; None if it has none, the file has gone, or it says what it said.

    Raises `UserError` with file and line for a fault in it.
    """
    if not os.path.exists(known.source):
        return None
    found = slurm_conf.load(known.source)
    if _checksum(found.config) == known.source_checksum:
        return None
    remember(found.config, known.source)
    default.inherit(found.config, known)
    return found


def renew(store: Store) -> Imported | None:
    """Put what the file says now in the place of the configuration; the jobs stay. None if it says nothing new.

    Raises `UserError` for a fault in it, or if a job needs a node that it lacks; the old one stays then.
    """
    found = changed(config.load(store.folder)[0])
    if found is not None:
        try:
            store.configure(found.config)
        except StateError as fault:
            raise UserError(f"{found.config.source}: {fault.problem}", notes=(fault.repair,)) from None
    return found


def _checksum(made: Config) -> str:
    return f"{crc32(config_write.text(made).encode()):08x}"

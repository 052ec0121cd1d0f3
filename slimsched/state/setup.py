"""Making a state directory: the default cluster of a first command, and `sim init`."""

from __future__ import annotations

import os
from binascii import crc32

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.state import clock, config, config_write, default, files, layout, lock, snapshot
from slimsched.state.records import Meta

_OURS = {"lock", "cluster.toml", "cluster.cache", "snapshot.json"}


def ensure(folder: str) -> None:
    """Make the default cluster if ``folder`` holds no state yet."""
    if os.path.lexists(layout.snapshot(folder)):
        return
    refuse_foreign(folder)
    files.make_folder(folder)
    with lock.held(folder, exclusive=True):
        if not os.path.lexists(layout.snapshot(folder)):
            make(folder, None if os.path.lexists(layout.config(folder)) else default.cluster())


def refuse_foreign(folder: str) -> None:
    """Raise `StateError` if ``folder`` has something in it that no state directory has."""
    names = files.names(folder)
    strange = [n for n in names if n not in _OURS and not n.startswith("data-")]
    if strange and not _OURS.intersection(names):
        problem = f"is no state directory: it holds {strange[0]!r}"
        raise StateError(folder, problem, "name an empty or a new directory with --state or SLIMSCHED_STATE")


def make(folder: str, conf: Config | None) -> None:
    """Begin a new generation in ``folder``, under its lock; ``None`` takes the ``cluster.toml`` that is there."""
    if conf is not None:
        files.replace(layout.config(folder), config_write.text(conf).encode())
    conf, text = config.load(folder, store=True)
    taken = [int(n[5:]) for n in files.names(folder) if n.startswith("data-") and n[5:].isdigit()]
    generation = max(taken, default=0) + 1
    data = layout.data(folder, generation)
    for name in ("journal", "archive", "scripts"):
        files.make_folder(os.path.join(data, name))
    files.create(layout.journal(data, 1), b"")
    image = snapshot.Image(generation, 1, 0)
    image.meta = _first(Cluster(conf, clock.beginning(conf, layout.config(folder))), crc32(text))
    files.replace(layout.snapshot(folder), snapshot.pack(image))


def _first(cluster: Cluster, crc: int) -> Meta:
    return Meta(
        now=cluster.now,
        boot_time=cluster.now,
        next_job_id=cluster.next_job_id,
        next_priority=cluster.next_priority,
        config_crc=crc,
    )

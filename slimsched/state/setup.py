"""Making a state directory: the default cluster of a first command, and `sim init`.

The snapshot is written last and its replacement is the instant at which the new cluster is there: a process killed
before leaves no cluster, or the old one.
"""

from __future__ import annotations

import os
from binascii import crc32

from slimsched.errors import StateError, UserError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.state import clock, config, exchange, files, formats, journal, layout, lock, logs, snapshot

_OURS = {"lock", "lock.next", "cluster.toml", "cluster.toml.new", "cluster.cache", "snapshot.json", "snapshot.json.new"}


def ensure(folder: str) -> None:
    """Make a cluster if ``folder`` holds none yet: from its ``cluster.toml`` if it has one, else the default one."""
    if _exists(layout.snapshot(folder)):
        return
    refuse_foreign(folder)
    files.make_folder(folder)
    with lock.held(folder, exclusive=True):
        if _exists(layout.snapshot(folder)):
            return
        refuse_lost(folder)
        if _exists(layout.config(folder)):
            make(folder, None)
        else:
            from slimsched.state import default

            make(folder, default.cluster())


def create(folder: str, conf: Config, *, force: bool) -> None:
    """Make the cluster ``conf``; an existing one is replaced only with ``force``, all of its jobs being lost."""
    refuse_foreign(folder)
    files.make_folder(folder)
    with lock.held(folder, exclusive=True):
        if not force and (_exists(layout.snapshot(folder)) or _exists(layout.config(folder))):
            raise UserError(
                f"{folder} holds a cluster already",
                notes=("--force replaces it, and its jobs are lost; --from FILE --merge keeps them",),
            )
        make(folder, conf)


def refuse_foreign(folder: str) -> None:
    """Raise `StateError` if ``folder`` has something in it, but neither a configuration nor a snapshot."""
    names = files.names(folder)
    ours = _OURS.union(f"data-{number}" for number in generations(folder))
    strange = [name for name in names if name not in ours]
    if strange and not {"cluster.toml", "snapshot.json"}.intersection(names):
        problem = f"is no state directory: it holds {strange[0]!r}"
        raise StateError(folder, problem, "name an empty or a new directory with --state or SLIMSCHED_STATE")


def make(folder: str, conf: Config | None) -> None:
    """Begin a new generation, under the lock; ``None`` takes the ``cluster.toml`` that is there."""
    if conf is not None:
        config.write(layout.config(folder), conf)
    conf, text = config.load(folder)
    old = generations(folder)
    image = snapshot.Image(max(_numbered(folder), default=0) + 1, 1, 0)
    image.meta = exchange.meta(Cluster(conf, clock.beginning(conf)), crc32(text))
    begin(folder, image)
    remove_generations(folder, old)


def begin(folder: str, image: snapshot.Image) -> None:
    """Write ``image`` as the state, with an empty journal segment to follow it."""
    data = layout.data(folder, image.generation)
    for name in layout.KINDS:
        files.make_folder(os.path.join(data, name))
    journal.Segment(layout.journal(data, image.segment)).create()
    files.replace(layout.snapshot(folder), snapshot.pack(image))


def generations(folder: str) -> list[int]:
    """Return the numbers of the ``data-N`` folders that have nothing in them but what a generation has."""
    return [number for number in _numbered(folder) if _is_generation(layout.data(folder, number))]


def _numbered(folder: str) -> list[int]:
    return [int(name[5:]) for name in files.names(folder) if name.startswith("data-") and name[5:].isdigit()]


def _is_generation(path: str) -> bool:
    return os.path.isdir(path) and {name.partition(".")[0] for name in files.names(path)} <= set(layout.KINDS)


def remove_generations(folder: str, numbers: list[int]) -> None:
    """Remove generations that no snapshot refers to any more."""
    for number in numbers:
        files.remove_tree(layout.data(folder, number))


def refuse_lost(folder: str) -> None:
    """Raise `StateError` if commits are there without the snapshot that they follow."""
    if any(_has_commits(folder, number) for number in generations(folder)):
        raise StateError(layout.snapshot(folder), "is missing, but the journal is there", formats.REBUILD)


def last_used(folder: str) -> int:
    """Return the newest generation with commits in it, else the newest one."""
    numbers = sorted(generations(folder), reverse=True)
    return next((number for number in numbers if _has_commits(folder, number)), max(numbers, default=1))


def _has_commits(folder: str, number: int) -> bool:
    journals = os.path.join(layout.data(folder, number), "journal")
    with files.explained(journals):
        return any(os.lstat(os.path.join(journals, name)).st_size > len(logs.head()) for name in files.names(journals))


def _exists(path: str) -> bool:
    with files.explained(path):
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

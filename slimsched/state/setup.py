"""The making of a state directory: the default cluster of a first command, and `sim init`.

All of a new cluster, its configuration too, goes into a generation of its own (``data-N``); the replacement of the
snapshot, which names the generation, is the instant at which the new cluster is there. A process killed before leaves
no cluster, or the old one; after it, the next command puts the configuration in its place.
"""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Callable, Sequence
from functools import partial

from slimsched.errors import StateError, UserError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.state import clock, config, exchange, files, formats, journal, layout, lock, logs, snapshot

_OURS = {
    *("lock", "lock.next", "cluster.cache", "calls.jsonl", "saved"),
    *(name + new for name in ("cluster.toml", "snapshot.json", "faults.json") for new in ("", ".new")),
}
_PARTS = {*layout.KINDS, "runs", "cluster"}  # of a generation's folder


def ensure(folder: str) -> bool:
    """Make a cluster if ``folder`` holds none yet: from its ``cluster.toml`` if it has one, else the default one.

    Returns whether this made the user's own one, which nobody has to name. Any other directory must exist.
    """
    if files.kind(layout.snapshot(folder)):
        return False
    own = layout.is_own(folder)
    if not own:
        refuse_missing(folder)
    refuse_foreign(folder)
    files.make_folder(folder)
    with lock.held(folder, exclusive=True):
        if files.kind(layout.snapshot(folder)):
            return False
        refuse_lost(folder)
        if files.kind(layout.config(folder)):
            make(folder, None)
        else:
            from slimsched.state import default

            make(folder, default.cluster())
    return own


def refuse_missing(folder: str) -> None:
    """Raise `StateError` if there is no such directory: a name with a slip must not become another cluster."""
    if not files.kind(folder):
        raise StateError(folder, "does not exist", "name another state directory, or make this one: sim init")


def create(
    folder: str, conf: Config, *, force: bool, before: Callable[[str], object] | None = None
) -> list[StateError]:
    """Make the cluster ``conf``; an existing one is replaced only with ``force``, all of its jobs being lost.

    ``before`` is called with the folder once nothing stands in the way, under the lock. Returns what failed after the
    new cluster was there.
    """
    refuse_foreign(folder)
    files.make_folder(folder)
    with lock.held(folder, exclusive=True):
        if not force and (files.kind(layout.snapshot(folder)) or files.kind(layout.config(folder))):
            raise UserError(
                f"{folder} already holds a cluster",
                notes=("--force replaces it and deletes its jobs; --from FILE --merge keeps them",),
            )
        if before is not None:
            before(folder)
        return make(folder, conf)


def refuse_foreign(folder: str) -> None:
    """Raise `StateError` if ``folder`` has something in it, but neither a configuration nor a snapshot."""
    names = files.names(folder)
    ours = _OURS.union(f"data-{number}" for number in generations(folder))
    strange = [name for name in names if name not in ours]
    if strange and not {"cluster.toml", "snapshot.json"}.intersection(names):
        problem = f"is not a state directory: it holds {strange[0]!r}"
        raise StateError(folder, problem, "give an empty or a new directory with --state or SLIMSCHED_STATE")


def make(folder: str, conf: Config | None) -> list[StateError]:
    """Begin a new generation, under the lock; ``None`` takes the ``cluster.toml`` that is there.

    Returns what failed after the new cluster was there.
    """
    path, old, number = layout.config(folder), generations(folder), following(folder)
    text = config.toml(conf) if conf is not None else b""
    checked, text = (config.compile_text(path, text), text) if text else config.load(folder)
    image = snapshot.Image(number, 1, 0)
    image.meta = exchange.meta(Cluster(checked, clock.beginning(checked)), crc32(text))
    try:
        begin(folder, image, text if conf is not None else None)
    except files.Unsynced as fault:
        return [fault]  # the old generation may still be needed
    useless = [layout.data(folder, each) for each in old]
    useless += filter(files.kind, [layout.faults(folder)])  # they were meant for the old cluster
    return tidy(folder, layout.data(folder, number), checked, text, useless)


def tidy(folder: str, data: str, conf: Config, text: bytes, useless: Sequence[str]) -> list[StateError]:
    """Move the configuration of a new generation to its place, and remove the ``useless`` files.

    Returns what failed.
    """
    tidying: list[Callable[[], None]] = [
        lambda: config.settle(folder, data),
        lambda: config.keep(folder, conf, text),
        *(partial(files.remove_tree, each) for each in useless),
    ]
    return [fault for fault in map(_fault, tidying) if fault]


def _fault(step: Callable[[], None]) -> StateError | None:
    try:
        step()
    except StateError as fault:
        return fault
    return None


def begin(folder: str, image: snapshot.Image, text: bytes | None = None) -> None:
    """Write ``image`` as the state, with an empty journal segment to follow it.

    ``text``: the new ``cluster.toml``. The snapshot's replacement is the instant at which all of it holds.
    """
    data = layout.data(folder, image.generation)
    for name in layout.KINDS:
        files.make_folder(os.path.join(data, name))
    if text is not None:
        files.create(layout.new_config(data), text)
    journal.Segment(layout.journal(data, image.segment)).create()
    files.replace(layout.snapshot(folder), snapshot.pack(image))


def following(folder: str) -> int:
    """Return the number of the next generation."""
    return max(_numbered(folder), default=0) + 1


def generations(folder: str) -> list[int]:
    """Return the numbers of the ``data-N`` folders that contain only what a generation contains."""
    return [number for number in _numbered(folder) if _is_generation(layout.data(folder, number))]


def _numbered(folder: str) -> list[int]:
    return [int(name[5:]) for name in files.names(folder) if name.startswith("data-") and name[5:].isdigit()]


def _is_generation(path: str) -> bool:
    return files.kind(path) == "folder" and {name.partition(".")[0] for name in files.names(path)} <= _PARTS


def refuse_lost(folder: str) -> None:
    """Raise `StateError` if commits are there without the snapshot that they follow."""
    if any(_has_commits(folder, number) for number in generations(folder)):
        raise StateError(layout.snapshot(folder), "is missing, but its journal exists", formats.REBUILD)


def last_used(folder: str) -> int:
    """Return the newest generation with commits in it, else the newest one."""
    numbers = sorted(generations(folder), reverse=True)
    return next((number for number in numbers if _has_commits(folder, number)), max(numbers, default=1))


def _has_commits(folder: str, number: int) -> bool:
    journals = os.path.join(layout.data(folder, number), "journal")
    with files.explained(journals):
        return any(os.lstat(os.path.join(journals, name)).st_size > len(logs.head()) for name in files.names(journals))

"""The repair of `sim doctor --rebuild`: a damaged state directory is rebuilt from all that is sound in it.

Every commit since the cluster was made is in the journal as whole records, so a lost snapshot costs nothing, and a
damaged record costs that record alone. Damage is what was read and found bad: a call that the system refuses stops
the repair. What is replaced stays beside its successor as ``NAME.damaged-N``.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from slimsched.errors import StateError
from slimsched.model.config import Config
from slimsched.state import archive, config, default, doctor, files, layout, lock, setup
from slimsched.state.salvage_image import Recovery


def rebuild(folder: str, before: Callable[[str], object] | None = None) -> list[str]:
    """Repair ``folder`` and return what was done, a line each; a directory of a newer format is left alone.

    ``before`` is called with the folder under the lock, and may refuse.
    """
    if not files.names(folder):
        return []
    setup.refuse_foreign(folder)
    done = [*_aside(layout.lock(folder), "file"), *_aside(layout.turnstile(folder), "file")]
    with lock.held(folder, exclusive=True):
        if before is not None:
            before(folder)
        for path in (layout.config(folder), layout.cache(folder), layout.snapshot(folder)):
            done += _aside(path, "file")
        if not files.kind(layout.snapshot(folder)) and not setup.generations(folder):
            _config(folder, done)
            setup.make(folder, None)
            return [*done, f"{folder}: created a new cluster"]
        recovery = Recovery(folder)
        config.settle(folder, recovery.data)
        conf, text = _config(folder, done)
        done += [line for path, kind in doctor.strange_scripts(recovery.data) for line in _aside(path, kind)]
        recovery.read(conf, text)
        if recovery.problems:
            done += [*recovery.problems, *recovery.write()]
        else:
            _index(recovery.data, done)
        _clean(folder, recovery, done)
    return done


def _aside(path: str, kind: str) -> list[str]:
    """Rename whatever of the wrong kind is at ``path``; it contains no data of ours."""
    if files.kind(path) in {"", kind}:
        return []
    right = "a directory" if kind == "folder" else "a regular file"
    return [f"{path} is not {right}; it was renamed to {os.path.basename(files.set_aside(path))}"]


def _config(folder: str, done: list[str]) -> tuple[Config, bytes]:
    """Return the configuration; one that cannot be read is replaced by the last good one, else by the default."""
    path = layout.config(folder)
    try:
        return config.load(folder)
    except files.Refused:
        raise
    except StateError as fault:
        problem = fault.problem
    good = config.cached_text(folder)
    kept = f"; it was kept as {os.path.basename(files.keep_copy(path))}" if files.kind(path) else ""
    files.replace(path, good if good is not None else config.toml(default.cluster()))
    done.append(f"{path} {problem}{kept}")
    done.append(f"{path}: put back {'the last good one' if good is not None else 'the default cluster'}")
    return config.load(folder)


def _index(data: str, done: list[str]) -> None:
    """Make the archive's index again if it does not fit the files."""
    store = archive.Archive(data)
    spans = doctor.spans(store)
    problem = "does not fit the files"
    try:
        if archive.covers(store.read_index(), spans):
            return
    except files.Refused:
        raise
    except StateError as fault:
        problem = fault.problem
    done += [f"{store.index_path} {problem}", *_aside(store.index_path, "file")]
    store.write_index(spans)
    done.append(f"{store.index_path}: rebuilt")


def _clean(folder: str, recovery: Recovery, done: list[str]) -> None:
    """Set the old generation aside, and remove what commands that were killed left behind.

    A generation that is older than the one that was found may have records that are nowhere else: it is kept.
    """
    for path in doctor.leftovers(folder, recovery.image.generation):
        number = os.path.basename(path).removeprefix("data-")
        try:
            if number.isdigit() and int(number) <= recovery.generation:
                done.append(f"{path} was renamed to {os.path.basename(files.set_aside(path))}")
            else:
                files.remove_tree(path)
                done.append(f"{path}: removed; it was left over from a command that was killed")
        except StateError as fault:
            done.append(f"{path} could not be removed: {fault.problem}")

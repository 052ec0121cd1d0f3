"""`sim doctor --rebuild`: put a damaged state directory together again from all that is sound in it.

Every commit since the cluster was made is in the journal as whole records, so a lost snapshot costs nothing, and a
damaged record costs that record alone. What is replaced stays beside its successor as ``NAME.damaged-N``.
"""

from __future__ import annotations

import os
from binascii import crc32

from slimsched.errors import StateError
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.state import archive, config, default, doctor, files, layout, lock, salvage_logs, setup
from slimsched.state.salvage_image import Recovery


def rebuild(folder: str) -> list[str]:
    """Repair ``folder`` and return what was done, a line each; a directory of a newer format is left alone."""
    if not files.names(folder):
        return []
    setup.refuse_foreign(folder)
    done = [
        f"{path} is no regular file{salvage_logs.kept(path)}"
        for path in (layout.lock(folder), layout.config(folder), layout.snapshot(folder))
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path))
    ]
    with lock.held(folder, exclusive=True):
        conf, text = _config(folder, done)
        if not os.path.lexists(layout.snapshot(folder)) and not setup.generations(folder):
            setup.make(folder, None)
            return [*done, f"{folder}: made a new cluster"]
        recovery = Recovery(folder, conf, crc32(text), done)
        recovery.read()
        _archive(recovery)
        recovery.write()
        _clean(recovery)
    return done


def _config(folder: str, done: list[str]) -> tuple[Config, bytes]:
    """Return the configuration; one that cannot be read is replaced by the last good one, else by the default."""
    path = layout.config(folder)
    try:
        return config.load(folder)
    except StateError as fault:
        done.append(f"{path} {fault.problem}{salvage_logs.kept(path)}")
    good = config.cached_text(folder)
    if good is not None:
        files.replace(path, good)
    else:
        config.write(path, default.cluster())
    done.append(f"{path}: put back {'the last good one' if good is not None else 'the default cluster'}")
    return config.load(folder)


def _archive(recovery: Recovery) -> None:
    """Mend the archive's files, from the journal where they lack jobs, and the index over them."""
    store = archive.Archive(recovery.data)
    missing: dict[int, dict[archive.Key, Job]] = {}
    for key, job in recovery.gone.items():
        missing.setdefault(key[0] // layout.RANGE, {})[key] = job
    spans: dict[int, archive.Span] = {}
    for block in sorted({*doctor.numbers(recovery.data, "archive"), *missing}):
        jobs = salvage_logs.jobs(layout.archive(recovery.data, block), missing.get(block, {}), recovery.done)
        recovery.see(max((job.job_id for job in jobs), default=0))
        if jobs:
            spans[block] = archive.span(jobs, None)
    try:
        known = store.index()
    except StateError as fault:
        recovery.done.append(f"{store.index_path} {fault.problem}{salvage_logs.kept(store.index_path)}")
        known = {}
    if not archive.covers(known, spans):
        store.write_index(spans)
        recovery.done.append(f"{store.index_path}: made again")


def _clean(recovery: Recovery) -> None:
    for path in doctor.leftovers(recovery.folder, recovery.image.generation):
        if os.path.isdir(path) and not recovery.certain:
            continue  # it may be what the lost snapshot spoke of
        files.remove_tree(path)
        recovery.done.append(f"{path}: removed; a command that was killed had left it")
